internal import CreditJSON
internal import CreditModel

/// The disjoint counts of a call under an agent's own names.
struct AgentCounts: Equatable {
  var input: Int64 = 0
  var output: Int64 = 0
  var cacheRead: Int64 = 0
  var cacheWrite: Int64 = 0
  /// The part of `cacheWrite` that is kept for an hour.
  var cacheWrite1h: Int64 = 0

  init() {}

  init(_ tokens: TokenUsage) {
    input = tokens.inputTokens
    output = tokens.outputTokens
    cacheRead = tokens.cacheReadTokens
    cacheWrite = tokens.cacheWriteTokens
  }

  /// Reads the counts that a log has under some names.
  init(
    _ usage: JSONValue, _ input: StaticString, _ output: StaticString, read: StaticString,
    written: StaticString
  ) throws(LogProblem) {
    self.input = try usage.count(input) ?? 0
    self.output = try usage.count(output) ?? 0
    cacheRead = try usage.count(read) ?? 0
    cacheWrite = try usage.count(written) ?? 0
  }

  var isZero: Bool { self == AgentCounts() }

  /// Subtracts the cached tokens, read and written, from an input that includes them.
  /// - Throws: if they are more than the input.
  mutating func subtractCacheFromInput() throws(LogProblem) {
    let cached = cacheRead.addingReportingOverflow(cacheWrite)
    guard !cached.overflow, cached.partialValue <= input else {
      throw .usage("the cached tokens are more than the input, which includes them")
    }
    input -= cached.partialValue
  }

  /// The counts that logs have totals of.
  private static var totals: [WritableKeyPath<AgentCounts, Int64>] {
    [\.input, \.output, \.cacheRead, \.cacheWrite]
  }

  /// Whether these totals can be later ones of the same counter.
  func follow(_ before: AgentCounts) -> Bool {
    Self.totals.allSatisfy { self[keyPath: $0] >= before[keyPath: $0] }
  }

  /// Returns the increase of these totals; all of them if the counter has restarted.
  func since(_ before: AgentCounts?) -> AgentCounts {
    guard let before, follow(before), Self.totals.allSatisfy({ before[keyPath: $0] >= 0 })
    else { return self }
    var risen = self
    for count in Self.totals { risen[keyPath: count] -= before[keyPath: count] }
    return risen
  }

  /// Returns the counts, and the names of a log's further numbers, which may be billed.
  ///
  /// - Parameter known: the names of its other numbers.
  func usage(of log: JSONValue, _ known: [StaticString]) throws(LogProblem) -> LoggedCounts {
    LoggedCounts(try usage().tokens, unread: log.otherNumbers(than: known))
  }

  /// Returns the counts as a usage of our own form, none below 0.
  func usage() throws(LogProblem) -> LoggedCounts {
    var text = UsageText()
    text.count("inputTokens", input)
    text.count("outputTokens", output)
    if cacheRead != 0 { text.count("cacheReadTokens", cacheRead) }
    let (rest, _) = cacheWrite.subtractingReportingOverflow(cacheWrite1h)
    guard cacheWrite1h <= max(0, cacheWrite) else {
      throw .usage("the tokens cached for an hour are more than all cached tokens")
    }
    if rest != 0 { text.count("cacheWriteTokens", rest) }
    if cacheWrite1h != 0 { text.count("cacheWrite1hTokens", cacheWrite1h) }
    return try text.usage()
  }
}

extension JSONValue {
  /// Returns the names of whole numbers above 0 that are not known.
  func otherNumbers(than known: [StaticString]) -> [String] {
    members.compactMap { (name, value) -> String? in
      guard value.kind == .number, value.int64.map({ $0 > 0 }) ?? false,
        !known.contains(where: name.utf8Equals)
      else { return nil }
      return name.string
    }
  }

  func list(_ name: StaticString) -> [JSONValue] { member(name).map { Array($0.elements) } ?? [] }

  /// Returns a call's cost in dollars from a member; nil for 0.
  ///
  /// Agents write 0 if they know no price.
  func costAboveZero(_ name: StaticString) -> String? {
    member(name)?.exactDecimal == .zero ? nil : cost(name)
  }
}

/// The folders with agents' logs.
enum AgentPlaces {
  /// Returns a folder within each of a variable's folders, separated by commas, or within one in
  /// the home folder.
  static func folders(
    _ variable: (String) -> String?, named name: String, home: String, within: String = ""
  ) -> [String] {
    if let named = variable(name), !named.isEmpty {
      return named.utf8.split(separator: UInt8(ascii: ",")).map { (String($0) ?? "") + within }
    }
    return variable("HOME").map { [$0 + home + within] } ?? []
  }

  /// Returns the first variable that is set, or else the last one.
  static func firstSet(_ variable: (String) -> String?, _ names: [String]) -> String {
    names.first { variable($0)?.isEmpty == false } ?? names.last ?? ""
  }

  /// The folders of an extension of Visual Studio Code, and of its server.
  static func extensions(_ id: String, _ variable: (String) -> String?) -> [String] {
    guard let home = variable("HOME") else { return [] }
    let editors = [
      "/.config/Code", "/.config/Code - Insiders", "/.config/VSCodium", "/.config/Cursor",
      "/.vscode-server/data", "/.cursor-server/data",
      "/Library/Application Support/Code", "/Library/Application Support/Cursor",
    ]
    return editors.map { home + $0 + "/User/globalStorage/" + id + "/tasks" }
  }
}

final class DroidLog: LogFormat {
  static let description = LogDescription(
    name: "droid", summary: "What Factory's Droid keeps of its sessions", layout: .values,
    endings: [".settings.json"],
    signs: ["tokenUsage", "assistantActiveTimeMs", "providerLock", "autonomyMode"],
    variables: ["DROID_SESSIONS_DIR", "HOME"],
    places: { variable in
      AgentPlaces.folders(variable, named: "DROID_SESSIONS_DIR", home: "/.factory/sessions")
    })

  private var file = LogFile(path: nil)

  func begin(_ file: LogFile) { self.file = file }

  func read(_ session: JSONValue, into collector: LogCollector) throws(LogProblem) {
    guard let tokens = try Self.tokens(of: session) else { return }
    var counts = try AgentCounts(
      tokens, "inputTokens", "outputTokens", read: "cacheReadTokens", written: "cacheCreationTokens"
    )
    // The output leaves it out.
    let thinking = try tokens.count("thinkingTokens") ?? 0
    counts.output = try LoggedCounts.sum(counts.output, thinking)
    if counts.isZero { return }
    guard let id = file.stem else { throw .noID }
    let use = LoggedUsage(
      key: id, model: session.nonEmpty("model"), usage: try counts.usage(of: tokens, Self.names),
      usedAt: LogTime.of(session.member("providerLockTimestamp")),
      // The folder within `sessions` has the name of the working folder.
      tags: LogTags(project: file.folder(within: "sessions"), session: id))
    try collector.hold(use, of: session, output: counts.output)
  }

  private static let names: [StaticString] = [
    "inputTokens", "outputTokens", "cacheReadTokens", "cacheCreationTokens", "thinkingTokens",
    "totalTokens", "factoryCredits",
  ]

  /// The session's own sum: that of agents that it began is in files of theirs.
  private static func tokens(of session: JSONValue) throws(LogProblem) -> JSONValue? {
    if let own = session.object("tokenUsage") { return own }
    guard let all = session.object("inclusiveTokenUsage") else { return nil }
    let children = session.member("childInclusiveTokenUsageBySessionId")
    guard children?.members.first(where: { _ in true }) == nil else {
      throw .usage("it has no tokenUsage, and inclusiveTokenUsage has other sessions' counts")
    }
    return all
  }
}
