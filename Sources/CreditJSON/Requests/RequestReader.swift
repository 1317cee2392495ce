package import CreditModel

/// The source of a request. A response is boxed: readers are passed on often, and few have one.
package enum RequestSource {
  /// The flags alone make it.
  case flags
  /// A value on standard input.
  case value(JSONValue)
  /// A provider's response, which was the whole of standard input.
  indirect case response(UsageReading)
  /// A payment provider's event, raw, which was the whole of standard input.
  indirect case event([UInt8])

  package var value: JSONValue? {
    if case .value(let value) = self { value } else { nil }
  }
}

/// Reads a request's members, from the request, the flags, or both. A flag fills in a missing
/// member, and a request that contradicts a flag is refused.
package struct RequestReader {
  package let source: RequestSource
  /// The value of the source, which most look-ups go to.
  private let value: JSONValue?
  /// Which members it may have.
  private let nameBits: UInt64
  let flags: FlagMembers
  /// The time of a flag, for a request without its own.
  let now: Timestamp?
  let lastModel: LastModel?
  /// Whether an incomplete response is charged for its usage so far.
  let acceptsPartial: Bool

  /// - Throws: `invalid_request` if the value is not an object.
  package init(
    _ source: RequestSource, flags: FlagMembers, now: Timestamp? = nil,
    lastModel: LastModel? = nil, acceptsPartial: Bool = false
  ) throws(CreditError) {
    value = source.value
    if let value, value.kind != .object { throw Self.invalid("a request must be a JSON object") }
    nameBits = value?.nameBits ?? 0
    self.source = source
    self.flags = flags
    self.now = now
    self.lastModel = lastModel
    self.acceptsPartial = acceptsPartial
  }

  static func invalid(_ message: String) -> CreditError { CreditError(.invalidRequest, message) }

  func member(_ key: StaticString) -> JSONValue? {
    let bit = JSONValue.nameBit(key.utf8Start, count: key.utf8CodeUnitCount)
    return nameBits & bit == 0 ? nil : value?.member(key)
  }

  /// The value of a member that both may give.
  private func agreed<Value: Equatable>(
    _ key: StaticString, flag: Value?, _ read: (JSONValue) throws(CreditError) -> Value
  ) throws(CreditError) -> Value? {
    guard let member = member(key) else { return flag }
    let given = try read(member)
    if let flag, flag != given { throw disagreement(key) }
    return given
  }

  func disagreement(_ key: StaticString) -> CreditError {
    Self.invalid("\(key) in the request is not what the flag says")
  }

  /// A text of the request alone.
  private func givenText(_ key: StaticString) throws(CreditError) -> String? {
    guard let member = member(key) else { return nil }
    guard let text = member.string else { throw Self.invalid("\(key) must be text") }
    return text
  }

  func text(_ key: StaticString) throws(CreditError) -> String? {
    guard case .text(let flag) = flags[key] else { return try givenText(key) }
    guard let given = try givenText(key) else { return flag }
    guard Name(trusted: given) == Name(trusted: flag) else { throw disagreement(key) }
    return flag
  }

  func name(_ key: StaticString, limit: Int = Name.idLimit) throws(CreditError) -> Name? {
    guard let text = try text(key) else { return nil }
    return try Self.name(text, key, limit: limit)
  }

  package static func name(_ text: String, _ key: StaticString, limit: Int = Name.idLimit)
    throws(CreditError) -> Name
  {
    if let problem = Name.problem(with: text, limit: limit) {
      throw invalid("\(key) \(problem)")
    }
    return Name(trusted: text)
  }

  /// Returns the account; `default` if none is named.
  func account() throws(CreditError) -> Name {
    try name("account", limit: Name.accountLimit) ?? .defaultAccount
  }

  func integer(_ key: StaticString, in range: ClosedRange<Int64>) throws(CreditError) -> Int64? {
    var flag: Int64?
    if case .integer(let number) = flags[key] { flag = number }
    let number = try agreed(key, flag: flag) { member throws(CreditError) in
      guard let number = member.int64 else {
        throw Self.invalid("\(key) must be a whole number that fits in 64 bits")
      }
      return number
    }
    if let number, !range.contains(number) {
      throw Self.invalid("\(key) must be from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func bool(_ key: StaticString) throws(CreditError) -> Bool? {
    var flag: Bool?
    if case .bool(let value) = flags[key] { flag = value }
    return try agreed(key, flag: flag) { member throws(CreditError) in
      guard let value = member.bool else { throw Self.invalid("\(key) must be true or false") }
      return value
    }
  }

  func time(_ key: StaticString) throws(CreditError) -> Timestamp? {
    var flag: Timestamp?
    if case .time(.instant(let time)) = flags[key] { flag = time }
    return try agreed(key, flag: flag) { member throws(CreditError) in
      guard let time = member.timestamp() else {
        throw Self.invalid("\(key) must be a time, such as \"2026-02-19T10:00:00Z\"")
      }
      return time
    }
  }

  func span(_ key: StaticString) throws(CreditError) -> TimeSpan? {
    var flag: TimeSpan?
    if case .span(let span) = flags[key] { flag = span }
    let span = try agreed(key, flag: flag) { member throws(CreditError) in
      guard let span = member.string.flatMap(TimeSpan.init(text:)) else {
        throw Self.invalid("\(key) must be a duration, such as \"15m\" or \"30d\"")
      }
      return span
    }
    if let span, span.milliseconds == 0 { throw Self.invalid("\(key) must be longer than 0") }
    return span
  }

  /// One word of a few.
  func choice<Choice: RawRepresentable & CaseIterable>(_ key: StaticString, _ type: Choice.Type)
    throws(CreditError) -> Choice? where Choice.RawValue == String
  {
    guard let text = try text(key) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw Self.invalid("\(key) must be one of \(words)")
    }
    return choice
  }

  /// Returns the request's time. It is its own `now`, which only a simulated clock takes, else the
  /// flag's; nil if neither gives one.
  func time(under policy: Policy) throws(CreditError) -> Timestamp? {
    guard let member = member("now") else { return now }
    guard policy.clockIsSimulated else {
      throw Self.invalid(
        "now in a request needs a policy that says \"clock\":\"simulated\"")
    }
    guard let time = member.timestamp() else {
      throw Self.invalid("now must be a time, such as \"2026-02-19T10:00:00Z\"")
    }
    return time
  }

  /// Returns the time at which a request without writes is answered. It is the request's own under
  /// a simulated clock, else the flag's; nil if both are absent.
  package func readingTime(under policy: Policy) throws(CreditError) -> Timestamp? {
    policy.clockIsSimulated ? try time(under: policy) : now
  }
}

/// The members of requests that no flag fills in: ``RequestReader`` reads them.
package enum RequestShape {
  /// When a request happens: a simulated clock alone takes it.
  package static let now = JSONMember(
    "now", .value(.timeOrDay), isRequired: false,
    summary: "When it happens, if the policy's clock is simulated")

  /// Further members of requests with a usage.
  package static let ofUsage: [JSONMember] = [
    JSONMember(
      "serviceTier", .any, isRequired: false,
      summary: "The service tier, where the usage does not say it"),
    JSONMember(
      "reportedUSD", .value(.numberOrDecimal), isRequired: false,
      summary: "What the provider says that it cost, in dollars"),
    JSONMember(
      "unread", .list(.value(.text)), isRequired: false,
      summary: "What was not read of a provider's usage"),
  ]

  /// Members of providers' responses whose names are like those of a request's own.
  package static let ofProviders = [
    "completed_at", "expires_at", "part", "service_tier", "updated_at", "user",
  ]

  /// StoreKit's news, by the names that Apple and its clients give them.
  package static let ofStoreKit: [JSONMember] =
    (RequestReader.transactionTexts + RequestReader.notificationTexts
    + ["app_account_token", "product_id", "productId"])
    .map { JSONMember("\($0)", .value(.text)).optional }
    + RequestReader.ownIDs.map {
      JSONMember("\($0)", .anyOf([.value(.text), .value(.integer)])).optional
    }
}

extension RequestReader {
  /// Returns the tags of the request and the flags. No tag may have two values.
  /// - Parameter customID: a name that the request has by itself, a tag if there is room for it.
  /// - Throws: `invalid_request`.
  func tags(customID: String? = nil) throws(CreditError) -> Tags? {
    var flagged: Tags?
    if case .tags(let tags) = flags["tags"] { flagged = tags }
    let given = member("tags")
    if given == nil, customID == nil { return flagged }
    var list = TagList()
    if let given { try Self.read(given, into: &list) }
    try flagged?.forEachTag { name, value throws(CreditError) in
      if let problem = list.add(name, value) {
        throw Self.invalid("tag \(quoted(name)) of the request and of the flags \(problem)")
      }
    }
    if let customID { _ = list.add("custom_id", Self.clipped(customID.withoutControlCharacters)) }
    return list.tags
  }

  private static func read(_ tags: JSONValue, into list: inout TagList) throws(CreditError) {
    guard tags.isObject else {
      throw invalid("tags must be an object of names with texts, such as {\"project\":\"x\"}")
    }
    for (name, value) in tags.members {
      let name = name.string ?? ""
      guard let value = value.string else { throw invalid("tag \(quoted(name)) must be text") }
      if let problem = Tags.problem(inRequest: name, value) ?? list.add(name, value) {
        throw invalid("tag \(quoted(name)) \(problem)")
      }
    }
  }

  /// Returns a text's end, as long as a tag may be: ends differ more than beginnings.
  private static func clipped(_ text: String) -> String {
    var end = text.utf8.suffix(Tags.valueLimit)
    if end.startIndex == text.startIndex { return text }
    // A scalar is kept whole or not at all.
    end = end.drop { $0 & 0xc0 == 0x80 }
    return String(Substring(end))
  }
}
