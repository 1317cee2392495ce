internal import CreditModel

extension Flag {
  static let from = TextFlag(
    "from", "NAME", .name(.account), member: "from", group: .request, "The account that gives")

  static let to = TextFlag(
    "to", "NAME", .name(.account), member: "to", group: .request,
    "The account that receives: a registered one")
}

extension Tool {
  /// `credit-transfer`: gives credits from one account to another.
  package static let transfer = Tool(
    .transfer,
    summary: "Give credits from one account to another, once",
    flags: [
      .from,
      .to,
      .credits.worded("How many credits"),
      .key.worded("What makes it once: unique within the giving account"),
      .reason, .dryRun,
    ] + Flag.common,
    wholeRequests: [CommandForm([.from], [.to], [.credits], [.key])],
    run: { command throws(UsageError) in try command.runGate(.transfer) },
    help: { transferHelp })

  private static var transferHelp: ToolHelp {
    ToolHelp(
      synopsis: [
        "--from NAME --to NAME --credits N --key KEY [--reason TEXT]",
        "< requests",
      ],
      description: """
        Moves credits from one account to another. Both sides are recorded as a whole: after a
        crash either both are there or none. Running it again with the same key gives the same
        answer plus `"replayed":true`; the same key for another receiver or amount is
        `idempotency_conflict`. The keys of transfers are apart from those of charges and of
        top-ups.
        """,
      examples: [
        Example(
          "Ana gives Ben an hour:",
          "credit-transfer --from ana --to ben --credits 3600 --key gift-7"),
        Example(
          "What has she given?",
          "credit-history --account ana --type transfer --get counterparty,credits"),
      ],
      errors: [
        .accountClosed,
        .insufficientCredits, .idempotencyConflict, .unknownAccount, .limitExceeded,
        .amountOutOfRange, .cannotCreate,
      ])
  }
}
