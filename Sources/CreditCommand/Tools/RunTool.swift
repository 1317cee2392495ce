extension Flag {
  static let responseFrom = TextFlag(
    "response-from", "FILE", .path, group: .action,
    "COMMAND writes the response there, not to standard output")

  static let keptThreads = TextFlag(
    "resume", "FILE", .path, group: .action,
    "Keep the totals of COMMAND's threads there, not beside the store")

  static let grace = SpanFlag(
    "grace", group: .action, "How long to wait for more output once COMMAND has ended: 2s")

  static let receiptFile = TextFlag(
    "receipt", "FILE", .path, group: .action,
    "Write the receipt, or the error, there: else to standard error")
}

extension Tool {
  public static let run = Tool(
    .run,
    summary: "Run a command that costs credits, and charge what it used",
    flags: [
      .account, .model, .hold, .holdExpiresIn, .tag, .responseFrom, .keptThreads, .grace,
      .receiptFile,
    ]
      + Flag.common.filter { flag in
        ![Flag.pass, .get, .pretty, .json, .resultFormat].contains { $0.name == flag.name }
      },
    takesCommand: true,
    run: { command throws(UsageError) in try command.runRun() })
}
