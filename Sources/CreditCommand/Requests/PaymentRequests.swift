internal import CreditJSON
internal import CreditModel
internal import CreditPayments
internal import CreditStore

/// Reads and verifies the requests that payment providers and StoreKit make.
final class PaymentRequests {
  private let store: any Store
  private let command: Command
  /// Made for the first news of StoreKit's: no other request needs it.
  private(set) lazy var storeKit = StoreKitService(
    path: try? command.host.environment("PATH"),
    root: { [store, command] file throws(CreditError) in
      try RootCertificate.load(file, in: store.policyFolder, command.host.system)
    })

  init(_ store: any Store, _ command: Command) {
    self.store = store
    self.command = command
  }

  /// The request that a provider's event makes.
  /// - Parameter body: all of standard input, raw.
  /// - Throws: `unverified_transaction`, `invalid_request`, `invalid_json`, `invalid_policy`,
  ///   `unknown_product`.
  func event(_ body: [UInt8], under policy: Policy) throws(CreditError) -> PaymentRequest {
    let now = command.settings.now
    let clock = policy.clockIsSimulated ? now : nil
    var request = try events(of: policy.payments).request(
      try delivery(body), of: command.settings.arguments[.event], at: clock ?? store.systemTime)
    request.time = now
    request.account = try command.settings.account()
    try request.checkAccount()
    return request
  }

  /// Checks that each source's secrets can be read.
  /// - Returns: false if this machine has no folder for them, as it receives no events.
  /// - Throws: `invalid_policy`, `permission_denied`, `io_error`.
  func checkSecrets(of sources: [PaymentSource]) throws(CreditError) -> Bool {
    if sources.isEmpty { return true }
    if folder == nil { return false }
    try events(of: sources).checkSecrets()
    return true
  }

  private func events(of sources: [PaymentSource]) -> PaymentEvents {
    PaymentEvents(of: sources) { file, place throws(CreditError) in
      guard let folder = self.folder else {
        throw CreditError(
          .invalidPolicy,
          "\(place) is in the folder $CREDIT_EVENT_SECRETS of this machine, which is not set",
          [.path(place)])
      }
      return try EventSecrets.load(file, in: folder, at: place, self.command.host.system)
    }
  }

  /// The folder of the secrets: the policy's folder, or for a policy on a server the one that this
  /// machine's `CREDIT_EVENT_SECRETS` names.
  private var folder: String? {
    guard command.settings.store?.isURL == true else { return store.policyFolder }
    let folder = try? command.host.environment("CREDIT_EVENT_SECRETS")
    return folder?.isEmpty == true ? nil : folder
  }

  private func delivery(_ body: [UInt8]) throws(CreditError) -> EventDelivery {
    guard body.count <= EventDelivery.byteLimit else {
      throw .invalidRequest("an event has at most \(EventDelivery.byteLimit >> 20) MiB")
    }
    var delivery = EventDelivery(body: body)
    for line in command.settings.arguments[.header] { delivery.addHeader(line) }
    guard let file = command.settings.arguments[.headers] else { return delivery }
    let text = try InputFile.read(file, command.host.system)
    guard text.count <= EventDelivery.byteLimit else {
      throw CreditError(.invalidRequest, "the headers are longer than 1 MiB")
    }
    for line in text.split(separator: UInt8(ascii: "\n")) {
      // A request line or an empty one is not a header.
      delivery.addHeader(String(decoding: line, as: UTF8.self))
    }
    return delivery
  }
}

extension Currency {
  /// A sentence on a recorded price that does not fit its currency; nil for one that does.
  static func remark(on price: ExactDecimal?, in currency: String) -> String? {
    problem(of: price, in: currency).map { "\($0); it is recorded as given" }
  }
}

extension Command {
  /// Checks an event, and prints its subject, without writing to the store.
  func verifyEvent(_ store: any Store) throws(UsageError) {
    try requireInput()
    printLines { output throws(CreditError) in
      let body = try RequestInput.readResponse(host.streams)
      let policy = try store.policy()
      var request = try PaymentRequests(store, self).event(body, under: policy)
      for sentence in try request.settle(under: policy) { output.errors.remark(sentence) }
      output.print { $0.verified(request) }
    }
  }
}

/// Names of StoreKit's news in a request, as Apple and its clients give them.
enum StoreKitMember {
  static let transactionTexts: [MemberName] = [
    "signedTransactionInfo", "signed_transaction_info", "jwsRepresentation", "jws_representation",
    "transactionData", "transaction_data",
  ]
  static let notificationTexts: [MemberName] = ["signedPayload", "signed_payload"]
  static let ownIDs: [MemberName] = [
    "transactionId", "transaction_id", "originalTransactionId", "original_transaction_id",
  ]
  static let products: [MemberName] = ["product_id", "productId"]
}

extension RequestReader {
  /// Lists the members of StoreKit's news, with the names of StoreKitMember.
  /// - Returns: the token that a transaction must carry, by its other name.
  func storeKitMembers() throws(CreditError) -> String? {
    if !isListing { return try foreignText("app_account_token") }
    for name in StoreKitMember.transactionTexts + StoreKitMember.notificationTexts
      + ["app_account_token"] + StoreKitMember.products
    {
      list?.add(name.text, .value(.text))
    }
    for name in StoreKitMember.ownIDs {
      list?.add(name.text, .anyOf([.value(.text), .value(.integer)]))
    }
    return nil
  }

  fileprivate func foreignText(_ name: MemberName) throws(CreditError) -> String? {
    try own(name)?.text(of: "\(name.text)")
  }

  /// Returns the request's StoreKit form; nil for a request of our own.
  /// - Throws: `invalid_request` if it has more than one form, or members of our own for the grant
  ///   or its key.
  func storeKitForm() throws(CreditError) -> StoreKitForm? {
    guard source.value != nil else { return nil }
    var forms: [StoreKitForm] = []
    for name in StoreKitMember.transactionTexts {
      if let text = try foreignText(name) { forms.append(StoreKitForm(transaction: text)) }
    }
    for name in StoreKitMember.notificationTexts {
      if let text = try foreignText(name) { forms.append(.signedNotification(text)) }
    }
    if forms.isEmpty, StoreKitMember.ownIDs.contains(where: { own($0) != nil }) {
      forms.append(.transaction(nil))
    }
    guard let form = forms.first else { return nil }
    guard forms.count == 1 else {
      throw .invalidRequest("a request holds one StoreKit transaction or notification, not two")
    }
    for (name, flag) in [
      ("credits", .credits), ("to", .grantTo), ("transaction", .transaction), ("key", .key),
    ] as [(MemberName, Flag)] where has(name, flag) {
      throw .invalidRequest(
        "a StoreKit transaction takes no \(name.text): it states what was bought; the id of a "
          + "sale elsewhere is the member \"transaction\"")
    }
    return form
  }

  /// Returns the request of StoreKit's news, with further members of the request or the flags; nil
  /// for a request of our own.
  /// - Parameters:
  ///   - systemTime: the signing time of news without one.
  ///   - waiting: waits until no store is locked, as `openssl` may be run.
  /// - Throws: `unverified_transaction`, `unavailable`, `invalid_policy`, `invalid_request`, the
  ///   last also if the members contradict the transaction.
  func storeKit(
    _ service: @autoclosure () -> StoreKitService, under policy: Policy, systemTime: Timestamp,
    isStrict: Bool, waiting: () -> Void
  ) throws(CreditError) -> GateRequest? {
    guard let form = try storeKitForm() else { return nil }
    waiting()
    let time = try time()
    let news = try service().request(form, source.value, under: policy, at: time ?? systemTime)
    guard case .storeKit(var request) = news else { return news }
    request.time = time
    request.isStrict = isStrict
    let beside = MembersBeside(reader: self, isFlagsAlone: form == .transaction(nil))
    try beside.check(request.transaction)
    request.transaction.price = try beside.price(of: request.transaction)
    request.transaction.currency = try beside.currency(of: request.transaction)
    request.account = try account()
    request.reason = try reason()
    request.tags = try tags()
    request.below = try integer("below", .grantBelow)
    return .storeKit(request)
  }
}

/// The members beside a transaction of StoreKit's. They may repeat its members, and add others for
/// the record.
private struct MembersBeside {
  let reader: RequestReader
  let isFlagsAlone: Bool
  /// Reads the other members: flags alone if the request's members are the transaction's.
  private var beside: RequestReader { isFlagsAlone ? reader.ofFlags : reader }

  func check(_ transaction: StoreKitTransaction) throws(CreditError) {
    try agree(on: "product", try reader.text("product", .product)) {
      Name(trusted: $0) == transaction.productID
    }
    for name in StoreKitMember.products {
      try agree(on: name.text, try beside.foreignText(name)) {
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
      as [(MemberName, Flag)] where reader.has(name, flag)
    {
      throw .invalidRequest("\(name.text) cannot be given beside a StoreKit transaction")
    }
    // UUIDs are the same in either case.
    let own = transaction.accountToken?.text.lowercased()
    try agree(on: "appAccountToken", try beside.text("appAccountToken", .appAccountToken)) {
      $0.lowercased() == own
    }
    try agree(on: "app_account_token", try beside.foreignText("app_account_token")) {
      $0.lowercased() == own
    }
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
    throw .invalidRequest("\(name) differs from the transaction")
  }
}
