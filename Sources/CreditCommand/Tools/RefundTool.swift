internal import CreditModel

extension Flag {
  fileprivate static let purchase = transaction.worded("The purchase whose credits to take back")

  fileprivate static let refundedCharge = authorization.worded(
    "The charge whose credits to give back", as: .authorization(.charge))

  fileprivate static let refundAccount = account.worded(
    "The account of the key: default if not given")

  fileprivate static let refundedKey = key.worded(
    "The key of the direct charge whose credits to give back")

  fileprivate static let refundedCredits = credits.worded(
    "How many of its credits are refunded in all")

  fileprivate static let refundedPrice = price.worded(
    "What was paid back, in the currency of the purchase: 4.99")

  static let unused = Switch(
    "unused", group: .request, "Take back what is left of a grant, and no more")
}

extension RequestReader {
  func refund() throws(CreditError) -> GateRequest? {
    let transaction = try name("transaction", .purchase)
    let authorization = try authorization(.refundedCharge)
    let account = try account(.refundAccount)
    // As with charges, a key beside an authorization is passed over.
    let key = authorization == nil ? try name("key", .refundedKey) : nil
    let credits = try integer("credits", .refundedCredits, in: 1...Int64.max)
    let price = try price(.refundedPrice).flatMap(ExactDecimal.init(text:))
    let isUnused = try truth("unused", .unused) ?? false
    let reason = try reason()
    let time = try time()
    if isListing { return nil }
    let reference: RefundRequest.Reference =
      switch (transaction, authorization, key) {
      case (let id?, nil, nil): .transaction(id)
      case (nil, let charge?, _): .authorization(charge.id)
      case (nil, nil, let key?): .key(key, account: account ?? .defaultAccount)
      case (nil, nil, nil):
        throw .invalidRequest(
          "a refund needs the transaction, or the authorization or key of the charge, to give back")
      case (_?, _, _):
        throw .invalidRequest(
          "a refund takes a transaction, an authorization or a key, not two of them")
      }
    let owner = try authorization?.owner(or: account) ?? account
    if price != nil, transaction == nil {
      throw .invalidRequest("price goes with transaction: a charge was paid in credits")
    }
    if isUnused, transaction == nil || credits != nil {
      throw .invalidRequest("unused goes with transaction, and not with credits")
    }
    var request = RefundRequest(
      reference: reference, account: owner, credits: credits, price: price, reason: reason,
      time: time)
    request.isUnused = isUnused
    return .refund(request)
  }
}

extension Tool {
  /// `credit-refund`: takes a purchase back, or gives a charge back.
  public static let refund = Tool(
    .refund,
    summary: "Take a purchase back, or give a charge back",
    request: { reader throws(CreditError) in _ = try reader.refund() },
    flags: [.dryRun] + Flag.common,
    exclusions: [
      Exclusion(.transaction, [.authorization, .key]),
      Exclusion(.unused, [.authorization, .key, .credits]),
      Exclusion(.price, [.authorization, .key]),
    ],
    wholeRequests: [
      CommandForm([.transaction, .authorization]), CommandForm([.account], [.key]),
    ],
    run: { command throws(UsageError) in try command.runGate() },
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
