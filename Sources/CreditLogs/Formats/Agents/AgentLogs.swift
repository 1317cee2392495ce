internal import CreditBytes
internal import CreditJSON
internal import CreditModel
internal import CreditSystem

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

  /// Adds output that the output leaves out.
  mutating func addOutput(_ count: Int64) throws(LogProblem) {
    let sum = output.addingReportingOverflow(count)
    if sum.overflow { throw .usage("the counts add up to more than \(Int64.max)") }
    output = sum.partialValue
  }

  /// Whether these totals can be later ones of the same counter.
  func follow(_ before: AgentCounts) -> Bool {
    input >= before.input && output >= before.output && cacheRead >= before.cacheRead
      && cacheWrite >= before.cacheWrite
  }

  /// Returns the increase of these totals; all of them if the counter has restarted.
  func since(_ before: AgentCounts?) -> AgentCounts {
    guard let before, follow(before), [before.input, before.output].allSatisfy({ $0 >= 0 }),
      [before.cacheRead, before.cacheWrite].allSatisfy({ $0 >= 0 })
    else { return self }
    var risen = self
    risen.input -= before.input
    risen.output -= before.output
    risen.cacheRead -= before.cacheRead
    risen.cacheWrite -= before.cacheWrite
    return risen
  }

  /// Returns the counts as a usage of our own form, none below 0.
  func usage() throws(LogProblem) -> LoggedCounts {
    var text = UsageText()
    text.count("inputTokens", input)
    text.count("outputTokens", output)
    if cacheRead != 0 { text.count("cacheReadTokens", cacheRead) }
    let (rest, _) = cacheWrite.subtractingReportingOverflow(cacheWrite1h)
    guard cacheWrite1h <= max(0, cacheWrite) else {
      throw .usage("what is kept for an hour is more than all that is written to the cache")
    }
    if rest != 0 { text.count("cacheWriteTokens", rest) }
    if cacheWrite1h != 0 { text.count("cacheWrite1hTokens", cacheWrite1h) }
    return try text.usage()
  }
}

extension JSONValue {
  /// The elements of a member; empty if it is not an array.
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

/// The sessions of Factory's Droid.
final class DroidLog: LogFormat {
  static let description = LogDescription(
    "droid", "What Factory's Droid keeps of its sessions", layout: .values,
    endings: [".settings.json"],
    signs: ["tokenUsage", "assistantActiveTimeMs", "providerLock", "autonomyMode"],
    variables: ["DROID_SESSIONS_DIR", "HOME"],
    places: { variable in
      AgentPlaces.folders(variable, named: "DROID_SESSIONS_DIR", home: "/.factory/sessions")
    })

  private var file = LogFile(path: nil)

  func begin(_ file: LogFile) { self.file = file }

  func read(_ session: JSONValue, into collector: LogCollector) throws(LogProblem) {
    guard let tokens = session.member("tokenUsage"), tokens.isObject else { return }
    var counts = try AgentCounts(
      tokens, "inputTokens", "outputTokens", read: "cacheReadTokens", written: "cacheCreationTokens"
    )
    try counts.addOutput(try tokens.count("thinkingTokens") ?? 0)
    if counts.isZero { return }
    guard let id = file.stem else { throw .noID }
    let use = LoggedUsage(
      key: id, model: session.nonEmpty("model"), usage: try counts.usage(),
      usedAt: LogTime.of(session.member("providerLockTimestamp")),
      tags: LogTags(project: project, session: id))
    try collector.hold(use, output: counts.output) { path in session.logMember(path)?.logText }
  }

  /// The folder within `sessions`, whose name is that of the working folder.
  private var project: String? { file.folder(within: "sessions") }
}

final class PiLog: LogFormat {
  static let description = LogDescription(
    "pi", "Pi's sessions", layout: .lines, endings: [".jsonl"],
    signs: [#""type":"session""#, "cacheWrite"],
    variables: ["PI_AGENT_DIR", "HOME"],
    places: { variable in
      AgentPlaces.folders(variable, named: "PI_AGENT_DIR", home: "/.pi/agent/sessions")
    })

  private var file = LogFile(path: nil)
  private var session: String?
  private var project: String?

  func begin(_ file: LogFile) {
    self.file = file
    session = nil
    project = nil
  }

  func wants(_ line: Bytes) -> Bool {
    session == nil || line.contains("\"usage\"")
  }

  func read(_ entry: JSONValue, into collector: LogCollector) throws(LogProblem) {
    if entry.string("type") == "session" {
      session = entry.nonEmpty("id")
      project = entry.nonEmpty("cwd")
      return
    }
    guard let message = entry.member("message"), message.string("role") == "assistant",
      let usage = message.member("usage"), usage.isObject
    else { return }
    var counts = try AgentCounts(
      usage, "input", "output", read: "cacheRead", written: "cacheWrite")
    counts.cacheWrite1h = try usage.count("cacheWrite1h") ?? 0
    if counts.isZero { return }
    let time = message.member("timestamp") ?? entry.member("timestamp")
    let session = session ?? file.stem
    guard let moment = time?.logText, let id = entry.nonEmpty("id") ?? session else { throw .noID }
    let use = LoggedUsage(
      key: "\(id):\(moment)", model: message.nonEmpty("model"), usage: try counts.usage(),
      usedAt: LogTime.of(entry.member("timestamp")) ?? LogTime.of(time),
      reportedUSD: usage.member("cost")?.costAboveZero("total"),
      tags: LogTags(project: project ?? file.folder(within: "sessions"), session: session))
    try collector.add(use) { path in entry.logMember(path)?.logText }
  }

  var mark: LogMark? { LogMark([("session", session), ("project", project)]) }

  func resume(_ mark: LogMark) {
    session = mark["session"]
    project = mark["project"]
  }
}

final class QwenLog: LogFormat {
  static let description = LogDescription(
    "qwen", "Qwen Code's recorded chats", layout: .lines, endings: [".jsonl"],
    signs: ["usageMetadata", "parentUuid"],
    variables: ["QWEN_DATA_DIR", "HOME"],
    places: { variable in
      AgentPlaces.folders(variable, named: "QWEN_DATA_DIR", home: "/.qwen", within: "/projects")
    }, repeatsOthers: true)

  private var file = LogFile(path: nil)
  private var calls: [LoggedCall] = []
  /// The earliest call of each `uuid`.
  private var first: [String: Int] = [:]

  func begin(_ file: LogFile) { self.file = file }

  func reads(_ file: LogFile) -> Bool { file.components.dropLast().last == "chats" }

  func wants(_ line: Bytes) -> Bool { line.contains("\"usageMetadata\"") }

  func read(_ line: JSONValue, into collector: LogCollector) throws(LogProblem) {
    guard line.string("type") == "assistant", let usage = line.member("usageMetadata"),
      usage.isObject
    else { return }
    guard let id = line.nonEmpty("uuid") else { throw .noID }
    let use = LoggedUsage(
      key: id, model: line.nonEmpty("model"), usage: try Self.counts(of: usage),
      usedAt: LogTime.of(line.member("timestamp")),
      tags: LogTags(
        project: line.nonEmpty("cwd") ?? file.folder(around: "chats"),
        session: line.nonEmpty("sessionId") ?? file.stem))
    calls.append(LoggedCall(use, of: line, collector))
    let number = calls.count - 1
    if let other = first[id], !isEarlier(use, than: calls[other].use) { return }
    first[id] = number
  }

  private func isEarlier(_ left: LoggedUsage, than right: LoggedUsage) -> Bool {
    (left.usedAt ?? .latest, left.tags.session ?? "")
      < (right.usedAt ?? .latest, right.tags.session ?? "")
  }

  /// A call of another session under the same `uuid` is a copy, if it has the same time and counts.
  func finish(into collector: LogCollector) {
    for var call in calls {
      if let original = first[call.use.key].map({ calls[$0].use }),
        let session = call.use.tags.session, session != original.tags.session
      {
        if call.use.usedAt == original.usedAt, call.use.model == original.model,
          call.use.usage.tokens == original.usage.tokens
        {
          continue
        }
        call.use.key = "\(session):\(call.use.key)"
      }
      call.add(to: collector)
    }
    calls = []
    first = [:]
  }

  /// The members are those of the Gemini API for any model: only thoughts may be within the
  /// candidates.
  private static func counts(of usage: JSONValue) throws(LogProblem) -> LoggedCounts {
    let prompt = try usage.count("promptTokenCount") ?? 0
    let candidates = try usage.count("candidatesTokenCount") ?? 0
    let isWithin =
      try usage.count("totalTokenCount").map { Int128($0) == Int128(prompt) + Int128(candidates) }
      ?? false
    var text = UsageText(member: "usageMetadata")
    for (name, value) in usage.members
    where !isWithin || !name.utf8Equals("thoughtsTokenCount") { text.member(name, value) }
    return try text.usage()
  }
}
