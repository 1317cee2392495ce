internal import CreditJSON
internal import CreditModel

/// A parsed command line: the flags given, each with its value. Other flags have none.
struct ParsedArguments: Sendable {
  let tool: Tool
  /// The subcommand; nil if the tool has none, or only help or the version is asked for.
  var subcommand: Subcommand?
  /// Files and folders after a subcommand, or the words of a command.
  var operands: [String] = []
  /// The flags that were given, in the order of the command line.
  private(set) var given: [GivenFlag] = []
  /// A bit for each of them: most flags that are asked for have another one.
  private var bits: UInt64 = 0

  init(_ tool: Tool) {
    self.tool = tool
    given.reserveCapacity(16)
  }

  mutating func add(_ flag: Flag, _ value: FlagValue) {
    given.append(GivenFlag(flag, value))
    bits |= Self.bit(of: flag)
  }

  private static func bit(of flag: Flag) -> UInt64 {
    let name = flag.name.utf8
    return 1 &<< UInt64(truncatingIfNeeded: 11 &* name.count &+ Int(name.first ?? 0))
  }

  /// Replaces words such as `today` by times.
  mutating func settleTimes(at now: @autoclosure () -> Timestamp) {
    for (place, given) in given.enumerated() {
      guard case .time(.word(let word)) = given.value else { continue }
      let time = AskedTime.word(word).time(at: now())
      self.given[place] = GivenFlag(given.flag, .time(.instant(time)))
    }
  }

  func has(_ flag: Flag) -> Bool {
    bits & Self.bit(of: flag) != 0 && given.contains { $0.flag.isNamed(flag.name) }
  }

  func value(of flag: Flag) -> FlagValue? {
    bits & Self.bit(of: flag) == 0 ? nil : given.first { $0.flag.isNamed(flag.name) }?.value
  }

  subscript(flag: Switch) -> Bool { has(flag) }

  subscript(flag: TextFlag) -> String? {
    if case .text(let text) = value(of: flag) { text } else { nil }
  }

  subscript(flag: ListFlag) -> [String] {
    var texts: [String] = []
    for given in given where given.flag.isNamed(flag.name) {
      if case .text(let text) = given.value { texts.append(text) }
    }
    return texts
  }

  subscript(flag: NumberFlag) -> Int64? {
    if case .integer(let number) = value(of: flag) { number } else { nil }
  }

  /// Whether a flag is given as true or alone; nil if it is not given.
  func truth(of flag: Flag) -> Bool? {
    if case .bool(let truth) = value(of: flag) { truth } else { nil }
  }

  subscript(flag: TimeFlag) -> Timestamp? {
    if case .time(.instant(let time)) = value(of: flag) { time } else { nil }
  }

  subscript(flag: SpanFlag) -> TimeSpan? {
    if case .span(let span) = value(of: flag) { span } else { nil }
  }

  subscript(flag: AuthorizationFlag) -> AuthorizationReference? {
    if case .authorization(let reference) = value(of: flag) { reference } else { nil }
  }

  /// - Throws: if a tag has two values, or if there are too many.
  func tags(_ flag: ListFlag) throws(UsageError) -> Tags? {
    var list = TagList()
    for given in given where given.flag.isNamed(flag.name) && given.flag.group == flag.group {
      guard case .text(let text) = given.value else { continue }
      let (name, value) = text.tagParts
      if let problem = list.add(name, value ?? "") {
        throw UsageError("--\(flag.name) \(quoted(text)) \(problem)")
      }
    }
    return list.tags
  }

  /// Whether the flags alone make a whole request. Then standard input isn't to be read.
  var isWholeRequest: Bool { tool.wholeRequests.contains(where: has) }

  /// Returns an error on a member of the flags' own request, with the flag for the member.
  func namingFlags(_ error: CreditError) -> CreditError {
    let member = error.message.prefix { $0.isLetter }
    let rest = error.message.dropFirst(member.count)
    let name = member.map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined()
    guard isWholeRequest, rest.hasPrefix(" must ") || name.utf8.count > member.utf8.count,
      given.contains(where: { "\($0.flag.name)" == name })
    else { return error }
    return CreditError(error.code, "--\(name)\(rest)", error.details)
  }

  var opensStore: Bool { tool.takesStore && !tool.storeless.contains(where: has) }

  private func has(_ form: CommandForm) -> Bool { form.parts.allSatisfy(has) }

  /// The flags missing for a request of which other flags have a part, for a message: `--key or
  /// --authorization`. Nil if no flag has a part.
  var missingFlags: String? {
    let groups: [FlagGroup] = [.request, .usage, .selection]
    guard given.contains(where: { groups.contains($0.flag.group) }) else { return nil }
    // The forms that the flags have begun, if any, and of these the ones that lack least.
    let begun = tool.wholeRequests.filter { $0.parts.contains(where: has) }
    let open = (begun.isEmpty ? tool.wholeRequests : begun)
      // The longest first: more of it is there.
      .sorted { $0.parts.count > $1.parts.count }
      // Its missing parts, each as the flags that fit the given ones.
      .map {
        $0.parts.filter { !has($0) }.map {
          $0.flags.filter { flag in
            !tool.exclusions.contains { $0.excluded(by: flag).contains(where: has) }
          }
        }
      }
      .filter { !$0.contains(where: \.isEmpty) }
    let fewest = open.map(\.count).min() ?? 0
    // A longer way is as good, if flags have begun it and there is one shortest.
    let isAlone = !begun.isEmpty && open.count { $0.count == fewest } == 1
    return open.filter { $0.count <= fewest + (isAlone ? 1 : 0) }
      .map { $0.map(Self.title).joined(separator: ", and ") }
      .joined(separator: " or ")
  }

  /// The message's words for the only part that a request lacks. Nil if that part has no words of
  /// its own.
  var missingNeed: String? {
    for form in tool.wholeRequests {
      let missing = form.parts.filter { !has($0) }
      if missing.count == 1, let need = missing[0].need { return need }
    }
    return nil
  }

  private func has(_ part: CommandForm.Part) -> Bool { part.flags.contains(where: has) }

  private static func title(_ flags: [Flag]) -> String {
    if flags.allSatisfy({ $0.group == .usage }) { return "a count such as --input-tokens" }
    return flags.map { "--\($0.name)" }.joined(separator: " or ")
  }
}

final class GivenFlag: Sendable {
  let flag: Flag
  let value: FlagValue

  init(_ flag: Flag, _ value: FlagValue) {
    self.flag = flag
    self.value = value
  }
}

enum FlagValue: Hashable, Sendable {
  case text(String)
  case integer(Int64)
  case bool(Bool)
  case time(AskedTime)
  case span(TimeSpan)
  case authorization(AuthorizationReference)
}

/// The command line's flags for every request: they are members of a request.
struct RequestFlags: Sendable {
  private(set) var arguments: ParsedArguments
  private(set) var isEmpty = true
  private(set) var usage = FlaggedUsage()
  let tags: Tags?
  private(set) var limits: [LimitChange] = []

  /// - Throws: if a tag has two values, there are too many, or a limit is set twice.
  init(_ arguments: ParsedArguments) throws(UsageError) {
    self.arguments = arguments
    tags = try arguments.tags(.tag)
    for given in arguments.given {
      if given.flag.group == .request { isEmpty = false }
      if let part = given.flag.usagePart { set(part, given.value) }
      guard case .text(.limit) = given.flag.kind, case .text(let text) = given.value,
        let change = LimitText.change(text)
      else { continue }
      if limits.contains(where: { $0.id == change.id }) {
        throw UsageError("--limit sets \(quoted(change.id.text)) twice")
      }
      limits.append(change)
    }
    if usage.hasCounts, arguments[.flat] {
      throw UsageError("--flat and counts such as --input-tokens cannot be given together")
    }
  }

  private mutating func set(_ part: UsagePart, _ value: FlagValue) {
    isEmpty = false
    switch (part, value) {
    case (.count(let count), .integer(let value)): usage[count] = value
    case (.units, .integer(let value)): usage.units = value
    case (.condition(let condition), .text(let value)): usage[condition] = value
    default: break
    }
  }

  func with(_ flag: Flag, _ value: FlagValue) -> RequestFlags {
    var flags = self
    flags.arguments.add(flag, value)
    flags.isEmpty = false
    return flags
  }
}
