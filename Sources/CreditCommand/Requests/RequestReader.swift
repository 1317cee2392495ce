internal import CreditJSON
internal import CreditModel

/// The source of a request. A response is boxed: readers are passed on often, and few have one.
enum RequestSource {
  /// The flags alone make it.
  case flags
  /// A value on standard input.
  case value(JSONValue)
  /// A provider's response, which was the whole of standard input.
  indirect case response(UsageReading)
  /// A payment provider's event, raw, which was the whole of standard input.
  indirect case event([UInt8])

  var value: JSONValue? {
    if case .value(let value) = self { value } else { nil }
  }
}

/// The common parts of a batch's requests.
final class RequestContext {
  let flags: RequestFlags
  /// The time of a flag, for a request without its own.
  let now: Timestamp?
  /// That time, or else the system's: `today` in a request goes by it.
  let clock: () -> Timestamp
  /// Whether an incomplete response is charged for its usage so far.
  let acceptsPartial: Bool
  let clockIsSimulated: Bool
  let chargesMinimum: Bool
  let prices: KnownPrices
  // Exclusivity is unchecked: one thread at a time, and no callee reaches back.
  /// The name of the last model. Models repeat from request to request, and reusing the name costs
  /// nothing. Each batch has its own: two threads that use one name wait for each other.
  @exclusivity(unchecked) var lastModel: Name?
  /// Some tags of the batch, by their text: they repeat, too.
  @exclusivity(unchecked) var knownTags = Rows<(text: [UInt8], tags: Tags?)>()
  /// The model that was judged last by its images, and whether it prices them alone.
  @exclusivity(unchecked) var judged: (model: Name, pricesImages: Bool)?
  /// Notes a name, by its member, that is more than printable ASCII or ends as if cut.
  @exclusivity(unchecked) var note: ((StaticString, String) -> Void)?

  init(
    flags: RequestFlags, now: Timestamp? = nil, clock: @escaping () -> Timestamp = { .earliest },
    under policy: Policy, acceptsPartial: Bool = false
  ) {
    self.flags = flags
    self.now = now
    self.clock = clock
    self.acceptsPartial = acceptsPartial
    prices = policy.prices
    clockIsSimulated = policy.clockIsSimulated
    chargesMinimum = policy.priceRules.chargesMinimumForUnreadableUsage
  }
}

/// Reads a request's members, from the request, the flags, or both. A flag fills in a missing
/// member, and a request that contradicts a flag is refused.
///
/// A request names its members once, in a function of an extension, in the order of its tool's
/// flags. A row is the member's name, the flag that fills it in, and its kind. A tool runs the
/// same function to list the rows: they are its flags, with help, manual and completions, and the
/// members of `credit schema`.
struct RequestReader {
  let source: RequestSource
  /// Nil if the rows are listed: each member is nil then, and a function returns nil.
  let context: RequestContext?
  let list: RequestList?
  /// The value of the source, which most look-ups go to.
  private let value: JSONValue?
  private let nameBits: UInt64
  /// True if members are read, and no flag fills any in.
  let isAlone: Bool

  /// - Throws: `invalid_request` if the value is not an object.
  init(_ source: RequestSource, _ context: RequestContext) throws(CreditError) {
    value = source.value
    if let value, value.kind != .object {
      throw .invalidRequest(
        value.kind == .array
          ? "a request must be a JSON object; jq -c '.[]' splits an array into its elements"
          : "a request must be a JSON object")
    }
    nameBits = value?.nameBits ?? 0
    isAlone = context.flags.isEmpty
    self.source = source
    self.context = context
    list = nil
  }

  /// A reader of flags alone, or of the rows to list.
  fileprivate init(_ context: RequestContext?, listing list: RequestList?) {
    source = .flags
    self.context = context
    self.list = list
    value = nil
    nameBits = 0
    isAlone = false
  }

  /// A reader of the request's flags alone.
  var ofFlags: RequestReader { RequestReader(context, listing: list) }

  var isListing: Bool { context == nil }

  @inline(__always)
  func own(_ name: MemberName) -> JSONValue? {
    nameBits & name.bit == 0 ? nil : value?.member(named: name)
  }

  func has(_ name: MemberName, _ flag: Flag) -> Bool {
    own(name) != nil || context?.flags.arguments.has(flag) == true
  }

  /// Visits a member that no flag fills in.
  /// - Parameter summary: the member's meaning, for the schema; may be empty.
  @inline(__always)
  func given(
    _ name: MemberName, _ shape: @autoclosure () -> JSONShape = .value(.text),
    _ summary: @autoclosure () -> String = ""
  ) -> JSONValue? {
    guard let list else { return own(name) }
    list.add(name.text, shape(), summary())
    return nil
  }

  /// Visits a member that a flag fills in.
  /// - Parameters:
  ///   - flagged: the flag's value.
  ///   - read: reads the request's own member.
  ///   - unite: makes one of both values; nil if they contradict each other.
  @inline(__always)
  func member<Source: Flag, Value>(
    _ name: MemberName, _ flag: @autoclosure () -> Source,
    flagged: (RequestFlags, Source) throws(CreditError) -> Value?,
    read: (JSONValue) throws(CreditError) -> Value,
    unite: (Value, Value) throws(CreditError) -> Value?
  ) throws(CreditError) -> Value? {
    var other: Value?
    if !isAlone {
      guard let context else {
        list?.add(name.text, flag())
        return nil
      }
      other = try flagged(context.flags, flag())
    }
    guard let member = own(name) else { return other }
    let given = try read(member)
    guard let other else { return given }
    guard let united = try unite(given, other) else {
      throw Self.disagreement(name.text, given, other)
    }
    return united
  }

  @inline(__always)
  func member<Source: Flag, Value: Equatable>(
    _ name: MemberName, _ flag: @autoclosure () -> Source,
    flagged: (RequestFlags, Source) throws(CreditError) -> Value?,
    read: (JSONValue) throws(CreditError) -> Value
  ) throws(CreditError) -> Value? {
    try member(name, flag(), flagged: flagged, read: read) { $0 == $1 ? $0 : nil }
  }

  static func disagreement(
    _ name: StaticString, _ given: Any? = nil, _ flagged: Any? = nil
  ) -> CreditError {
    let both = shown(given).flatMap { given in shown(flagged).map { ": \(given) and not \($0)" } }
    return .invalidRequest("\(name) in the request differs from the flag\(both ?? "")")
  }

  /// A value in a message; nil for one that has no short form.
  private static func shown(_ value: Any?) -> String? {
    switch value {
    case let name as Name: quoted(name.text)
    case let text as String: quoted(text)
    case let number as Int64: "\(number)"
    case let truth as Bool: "\(truth)"
    default: nil
    }
  }
}

extension RequestReader {
  func text(_ name: MemberName, _ flag: @autoclosure () -> TextFlag) throws(CreditError)
    -> String?
  {
    try member(name, flag()) {
      $0.arguments[$1]
    } read: { value throws(CreditError) in
      try value.text(of: "\(name.text)")
    } unite: {
      $0.hasSameBytes(as: $1) ? $0 : nil
    }
  }

  func name(
    _ name: MemberName, _ flag: @autoclosure () -> TextFlag, limit: Int = Name.idLimit
  ) throws(CreditError) -> Name? {
    if isAlone, let plain = own(name)?.plainText(limit: limit) { return Name(trusted: plain) }
    guard let text = try text(name, flag()) else { return nil }
    let checked = try Name(checked: text, as: name.text, limit: limit)
    let isOdd = text.withUTF8Bytes { !$0.isPrintable || "-:".utf8.contains($0[$0.count &- 1]) }
    if isOdd, let note = context?.note { note(name.text, text) }
    return checked
  }

  /// Visits one word of a few.
  func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: MemberName, _ flag: @autoclosure () -> TextFlag, _ type: Choice.Type
  ) throws(CreditError) -> Choice? where Choice.RawValue == String {
    guard let text = try text(name, flag()) else { return nil }
    if let choice = Choice(rawValue: text) { return choice }
    let words = Choice.allCases.map(\.rawValue)
    throw .invalidRequest(
      "\(name.text) must be one of \(words.joined(separator: ", "))"
        + NearestNames.question(text, among: words))
  }

  func integer(
    _ name: MemberName, _ flag: @autoclosure () -> NumberFlag,
    in range: ClosedRange<Int64> = Int64.min...Int64.max
  ) throws(CreditError) -> Int64? {
    let number = try member(name, flag()) {
      $0.arguments[$1]
    } read: { value throws(CreditError) in
      if let number = value.int64 { return number }
      let digits = value.string.flatMap { Int64($0) }
      let given = ", not \(value.string.map { quoted($0) } ?? value.phrase)"
      throw .invalidRequest(
        "\(name.text) must be a whole number that fits in 64 bits"
          + (digits == nil ? given : ", without quotes"))
    }
    if let number, !range.contains(number) {
      let most = range.upperBound == .max ? " or more" : " to \(range.upperBound)"
      let least = range.upperBound == .max ? "" : "from "
      throw .invalidRequest(
        "\(name.text) must be \(least)\(range.lowerBound)\(most), not \(number)")
    }
    return number
  }

  func truth(_ name: MemberName, _ flag: @autoclosure () -> Flag) throws(CreditError) -> Bool? {
    try member(name, flag()) {
      $0.arguments.truth(of: $1)
    } read: { value throws(CreditError) in
      if let truth = value.bool { return truth }
      let isQuoted = ["true", "false"].contains(value.string)
      throw .invalidRequest(
        "\(name.text) must be true or false\(isQuoted ? ", without quotes" : "")")
    }
  }

  func time(_ name: MemberName, _ flag: @autoclosure () -> TimeFlag) throws(CreditError)
    -> Timestamp?
  {
    try member(name, flag()) {
      $0.arguments[$1]
    } read: { value throws(CreditError) in
      if let time = asked(value) { return time }
      throw Self.noTime(name.text, value)
    }
  }

  /// Reads a time. A word such as `today` goes by the request's own, or else by the clock.
  private func asked(_ value: JSONValue, isOwn: Bool = false) -> Timestamp? {
    if let time = value.timestamp() { return time }
    guard let context, let asked = value.string.flatMap(AskedTime.init(text:)) else { return nil }
    let now = isOwn || !context.clockIsSimulated ? nil : own("now")
    return asked.time(at: now.flatMap { self.asked($0, isOwn: true) } ?? context.clock())
  }

  private static func noTime(_ name: StaticString, _ value: JSONValue) -> CreditError {
    let text = value.string
    let given = text.map { quoted($0) } ?? (value.kind == .number ? value.phrase : nil)
    return .invalidRequest(
      "\(name) must be a time, such as \"2026-02-19T10:00:00Z\""
        + (given.map { ", not \($0)" } ?? "")
        + AskedTime.advice(on: text ?? given ?? "", for: name.description))
  }

  func span(_ name: MemberName, _ flag: @autoclosure () -> SpanFlag) throws(CreditError)
    -> TimeSpan?
  {
    let span = try member(name, flag()) {
      $0.arguments[$1]
    } read: { value throws(CreditError) in
      let text = value.string ?? ""
      if let span = TimeSpan(text: text) { return span }
      throw .invalidRequest(
        "\(name.text) must be a duration, such as \"15m\" or \"30d\"\(TimeSpan.advice(on: text))")
    }
    if let span, span.milliseconds == 0 {
      throw .invalidRequest("\(name.text) must be longer than 0")
    }
    return span
  }

  /// Visits the request's time. It is its own `now`, which only a simulated clock takes, else the
  /// flag's; nil if neither gives one.
  /// - Parameter isOfReading: true if the request does not write. Its own time is then ignored
  ///   unless the clock is simulated.
  func time(isOfReading: Bool = false) throws(CreditError) -> Timestamp? {
    let now = given(
      "now", .value(.askedTime), "When it happens, if the policy's clock is simulated")
    guard let now, let context, context.clockIsSimulated || !isOfReading else {
      return context?.now
    }
    guard context.clockIsSimulated else {
      throw .invalidRequest("now in a request needs a policy that says \"clock\":\"simulated\"")
    }
    guard let time = asked(now, isOwn: true) else { throw Self.noTime("now", now) }
    return time
  }
}

extension JSONValue {
  /// - Throws: `invalid_request` if it is not text.
  func text(of member: @autoclosure () -> String) throws(CreditError) -> String {
    if let string { return string }
    let advice = kind == .number ? "; put \(phrase) in quotes" : ", not \(phrase)"
    throw .invalidRequest("\(member()) must be text\(advice)")
  }
}

typealias RequestRows = @Sendable (RequestReader) throws(CreditError) -> Void

final class RequestList {
  /// The flags, in the order of the rows; those of a usage last.
  private(set) var flags: [Flag] = []
  private var filled: [JSONMember] = []
  private var unfilled: [JSONMember] = []
  var hasUsage = false
  /// True if members are wanted, too: a start needs the flags alone.
  private let wantsMembers: Bool

  init(wantsMembers: Bool = false, _ rows: RequestRows) {
    self.wantsMembers = wantsMembers
    // With room for the tool's other flags.
    flags.reserveCapacity(64)
    // No member is read, so none is refused.
    try? rows(RequestReader(nil, listing: self))
    // One after the other: a start need not join them in a list of their own.
    if !hasUsage { return }
    flags += Flag.usage
    flags += Flag.conditions
  }

  /// The members: those that flags fill in, a usage, and the others.
  var members: [JSONMember] {
    if !hasUsage { return filled + unfilled }
    let usage = (Flag.usage + Flag.conditions).compactMap { flag in
      flag.usagePart.map { flag.member("\($0.member)") }
    }
    // A provider's own is any object; it is anywhere in its response.
    let shape = JSONShape.anyOf([.object(usage), .open([])])
    return filled
      + [JSONMember("usage", shape, isRequired: false, summary: "What the model used")] + unfilled
  }

  func add(_ name: StaticString, _ flag: Flag) {
    flags.append(flag)
    if wantsMembers { filled.append(flag.member("\(name)")) }
  }

  func add(
    _ name: StaticString, _ shape: @autoclosure () -> JSONShape,
    _ summary: @autoclosure () -> String = ""
  ) {
    guard wantsMembers else { return }
    let shape = shape()
    unfilled.append(JSONMember("\(name)", shape, isRequired: false, summary: summary()))
  }
}

extension Flag {
  fileprivate func member(_ name: String) -> JSONMember {
    JSONMember(name, self.memberShape, isRequired: false, summary: summary)
  }

  private var memberShape: JSONShape {
    switch kind {
    case .alone, .truth: .value(.truth)
    case .text(.tag): .map(.value(.text))
    case .text(.limit): .map(.anyOf(LimitText.shapes))
    case .text(.list): .list(.value(.text))
    case .text(.choice(let words)): .value(.words(words))
    case .text: .value(placeholder == "DECIMAL" ? .numberOrDecimal : .text)
    case .number: .value(.integer)
    case .span: .value(.span)
    case .time: .value(.askedTime)
    case .authorization: .anyOf([.value(.text), .open([])])
    }
  }
}
