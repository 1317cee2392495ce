package import CreditModel

/// The forms in which StoreKit's own news is a request.
package enum StoreKitForm: Equatable {
  case signedTransaction(String)
  /// A transaction in unsigned JSON; nil if it is the request itself.
  case transaction(String?)
  /// A signed notification of the App Store's server.
  case signedNotification(String)

  /// The members, and the flag, for the token that a transaction must have.
  static let accountTokens: [StaticString] = ["appAccountToken", "app_account_token"]

  /// Whether the request's members are the transaction's own.
  var isRequestItself: Bool { self == .transaction(nil) }
}

extension RequestReader {
  static let transactionTexts: [StaticString] = [
    "signedTransactionInfo", "signed_transaction_info", "jwsRepresentation", "jws_representation",
    "transactionData", "transaction_data",
  ]
  static let notificationTexts: [StaticString] = ["signedPayload", "signed_payload"]
  static let ownIDs: [StaticString] = [
    "transactionId", "transaction_id", "originalTransactionId", "original_transaction_id",
  ]

  /// Returns the request's StoreKit form; nil for a request of our own.
  /// - Throws: `invalid_request` if it has more than one form, or members of our own for the grant
  ///   or its key.
  package func storeKitForm() throws(CreditError) -> StoreKitForm? {
    guard source.value != nil else { return nil }
    var forms: [StoreKitForm] = []
    for key in Self.transactionTexts {
      guard let text = try signedText(key) else { continue }
      forms.append(Self.isObject(text) ? .transaction(text) : .signedTransaction(text))
    }
    for key in Self.notificationTexts {
      if let text = try signedText(key) { forms.append(.signedNotification(text)) }
    }
    if forms.isEmpty, Self.ownIDs.contains(where: { member($0) != nil }) {
      forms.append(.transaction(nil))
    }
    guard let form = forms.first else { return nil }
    guard forms.count == 1 else {
      throw Self.invalid("a request takes one transaction or notification of StoreKit's, not two")
    }
    for key in ["credits", "to", "transaction", "key"] as [StaticString]
    where member(key) != nil || flags.has(key) {
      throw Self.invalid("a transaction of StoreKit's takes no \(key): it says itself what it is")
    }
    return form
  }

  private func signedText(_ key: StaticString) throws(CreditError) -> String? {
    guard let member = member(key) else { return nil }
    guard let text = member.string else { throw Self.invalid("\(key) must be text") }
    return text
  }

  private static func isObject(_ text: String) -> Bool {
    text.utf8.first { !$0.isJSONSpace } == UInt8(ascii: "{")
  }

  /// Returns a transaction's request, with further members of the request or the flags.
  /// - Throws: `invalid_request` if those contradict the transaction.
  package func storeKitRequest(
    _ transaction: StoreKitTransaction, _ form: StoreKitForm, under policy: Policy, isStrict: Bool
  ) throws(CreditError) -> StoreKitRequest {
    let time = try time(under: policy)
    var transaction = transaction
    let beside = MembersBeside(reader: self, isFlagsOnly: form.isRequestItself)
    try beside.check(transaction)
    transaction.price = try beside.price(of: transaction)
    transaction.currency = try beside.currency(of: transaction)
    let effect: StoreKitRequest.Effect = transaction.revokedShare.map { .takeBack($0) } ?? .grant
    var request = StoreKitRequest(effect, transaction, time: time)
    request.account = try name("account", limit: Name.accountLimit)
    request.reason = try name("reason", limit: 1024)?.text
    request.tags = try tags()
    request.below = try integer("below", in: Int64.min...Int64.max)
    request.isStrict = isStrict
    return request
  }

  /// Returns the time of the request, if it has one.
  package func storeKitTime(under policy: Policy) throws(CreditError) -> Timestamp? {
    try time(under: policy)
  }
}

/// The members beside a transaction of StoreKit's. They may repeat its members, and add others for
/// the record.
private struct MembersBeside {
  let reader: RequestReader
  /// True if the request's members are the transaction's. Then only flags are beside it.
  let isFlagsOnly: Bool

  private func text(_ key: StaticString) throws(CreditError) -> String? {
    if !isFlagsOnly { return try reader.text(key) }
    if case .text(let text) = reader.flags[key] { return text }
    return nil
  }

  private func quantity() throws(CreditError) -> Int64? {
    if !isFlagsOnly { return try reader.integer("quantity", in: 1...Int64.max) }
    if case .integer(let count) = reader.flags["quantity"] { return count }
    return nil
  }

  func check(_ transaction: StoreKitTransaction) throws(CreditError) {
    for key in ["product", "product_id", "productId"] as [StaticString] {
      let isOwn = isFlagsOnly && key.description != "product"
      guard !isOwn, let product = try reader.text(key) else { continue }
      try agree(Name(trusted: product) == transaction.productID, key)
    }
    try agree(try quantity() ?? transaction.quantity == transaction.quantity, "quantity")
    let type = try text("type") ?? "purchase"
    try agree(
      type == "purchase" || type == "subscription" && transaction.period != nil, "type")
    try agree(try reader.text("status") ?? "completed" == "completed", "status")
    for key in ["expiresAt", "expiresIn"] as [StaticString] {
      guard reader.member(key) == nil, !reader.flags.has(key) else {
        throw RequestReader.invalid("\(key) goes with no transaction of StoreKit's")
      }
    }
    for key in StoreKitForm.accountTokens {
      guard let token = try text(key) else { continue }
      try agree(Self.isSameToken(token, transaction.accountToken), key)
    }
  }

  /// UUIDs are the same in either case.
  private static func isSameToken(_ token: String, _ other: Name?) -> Bool {
    other.map { $0.text.lowercased() == token.lowercased() } ?? false
  }

  func price(of transaction: StoreKitTransaction) throws(CreditError) -> String? {
    var beside: String?
    if isFlagsOnly {
      beside = try text("price")
    } else {
      beside = try reader.price()
    }
    guard let beside, let number = ExactDecimal(text: beside) else { return transaction.price }
    guard let own = transaction.price else { return number.text }
    try agree(ExactDecimal(text: own) == number, "price")
    return own
  }

  func currency(of transaction: StoreKitTransaction) throws(CreditError) -> String? {
    guard let beside = try text("currency") else { return transaction.currency }
    try agree(transaction.currency ?? beside == beside, "currency")
    guard CurrencyCode.isValid(beside) else {
      throw RequestReader.invalid("currency \(CurrencyCode.problem)")
    }
    return beside
  }

  private func agree(_ isSame: Bool, _ key: StaticString) throws(CreditError) {
    if isSame { return }
    throw RequestReader.invalid("\(key) is not what the transaction says")
  }
}
