internal import CreditLogs

extension Flag {
  static let billedAccount = TextFlag(
    "account", "NAME", .name(.account), group: .action, "The account to bill")

  static let accountFrom = TextFlag(
    "account-from", "MEMBER", group: .action, "The part of the log that names the account to bill")

  static let loggedModel = TextFlag(
    "model", "MODEL", .name(.model), group: .action, "The model, if the log names none")

  static let notFinal = Switch(
    "partial", group: .selection, "Include messages whose counts are not final")

  static let resume = TextFlag(
    "resume", "FILE", .path, group: .action, "Go on where the last run with FILE ended")

  static let strictLogs = Switch("strict", group: .action, "Fail on damaged records")
}

extension Tool {
  public static let usage = Tool(
    .usage,
    summary: "Turn logs of model calls into charge requests",
    flags: [
      .billedAccount, .accountFrom, .loggedModel, .since, .until, .notFinal, .strictLogs,
      .resume, .now, .get, .pretty, .json, .quiet, .lockTimeout, .help, .version,
    ],
    subcommands: LogFormats.all.map { format in
      Subcommand(
        "\(format.description.name)", format.description.summary, flags: [], takesFiles: true,
        run: { command throws(UsageError) in try command.readLogs(of: format) })
    }, subcommandNoun: "format",
    exclusions: [
      Exclusion(.billedAccount, [.accountFrom]), Exclusion(.resume, [.until]),
    ])

  /// Sentences on the usual places of a format's logs, in `Markup`; empty for other words.
  public static func logPlaces(of word: Subcommand) -> String {
    guard let format = LogFormats.named(word.name)?.description else { return "" }
    let folders = format.places { $0 == "HOME" ? "~" : nil }.joined(separator: "`, `")
    let variables = format.variables.filter { $0 != "HOME" }.joined(separator: "`, `")
    return (folders.isEmpty ? "" : "Its usual places: `\(folders)`.")
      + (variables.isEmpty ? "" : " Others are named by `\(variables)`.")
  }
}
