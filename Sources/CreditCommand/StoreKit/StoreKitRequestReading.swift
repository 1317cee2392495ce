internal import CreditJSON
internal import CreditModel

/// The forms in which StoreKit's own news is a request.
enum StoreKitForm: Equatable {
  /// A signed transaction.
  case signedTransaction(String)
  /// A transaction in unsigned JSON; nil if it is the request itself.
  case transaction(String?)
  /// A signed notification of the App Store's server.
  case signedNotification(String)

  /// Whether the request's members are the transaction's own.
  var isRequestItself: Bool { self == .transaction(nil) }

  fileprivate static let transactionTexts: [StaticString] = [
    "signedTransactionInfo", "signed_transaction_info", "jwsRepresentation", "jws_representation",
    "transactionData", "transaction_data",
  ]
  fileprivate static let notificationTexts: [StaticString] = ["signedPayload", "signed_payload"]
  fileprivate static let ownIDs: [StaticString] = [
    "transactionId", "transaction_id", "originalTransactionId", "original_transaction_id",
  ]
}

extension RequestReader {
  /// Lists the members of StoreKit's news, by the names that Apple and its clients give them.
  /// - Returns: the token that a transaction must carry, by its other name.
  func storeKitMembers() throws(CreditError) -> String? {
    if !isListing { return try foreignText("app_account_token") }
    for name in StoreKitForm.transactionTexts + StoreKitForm.notificationTexts
      + ["app_account_token", "product_id", "productId"]
    {
      list?.add(name, .value(.text))
    }
    for name in StoreKitForm.ownIDs {
      list?.add(name, .anyOf([.value(.text), .value(.integer)]))
    }
    return nil
  }

  fileprivate func foreignText(_ name: StaticString) throws(CreditError) -> String? {
    guard let member = own(name) else { return nil }
    guard let text = member.string else { throw .invalidRequest("\(name) must be text") }
    return text
  }
}

extension RequestReader {
  /// Returns the request's StoreKit form; nil for a request of our own.
  /// - Throws: `invalid_request` if it has more than one form, or members of our own for the grant
  ///   or its key.
  func storeKitForm() throws(CreditError) -> StoreKitForm? {
    guard source.value != nil else { return nil }
    var forms: [StoreKitForm] = []
    for name in StoreKitForm.transactionTexts {
      guard let text = try foreignText(name) else { continue }
      forms.append(Self.isObject(text) ? .transaction(text) : .signedTransaction(text))
    }
    for name in StoreKitForm.notificationTexts {
      if let text = try foreignText(name) { forms.append(.signedNotification(text)) }
    }
    if forms.isEmpty, StoreKitForm.ownIDs.contains(where: { own($0) != nil }) {
      forms.append(.transaction(nil))
    }
    guard let form = forms.first else { return nil }
    guard forms.count == 1 else {
      throw .invalidRequest(
        "a request takes one transaction or notification of StoreKit's, not two")
    }
    for (name, flag) in [
      ("credits", .credits), ("to", .grantTo), ("transaction", .transaction), ("key", .key),
    ] as [(StaticString, Flag)] where has(name, flag) {
      throw .invalidRequest(
        "a transaction of StoreKit's takes no \(name): it says itself what it is")
    }
    return form
  }

  private static func isObject(_ text: String) -> Bool {
    text.utf8.first { !$0.isJSONSpace } == UInt8(ascii: "{")
  }

  /// Returns a transaction's request, with further members of the request or the flags.
  /// - Throws: `invalid_request` if those contradict the transaction.
  func storeKitRequest(
    _ transaction: StoreKitTransaction, _ form: StoreKitForm, isStrict: Bool
  ) throws(CreditError) -> StoreKitRequest {
    let time = try time()
    var transaction = transaction
    let beside = MembersBeside(self, isFlagsAlone: form.isRequestItself)
    try beside.check(transaction)
    transaction.price = try beside.price(of: transaction)
    transaction.currency = try beside.currency(of: transaction)
    let effect: StoreKitRequest.Effect = transaction.revokedShare.map { .takeBack($0) } ?? .grant
    var request = StoreKitRequest(effect, transaction, time: time)
    request.account = try account()
    request.reason = try reason()
    request.tags = try tags()
    request.below = try integer("below", .grantBelow)
    request.isStrict = isStrict
    return request
  }
}

/// The members beside a transaction of StoreKit's. They may repeat its members, and add others for
/// the record.
private struct MembersBeside {
  private let reader: RequestReader
  /// Reads the other members: flags alone if the request's members are the transaction's.
  private let beside: RequestReader
  private let isFlagsAlone: Bool

  init(_ reader: RequestReader, isFlagsAlone: Bool) {
    self.reader = reader
    self.isFlagsAlone = isFlagsAlone
    beside = isFlagsAlone ? reader.ofFlags : reader
  }

  func check(_ transaction: StoreKitTransaction) throws(CreditError) {
    try agree(on: "product", try reader.text("product", .product)) {
      Name(trusted: $0) == transaction.productID
    }
    for name in ["product_id", "productId"] as [StaticString] {
      try agree(on: name, try beside.foreignText(name)) {
        Name(trusted: $0) == transaction.productID
      }
    }
    let quantity =
      isFlagsAlone
      ? reader.context?.flags.arguments[.quantity]
      : try reader.integer("quantity", .quantity, in: 1...Int64.max)
    try agree(on: "quantity", quantity) { $0 == transaction.quantity }
    try agree(on: "type", try beside.text("type", .grantType)) {
      $0 == "purchase" || $0 == "subscription" && transaction.period != nil
    }
    try agree(on: "status", try reader.text("status", .paymentStatus)) { $0 == "completed" }
    for (name, flag) in [("expiresAt", .expiresAt), ("expiresIn", .grantExpiresIn)]
      as [(StaticString, Flag)] where reader.has(name, flag)
    {
      throw .invalidRequest("\(name) goes with no transaction of StoreKit's")
    }
    try agree(on: "appAccountToken", try beside.text("appAccountToken", .appAccountToken)) {
      Self.isSameToken($0, transaction.accountToken)
    }
    try agree(on: "app_account_token", try beside.foreignText("app_account_token")) {
      Self.isSameToken($0, transaction.accountToken)
    }
  }

  /// UUIDs are the same in either case.
  private static func isSameToken(_ token: String, _ other: Name?) -> Bool {
    other.map { $0.text.lowercased() == token.lowercased() } ?? false
  }

  func price(of transaction: StoreKitTransaction) throws(CreditError) -> String? {
    let price =
      isFlagsAlone
      ? try beside.uncheckedPrice(.price) : try reader.price(.price)
    guard let price, let number = ExactDecimal(text: price) else { return transaction.price }
    guard let own = transaction.price else { return number.text }
    try agree(on: "price", number) { ExactDecimal(text: own) == $0 }
    return own
  }

  func currency(of transaction: StoreKitTransaction) throws(CreditError) -> String? {
    guard let currency = try beside.text("currency", .currency) else { return transaction.currency }
    try agree(on: "currency", transaction.currency) { $0 == currency }
    guard CurrencyCode.isValid(currency) else {
      throw .invalidRequest("currency \(CurrencyCode.problem)")
    }
    return currency
  }

  /// Refuses a value beside the transaction that says something else.
  private func agree<Value>(
    on name: StaticString, _ value: Value?, _ isSame: (Value) -> Bool
  ) throws(CreditError) {
    if value.map(isSame) ?? true { return }
    throw .invalidRequest("\(name) is not what the transaction says")
  }
}
