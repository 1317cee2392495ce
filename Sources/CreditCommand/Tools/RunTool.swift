internal import CreditModel

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
  /// `credit-run`: runs a command that needs credits.
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
    run: { command throws(UsageError) in try command.runRun() },
    help: { runHelp })

  private static var runHelp: ToolHelp {
    ToolHelp(
      synopsis: [
        "[--account NAME] [--model MODEL] [--hold N] [--tag NAME=VALUE] [--receipt FILE] "
          + "[--response-from FILE] [--resume FILE] [--grace SPAN] -- COMMAND [ARGUMENT ...]"
      ],
      description: """
        Asks whether the account may start, as credit-authorize(1) does; if not, COMMAND is not
        run, and the exit status is 10, or 14 if a spend limit refuses. Else it runs COMMAND,
        reads its standard output as a provider's response while it passes it on byte for byte,
        and charges what the response says, once, as `credit-charge --arrears --response` does:
        finished work is never refused.
        """,
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
      ])
  }
}
