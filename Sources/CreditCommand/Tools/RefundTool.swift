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
      throw .invalidRequest("price needs transaction: a charge was paid in credits")
    }
    if isUnused, transaction == nil || credits != nil {
      throw .invalidRequest("unused needs transaction, and cannot be given with credits")
    }
    var request = RefundRequest(
      reference: reference, account: owner, credits: credits, price: price, reason: reason,
      time: time)
    request.isUnused = isUnused
    return .refund(request)
  }
}

extension Tool {
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
    run: { command throws(UsageError) in try command.runGate() })
}
