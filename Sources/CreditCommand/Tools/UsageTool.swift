internal import CreditLogs
internal import CreditModel

extension Flag {
  static let billedAccount = TextFlag(
    "account", "NAME", .name(.account), group: .action, "The account to bill")

  static let accountFrom = TextFlag(
    "account-from", "MEMBER", group: .action, "The part of the log that names the account to bill",
    detail: """
      A tag of the request (`project`, `session`, `custom_id`), else a member of the log's record,
      by its name or path: `user`, `metadata.user_api_key_alias`; of a span, an attribute. Records
      without it are skipped.
      """)

  static let loggedModel = TextFlag(
    "model", "MODEL", .name(.model), group: .action, "The model, if the log names none")

  static let notFinal = Switch(
    "partial", group: .selection, "Include messages whose final counts are not there yet",
    detail: """
      They are printed with the counts so far. A later run prints the final ones under the same
      key.
      """)

  static let resume = TextFlag(
    "resume", "FILE", .path, group: .action, "Go on where the last run with FILE ended",
    detail: """
      FILE keeps how far each log was read, for its user alone, and is replaced once all requests
      are written. A log is known by its device, its inode and its first 4 KiB; one that shrank or
      was replaced is read from its start, and so are logs that are written again in full. A
      message that was still being written is read again. A second run on the same FILE waits for
      the first, `--lock-timeout` at most.
      """)

  static let strictLogs = Switch(
    "strict", group: .action, "Fail on damaged records",
    detail: """
      Without it, records that cannot be billed are counted on standard error, and the exit status
      is 0.
      """)
}

extension Tool {
  /// `credit-usage`: logs that people have → charge requests.
  package static let usage = Tool(
    .usage,
    summary: "Turn logs of model calls into charge requests",
    flags: [
      .billedAccount, .accountFrom, .loggedModel, .since, .until, .notFinal, .strictLogs,
      .resume, .lockTimeout, .get, .pretty, .quiet, .help, .version,
    ],
    subcommands: LogFormats.all.map(subcommand), subcommandNoun: "format",
    exclusions: [
      Exclusion(.billedAccount, [.accountFrom]), Exclusion(.resume, [.until]),
    ],
    manual: { usageManual })

  private static func subcommand(of format: any LogFormat.Type) -> Subcommand {
    let description = format.description
    return Subcommand(
      "\(description.name)", description.summary, flags: [], takesFiles: true,
      detail: "\(description.rule) \(description.source)",
      run: { command throws(UsageError) in try command.readLogs(of: format) })
  }

  private static var usageManual: Manual {
    Manual(
      synopsis: [
        "FORMAT --account NAME [FILE-or-FOLDER ...]", "FORMAT --account-from MEMBER < log",
      ],
      description: [
        .text(
          """
          Reads logs that people already have and prints one request a line for credit-charge(1). It
          opens no store and writes nothing. Each message counts once, even if copied, resumed or
          forked sessions repeat it, and in any order of the files. Its key is made from the log's
          own ids, so that billing the same log again moves nothing.
          """),
        .text("A request is one line; it is broken here to fit the page:"),
        .code(
          """
          {"account":"me","key":"msg_01","model":"claude-sonnet-4-5",
           "usage":{"inputTokens":3,"outputTokens":512,
           "cacheReadTokens":20480},"usedAt":"2026-02-19T10:00:00.000Z",
           "tags":{"source":"claude","project":"/home/me/app",
           "session":"5f1c"}}
          """),
        .text(
          """
          Named files are read; in folders, the files whose names fit the format, in the order of
          their names. If none is named, standard input is read. If that is a terminal or
          `/dev/null`, as under cron, the format's usual places are read. The FILE `-` is standard
          input, too.
          """),
      ],
      sections: [usageLeftOut, usageResume],
      examples: usageExamples,
      errors: [.invalidUsage, .permissionDenied],
      seeAlso: ["credit-charge", "credit-price", "credit-history"])
  }

  private static var usageLeftOut: Section {
    Section(
      "What is skipped",
      [
        .text(
          """
          Records that are not printed are counted on standard error by reason, with the place of
          the first: damaged lines, and lines longer than 16 MiB; records that name no account or
          model; requests that failed, which providers do not bill; messages that are still being
          written. A later run prints such a message once its final counts are there; `--partial`
          prints it at once.
          """),
        .text(
          """
          Memory grows with the number of messages, not with the size of the log: about 30 bytes
          for each. Formats in which a later line may replace an earlier one (claude, codex, gemini)
          take about 250, and their requests are printed at the end.
          """),
      ])
  }

  private static var usageResume: Section {
    Section(
      "Going on",
      [
        .text(
          """
          With `--resume FILE` a run reads only what was added since. FILE says that requests were
          printed, not that they were charged: let it take the place of the last one once they are.
          """),
        .code(
          """
          cp last.json next.json 2>/dev/null
          credit-usage claude --account me --resume next.json >batch &&
            credit-charge --quiet <batch && mv next.json last.json
          """),
        .text(
          """
          Whatever goes wrong, the next run prints again what was not charged, under the same keys.
          Logs of which one may repeat another (codex, opencode) are all read when there is a new
          one. FILE belongs to one format, and to one `--account-from`.
          """),
      ])
  }

  private static var usageExamples: [Example] {
    [
      Example(
        "Bill what Claude Code has used on this machine; done again, nothing moves:",
        "credit-usage claude --account me | credit-charge --quiet"),
      Example(
        "What it would cost, by this store's prices:",
        """
        credit-usage codex --account me --since 2026-02-01T00:00:00Z |
          credit-price --get usd
        """),
      Example(
        "Bill each user of a LiteLLM proxy:",
        """
        psql -c 'COPY "LiteLLM_SpendLogs" TO STDOUT CSV HEADER' |
          credit-usage litellm --account-from user |
          credit-charge
        """),
    ]
  }
}
