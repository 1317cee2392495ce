internal import CreditModel

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
        "How many of the purchase's credits are refunded in all",
        detail: """
          All of them if not given. The same number again is the same answer, more takes the
          difference, less is `idempotency_conflict`, and more than was granted `invalid_request`.
          """),
      .reason,
    ] + Flag.common,
    exclusions: [
      Exclusion(.transaction, [.authorization, .key]),
      Exclusion(.credits, [.authorization, .key]),
    ],
    wholeRequests: [
      CommandForm([.transaction, .authorization]), CommandForm([.account], [.key]),
    ],
    run: { command throws(UsageError) in try command.runGate(.refund) },
    manual: { refundManual })

  private static var refundManual: Manual {
    Manual(
      synopsis: [
        "--transaction ID [--credits N] [--reason TEXT]",
        "--authorization ID [--reason TEXT]",
        "--account NAME --key KEY [--reason TEXT]",
        "< requests",
      ],
      description: [
        .text(
          """
          Takes back what a purchase granted, or gives back what a charge took, once each.
          Running it again gives the same answer plus `"replayed":true`.
          """),
        .terms([
          Term(
            "`--transaction`",
            """
            The credits are taken from the purchased ones, then in the order in which credits are
            used up, then as debt, whatever the policy says of overdrafts; the transaction becomes
            `refunded`, from the first part on. One that is not completed is
            `transaction_not_completed`.
            """),
          Term(
            "`--authorization`, or `--account` and `--key`",
            """
            The credits go back to the buckets they came from; a quota's to the present quota,
            another plan's too, as far as that is used. What came from a bucket that has expired
            since, or finds no quota, is forfeited, and counted in `creditsForfeited`. One that
            was not charged is `authorization_not_charged`, and a key that was never charged
            `unknown_authorization`. Of a charge that was corrected the present credits go back.
            """),
        ]),
        .text(
          """
          The answer has the transaction or the authorization, `creditsRefunded`,
          `creditsForfeited` if there are any, and `newBalance`.
          """),
      ],
      examples: [
        Example(
          "Half of the money was given back:",
          "credit-refund --transaction 2000000123 --credits 500 --get creditsRefunded",
          output: "500"),
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
      ],
      seeAlso: ["credit-topup", "credit-charge", "credit-history"])
  }
}
