internal import CreditModel

extension Flag {
  static let unused = Switch(
    "unused", member: "unused", group: .request, "Take back what is left of a grant, and no more",
    detail: """
      Possibly nothing. The transaction becomes `refunded`, and what charges of it give back later
      is forfeited. A top-up without terms is `invalid_request`: its credits are among others.
      """)
}

extension Tool {
  /// `credit-refund`: takes a purchase back, or gives a charge back.
  package static let refund = Tool(
    .refund,
    summary: "Take a purchase back, or give a charge back",
    flags: [
      .transaction.worded("The purchase whose credits to take back"),
      .authorization.worded(
        "The charge whose credits to give back", as: .authorization(.charge)),
      .account.worded(
        "The account of the key: default if not given",
        detail: "Beside a transaction or an authorization it must be that one's account."),
      .key.worded("The key of the direct charge whose credits to give back"),
      .credits.worded(
        "How many of its credits are refunded in all",
        detail: """
          All of them if not given. The same number again is the same answer, more takes or gives
          the difference, less is `idempotency_conflict`, and more than was granted or charged
          `invalid_request`.
          """),
      .price.worded(
        "What was paid back, in the currency of the purchase: 4.99",
        detail: """
          Of this refund alone, if there were others before. Without it, what the credits cost: of
          all credits the whole price; of a part its share, rounded half to even to the digits of
          the currency, so that refunds in steps come to exactly the price. 0 says that no money
          went back. More than is left of the price is `invalid_request`, and so is a price for a
          purchase that has no price and currency. A repeat with another price is
          `idempotency_conflict`; without one it is not compared.
          """),
      .unused, .reason, .dryRun,
    ] + Flag.common,
    exclusions: [
      Exclusion(.transaction, [.authorization, .key]),
      Exclusion(.unused, [.authorization, .key, .credits]),
      Exclusion(.price, [.authorization, .key]),
    ],
    wholeRequests: [
      CommandForm([.transaction, .authorization]), CommandForm([.account], [.key]),
    ],
    run: { command throws(UsageError) in try command.runGate(.refund) },
    help: { refundHelp })

  private static var refundHelp: ToolHelp {
    ToolHelp(
      synopsis: [
        "--transaction ID [--credits N | --unused] [--price DECIMAL] [--reason TEXT]",
        "--authorization ID [--credits N] [--reason TEXT]",
        "--account NAME --key KEY [--credits N] [--reason TEXT]",
        "< requests",
      ],
      description: """
        Takes back what a purchase granted, or gives back what a charge took, once each.
        Running it again gives the same answer plus `"replayed":true`.
        """,
      examples: [
        Example(
          "Half of the money was given back:",
          "credit-refund --transaction 2000000123 --credits 500 --get creditsRefunded",
          output: "500"),
        Example(
          "Credits were taken back, but only a part of the money went back:",
          "credit-refund --transaction 2000000124 --price 3.00 --get refundedPrice",
          output: "3.00"),
        Example(
          "Half of the answer was useful:",
          "credit-refund --authorization \"$id\" --credits 6 --get creditsRefunded",
          output: "6"),
        Example(
          "The shop gave the money back, all of it or the rest:",
          "credit-refund --transaction 2000000123 --reason chargeback"),
        Example(
          "The answer was useless; the customer gets the credits back:",
          "credit-refund --authorization \"$id\" --reason complaint --get newBalance"),
      ],
      errors: [
        .idempotencyConflict, .authorizationNotCharged, .transactionNotCompleted,
        .unknownAuthorization, .unknownTransaction, .limitExceeded, .amountOutOfRange,
        .cannotCreate,
      ])
  }
}
