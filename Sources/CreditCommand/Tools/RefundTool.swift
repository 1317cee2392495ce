internal import CreditModel

extension Tool {
  /// `credit-refund`: takes a purchase back, or gives a charge back.
  package static let refund = Tool(
    .refund,
    summary: "Take a purchase back, or give a charge back",
    options: [
      Option(
        "transaction", .text, "ID", member: "transaction", group: .request,
        "The purchase whose credits to take back"),
      Option(
        "authorization", .text, "ID", member: "authorization", group: .request,
        "The charge whose credits to give back"),
      Option("reason", .text, "TEXT", member: "reason", group: .request, "Why, for the record"),
    ],
    exclusions: [Exclusion("transaction", ["authorization"])],
    wholeRequests: [RequestForm(["transaction", "authorization"])],
    manual: { refundManual })

  private static var refundManual: Manual {
    Manual(
      synopsis: [
        "--transaction ID [--reason TEXT]",
        "--authorization ID [--reason TEXT]",
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
            `refunded`. One that is not completed is `transaction_not_completed`.
            """),
          Term(
            "`--authorization`",
            """
            The credits go back to the buckets they came from. What came from a bucket that has
            expired since is forfeited, and counted in `creditsForfeited`. One that was not
            charged is `authorization_not_charged`.
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
          "The shop gave the money back:",
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
