internal import CreditModel

extension Flag {
  static let responseFrom = TextFlag(
    "response-from", "FILE", .path, group: .action,
    "COMMAND writes the response there, not to standard output",
    detail: """
      FILE must be absent or empty at the start. COMMAND's standard output is then passed
      through unread.
      """)

  static let grace = SpanFlag(
    "grace", group: .action, "How long to wait for more output once COMMAND has ended: 2s",
    detail: """
      Something that COMMAND started may keep its output open. What COMMAND itself has printed is
      always read. A signal that arrives during the wait ends it. A reader of the output that takes
      nothing is waited for as long before the work is charged, and gets the rest afterwards.
      """)

  static let receiptFile = TextFlag(
    "receipt", "FILE", .path, group: .action,
    "Write the receipt, or the error, there: else to standard error")
}

extension Tool {
  /// `credit-run`: runs a command that needs credits.
  package static let run = Tool(
    .run,
    summary: "Run a command that costs credits, and charge what it used",
    flags: [
      .account, .model, .hold, .holdExpiresIn, .tag, .responseFrom, .grace, .receiptFile,
    ]
      + Flag.common.filter { flag in
        ![Flag.pass, .get, .pretty, .json].contains { $0.name == flag.name }
      },
    takesCommand: true,
    run: { command throws(UsageError) in try command.runRun() },
    manual: { runManual })

  private static var runManual: Manual {
    Manual(
      synopsis: [
        "[--account NAME] [--model MODEL] [--hold N] [--tag NAME=VALUE] [--receipt FILE] "
          + "[--response-from FILE] [--grace SPAN] -- COMMAND [ARGUMENT]..."
      ],
      description: [
        .text(
          """
          Asks whether the account may start, as credit-authorize(1) does; if not, COMMAND is not
          run, and the exit status is 10, or 14 if a spend limit refuses. Else it runs COMMAND,
          reads its standard output as a provider's response while it passes it on byte for byte,
          and charges what the response says, once, as `credit-charge --arrears --response` does:
          finished work is never refused.
          """),
        .text(
          """
          With `--model`, limits and credits of that model count for the start, too. A model that
          the catalog does not have is not checked then: COMMAND runs, and what cannot be charged
          stays open.
          """),
        .text("The response decides what is charged, however COMMAND ended:"),
        .terms([
          Term("complete", "It is charged. The exit status is COMMAND's."),
          Term(
            "failed, or no response",
            """
            The authorization is voided. The exit status is COMMAND's, or 65 if that is 0.
            """),
          Term(
            "cut, or it cannot be charged",
            """
            The authorization stays open, and standard error prints the whole command that would
            charge it; `credit-history --open` lists it. The exit status is COMMAND's, or the
            error's if that is 0.
            """),
        ]),
        .text(
          """
          credit-run ends when COMMAND has ended and its output is complete. If a process that
          COMMAND started still has the output open then, credit-run waits `--grace` for more,
          charges what the output says so far, and ends. That process keeps running; it gets SIGPIPE
          if it prints more.
          """),
        .text(
          """
          COMMAND's exit status is 128 and the signal's number where one ended it, 127 where it was
          not found, and 126 where it cannot be run. SIGINT, SIGTERM and SIGHUP are passed on
          to COMMAND. If the reader closes the pipe, credit-run still reads and charges the rest,
          then exits by SIGPIPE. Output may be of any length; one event or object of it may have
          16 MiB.
          """),
        .text(
          """
          COMMAND finds the authorization's id in its environment, as `CREDIT_AUTHORIZATION`. If it
          charges or voids that authorization itself, credit-run adds nothing. `PGPASSWORD`
          and a password in `CREDIT_STORE` are not passed on.
          """),
      ],
      sections: [agents],
      examples: [
        Example(
          "Ask a model, and pay for the answer:",
          """
          credit-run --account me -- curl -s https://api.anthropic.com/v1/messages \\
            -H @headers -d @question.json
          """),
        Example(
          "Hold 50 credits for a job whose standard output is not the response:",
          """
          credit-run --account me --hold 50 --response-from usage.json -- \\
            ./job --log-usage usage.json
          """),
      ],
      errors: [
        .accountClosed, .insufficientCredits, .spendLimit, .idempotencyConflict,
        .authorizationClosed, .unknownAccount, .unknownModel, .limitExceeded, .invalidUsage,
        .unpricedUsage, .failedResponse, .cutResponse, .amountOutOfRange, .cannotCreate,
      ],
      seeAlso: ["credit-authorize", "credit-charge", "credit-history"])
  }

  private static let agents = Section(
    "Coding agents",
    [
      .text(
        """
        A coding agent calls a model many times in a session and keeps a log of it. So its session
        is not one response: refuse to start one without credits, and bill the log, which
        credit-usage(1) reads. The key of each call makes it safe to bill the same log again.
        """),
      .code(
        """
        $ agent() {
        >   test "$(credit-balance --account me --get available)" -gt 0 || {
        >     echo 'out of credits; top up to continue' >&2; return 10; }
        >   claude "$@"
        >   credit-usage claude --account me </dev/null |
        >     credit-charge --arrears --quiet >/dev/null
        > }
        """),
      .text(
        """
        Claude Code's own hooks do the same at each prompt, and stop a long session in its middle
        (a hook whose exit status is 2 refuses the prompt). In `~/.claude/settings.json`, where
        `agent-start` and `agent-stop` are scripts of the first two and the last two lines above,
        with `exit 2` in place of `return 10` (`examples/agents/guard` is one script for all of
        it, which bills only what is new):
        """),
      .code(
        """
        {"hooks": {
          "UserPromptSubmit":
            [{"hooks": [{"type": "command", "command": "agent-start"}]}],
          "Stop":
            [{"hooks": [{"type": "command", "command": "agent-stop"}]}]}}
        """),
    ])
}
