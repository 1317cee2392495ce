internal import CreditJSON
public import CreditModel

/// The body of an event whose signature was verified.
struct EventBody {
  let root: JSONValue
  /// The object of the event, such as Stripe's `data.object`.
  let object: JSONValue
  let source: PaymentSource

  // MARK: Members by their paths

  /// Returns a value of the object; nil if it is absent or null.
  func value(_ path: String) -> JSONValue? { Self.present(path, in: object) }

  private static func present(_ path: String, in start: JSONValue) -> JSONValue? {
    start.descendant(path).flatMap { $0.isNull ? nil : $0 }
  }

  /// Returns the elements of a list, as objects of the same event.
  func parts(_ path: String) throws(CreditError) -> [EventBody] {
    guard let list = value(path), list.kind == .array else { throw wrong(path) }
    return list.elements.map { EventBody(root: root, object: $0, source: source) }
  }

  /// Returns an object of the same event.
  func object(_ path: String) throws(CreditError) -> EventBody {
    guard let value = value(path), value.isObject else { throw wrong(path) }
    return EventBody(root: root, object: value, source: source)
  }

  /// Returns text, or an integer as text, at the first path with a value.
  /// - Parameter anywhere: true to search the whole body if the object has no value there: the
  ///   policy may name its path in either.
  func text(_ paths: [String], limit: Int = Name.idLimit, anywhere: Bool = false)
    throws(CreditError) -> String?
  {
    for path in paths {
      let found = value(path) ?? (anywhere ? Self.present(path, in: root) : nil)
      guard let value = found else { continue }
      let text = value.string ?? value.int64.map(String.init)
      guard let text, Name.problem(with: text, limit: limit) == nil else { throw wrong(path) }
      return text
    }
    return nil
  }

  func name(_ path: String) throws(CreditError) -> Name {
    guard let text = try text([path]) else { throw wrong(path) }
    return Name(trusted: text)
  }

  /// Returns an id, or an expanded object's id, at the first path with a value.
  func id(_ paths: String...) throws(CreditError) -> Name? {
    for path in paths {
      if let value = value(path) { return try name(value.isObject ? path + ".id" : path) }
    }
    return nil
  }

  /// Returns the other ids of a sale at any of the paths.
  func others(than own: Name, _ paths: String...) throws(CreditError) -> [Name] {
    var others: [Name] = []
    for path in paths {
      if let id = try id(path), id != own, !others.contains(id) { others.append(id) }
    }
    return others
  }

  /// The id of a part: that of its whole, and its own.
  func id(ofPart path: String, of whole: Name) throws(CreditError) -> Name {
    let text = "\(whole.text)/\(try name(path).text)"
    guard Name.problem(with: text, limit: Name.idLimit) == nil else { throw wrong(path) }
    return Name(trusted: text)
  }

  /// Returns an amount in minor units at the first path that exists; but for Stripe also its text.
  ///
  /// Null is an error, as no other member has the amount.
  func amount(_ paths: [String]) throws(CreditError) -> Int64 {
    let place = paths.first { object.descendant($0) != nil } ?? paths.first ?? ""
    let value = value(place)
    let text = source.format == .stripe ? nil : value?.string
    let number = value?.int64 ?? text.flatMap { Int64($0) }
    guard let number, (0...Self.amountLimit).contains(number) else { throw wrong(place) }
    return number
  }

  /// Returns an amount that may be a credit.
  func signedAmount(_ path: String) throws(CreditError) -> Int64 {
    guard let number = value(path)?.int64, number.magnitude <= Self.amountLimit else {
      throw wrong(path)
    }
    return number
  }

  static let amountLimit: Int64 = 1 << 53

  /// A time in seconds since 1970.
  func seconds(_ path: String) throws(CreditError) -> Timestamp {
    guard let seconds = value(path)?.int64, Self.times.contains(seconds) else { throw wrong(path) }
    return Timestamp(milliseconds: seconds * 1000)
  }

  /// A time in milliseconds since 1970.
  func milliseconds(_ path: String) throws(CreditError) -> Timestamp {
    guard let time = value(path)?.int64, time >= 0, Self.times.contains(time / 1000) else {
      throw wrong(path)
    }
    return Timestamp(milliseconds: time)
  }

  /// Until the end of the year 9999.
  private static let times: ClosedRange<Int64> = 0...253_402_300_799

  /// Returns a time in the form of RFC 3339.
  func time(_ path: String) throws(CreditError) -> Timestamp {
    guard let time = value(path)?.timestamp() else { throw wrong(path) }
    return time
  }

  func currency(_ paths: [String]) throws(CreditError) -> String {
    guard let code = try text(paths)?.uppercased(), CurrencyCode.isValid(code) else {
      throw wrong(paths.joined(separator: ", "))
    }
    return code
  }

  func refundedCurrency(_ paths: [String]) throws(CreditError) -> String? {
    try paths.contains { value($0) != nil } ? currency(paths) : nil
  }

  func wrong(_ path: String) -> CreditError {
    CreditError(
      .invalidRequest, "the event's \(path) is missing, or of the wrong kind",
      [.path(path)])
  }

  // MARK: Paths by the policy

  func account(_ paths: [String]) throws(CreditError) -> Name? {
    try text(accountPaths(paths), limit: Name.accountLimit, anywhere: true)
      .map(Name.init(trusted:))
  }

  /// Returns the paths that may name an account. They are the policy's, or else some of the object.
  /// - Parameter name: the object's name, for a message.
  func accountPaths(_ paths: [String], of name: String? = nil) -> [String] {
    if !source.accountFrom.isEmpty { return source.accountFrom }
    return name.map { name in paths.map { "\(name).\($0)" } } ?? paths
  }

  /// Returns other paths with text, which may name the account.
  /// - Parameters:
  ///   - folders: of objects whose members are the shop's own.
  ///   - others: of single members.
  func otherAccountPaths(folders: [String], _ others: [String]) -> [String] {
    var paths: [String] = []
    for folder in folders {
      guard let members = value(folder)?.members else { continue }
      for (name, value) in members {
        guard let name = name.string, value.string?.isEmpty == false || value.int64 != nil,
          !["product", "quantity"].contains(name)
        else { continue }
        paths.append("\(folder).\(name)")
      }
    }
    paths += others.filter { (value($0)?.string ?? "").isEmpty == false }
    return paths.filter { !source.accountFrom.contains($0) && !source.productFrom.contains($0) }
  }

  func product(_ paths: [String]) throws(CreditError) -> Name? {
    try text(productPaths(paths), anywhere: true).map(source.product)
  }

  func productPaths(_ paths: [String]) -> [String] {
    source.productFrom.isEmpty ? paths : source.productFrom
  }

  func quantity(_ paths: [String]) throws(CreditError) -> Int64 {
    try count(source.quantityFrom.isEmpty ? paths : source.quantityFrom)
  }

  /// Returns the quantity of a line or an item. The part itself has it if the policy's paths lead
  /// to no value in it or in the object.
  func quantity(of part: EventBody) throws(CreditError) -> Int64 {
    for body in [part, self] where try body.text(source.quantityFrom, anywhere: true) != nil {
      return try body.count(source.quantityFrom)
    }
    return try part.count(["quantity"])
  }

  private func count(_ paths: [String]) throws(CreditError) -> Int64 {
    guard let text = try text(paths, anywhere: true) else { return 1 }
    guard let count = Int64(text), count >= 1 else { throw wrong(paths.joined(separator: ", ")) }
    return count
  }

  /// Returns money in minor units as decimal text.
  func price(_ amount: Int64, in currency: String) -> String {
    let digits = digits(of: currency)
    return ExactDecimal(coefficient: Int128(max(0, amount)), scale: digits).text(atLeast: digits)
  }

  /// Returns the number of an amount's digits after the point: ISO's, with Stripe's exceptions.
  func digits(of currency: String) -> Int {
    switch (source.format, currency) {
    case (.stripe, "MGA"): 0
    case (.stripe, "ISK"), (.stripe, "UGX"): 2
    default: Currency.minorDigits(of: currency)
    }
  }
}

public enum EventReader {
  /// Reads the request of a verified body.
  /// - Throws: `invalid_json`, `invalid_request` with the path of a wrong member;
  ///   `unverified_transaction` for the wrong mode.
  public static func read(_ delivery: EventDelivery, of source: PaymentSource)
    throws(CreditError) -> PaymentRequest
  {
    let document: JSONDocument
    do {
      document = try JSONDocument(delivery.body)
    } catch {
      throw CreditError(malformed: error)
    }
    if let name = document.duplicateName {
      throw .invalidRequest("member \(quoted(name)) is twice in one object of the event")
    }
    return try document.withRoot { (root) throws(CreditError) in
      guard root.isObject else { throw CreditError(.invalidRequest, "the event is not an object") }
      let body = EventBody(root: root, object: root, source: source)
      do throws(CreditError) {
        switch source.format {
        case .stripe: return try StripeEvents.read(body)
        case .paddle: return try PaddleEvents.read(body)
        case .standard: return try StandardEvents.read(body, delivery.messageID)
        case .revenuecat: return try RevenueCatEvents.read(body)
        }
      } catch {
        throw EventSubject.named(error, body, delivery.messageID)
      }
    }
  }
}

/// Events that are signed by Standard Webhooks. Their bodies have `type` in common, and mostly
/// `timestamp` and `data`; the policy defines the rest.
///
/// Source: the Standard Webhooks specification (github.com/standard-webhooks/standard-webhooks).
enum StandardEvents {
  /// - Parameter message: the id of the message.
  static func read(_ body: EventBody, _ message: Name?) throws(CreditError) -> PaymentRequest {
    let type = try body.name("type").text
    let members = body.source.body
    let id = try body.text(members.idFrom.isEmpty ? ["data.id"] : members.idFrom)
    let time = (members.timeFrom + ["timestamp"]).first { body.value($0) != nil }
    let event = PaymentEvent(
      format: .standard, id: message ?? Name(trusted: id ?? type), type: type,
      at: try body.time(time ?? "timestamp"))
    guard let meaning = members.types[type] else {
      return PaymentRequest(event, reason: "unknown_type")
    }
    guard let id else { throw body.wrong("data.id") }
    let status: Transaction.Status?
    switch meaning {
    case .purchase, .subscription: status = .completed
    case .end: status = nil
    case .pending: status = .pending
    case .failed: status = .failed
    case .refund:
      let amount = try body.amount(members.refundedFrom)
      var change = PaymentChange(transaction: Name(trusted: id), .refunded(amount))
      change.paid = try body.amount(members.amountFrom)
      change.currency = try body.refundedCurrency(members.currencyFrom)
      return PaymentRequest(event, [change])
    }
    var request = try purchase(body, event, status, Name(trusted: id))
    if meaning == .subscription || meaning == .end {
      request.changes[0].period = try period(body, since: event)
    }
    return request
  }

  private static func period(_ body: EventBody, since event: PaymentEvent) throws(CreditError)
    -> PaidPeriod
  {
    let paths = body.source.body.untilFrom
    let place = paths.first { body.value($0) != nil } ?? paths.first ?? ""
    return PaidPeriod(until: try body.time(place), since: event.at)
  }

  /// - Parameter status: nil for the end of the purchase.
  private static func purchase(
    _ body: EventBody, _ event: PaymentEvent, _ status: Transaction.Status?, _ id: Name
  ) throws(CreditError) -> PaymentRequest {
    let paths = ["data.metadata.account"]
    let products = ["data.metadata.product"]
    var change = PaymentChange(transaction: id, .ended)
    if let status {
      change.effect = .purchase(status, reason: status == .failed ? "the payment has failed" : nil)
    }
    change.product = try body.product(products)
    change.account = try body.account(paths)
    change.quantity = try body.quantity([])
    let members = body.source.body
    if status != nil, !members.amountFrom.isEmpty {
      let amount = try body.amount(members.amountFrom)
      if status == .completed { change.paid = amount }
      if !members.currencyFrom.isEmpty {
        let currency = try body.currency(members.currencyFrom)
        change.price = body.price(amount, in: currency)
        change.currency = currency
      }
    }
    var request = PaymentRequest(event, [change])
    request.accountPaths = body.accountPaths(paths)
    request.productPaths = body.productPaths(products)
    return request
  }
}

extension PaymentFormat {
  /// The format of a value that is a provider's event; nil for others.
  public init?(ofEvent value: JSONValue) {
    if value.string("object") == "event", value.member("data")?.isObject == true {
      self = .stripe
    } else if value.string("event_type") != nil, value.string("event_id") != nil {
      self = .paddle
    } else if value.string("api_version") != nil, value.member("event")?.isObject == true {
      self = .revenuecat
    } else {
      return nil
    }
  }
}
