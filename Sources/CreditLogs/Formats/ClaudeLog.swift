internal import CreditJSON
internal import CreditModel
internal import CreditSystem

final class ClaudeLog: LogFormat {
  static let description = LogDescription(
    name: "claude", summary: "Claude Code's transcripts, and what claude -p prints",
    layout: .values, endings: [".jsonl"],
    signs: [
      "isSidechain", "leafUuid", "file-history-snapshot", "queue-operation", "apiKeySource",
      "modelUsage", #""requestId":"req_"#, #""type":"assistant","message":{"id":"msg_"#,
    ],
    variables: ["CLAUDE_CONFIG_DIR", "HOME"],
    places: { variable in
      guard let named = variable("CLAUDE_CONFIG_DIR"), !named.isEmpty else {
        guard let home = variable("HOME") else { return [] }
        return [home + "/.claude/projects", home + "/.config/claude/projects"]
      }
      return named.utf8.split(separator: UInt8(ascii: ",")).map { folder in
        let folder = String(folder) ?? ""
        return folder.hasSuffix("/projects") ? folder : folder + "/projects"
      }
    })

  private var file = LogFile(path: nil)
  /// The runs of the file that printed their messages, by their sessions.
  private var runs = ClaudeRuns()

  func begin(_ file: LogFile) {
    self.file = file
    runs.begin()
  }

  func wants(_ line: Bytes) -> Bool { line.contains("\"usage\"") }

  var mark: LogMark? { runs.isOfFile ? nil : LogMark() }

  func read(_ record: JSONValue, into collector: LogCollector) throws(LogProblem) {
    if record.string("type") == "result" { return try runs.end(record, collector) }
    // A subagent's progress holds the whole line of its message.
    let line =
      record.member("message").map { _ in record } ?? record.member("data")?.member("message")
    guard let line, let message = line.member("message"), message.object("usage") != nil
    else { return }
    let model = message.nonEmpty("model")
    if model == "<synthetic>" || line.member("isApiErrorMessage")?.bool == true { return }
    guard
      let id = message.nonEmpty("id") ?? line.nonEmpty("requestId") ?? line.nonEmpty("uuid")
    else { throw .noID }
    let reading = UsageReading.of(message)
    let usage = try LoggedCounts(reading)
    let tags = LogTags(
      project: project(cwd: record.nonEmpty("cwd") ?? line.nonEmpty("cwd")),
      session: record.nonEmpty("sessionId") ?? line.nonEmpty("sessionId")
        ?? record.nonEmpty("session_id") ?? file.stem)
    let use = LoggedUsage(
      key: id, model: model, usage: usage, usedAt: LogTime.of(line.member("timestamp")),
      reportedUSD: line.cost("costUSD"), tags: tags)
    // A transcript names its session otherwise.
    if record.member("sessionId") == nil, record.nonEmpty("session_id") != nil {
      return runs.add(LoggedCall(use, of: record, collector), isFinal: reading.isComplete)
    }
    try collector.hold(
      use, of: record, isFinal: reading.isComplete, output: usage.tokens.outputTokens)
  }

  func finish(into collector: LogCollector) { runs.finish(into: collector) }

  /// Returns the folder in which a session was started. The name of its transcripts' folder is that
  /// path with dashes for all bytes except letters and digits; the working folder shows these
  /// bytes, if it is the same one or inside.
  private func project(cwd: String?) -> String? {
    guard
      let name = file.folder(within: "projects")
        ?? file.components.dropLast().last(where: { $0.hasPrefix("-") })
    else { return cwd }
    if let cwd {
      let bytes = cwd.utf8
      let end = bytes.index(bytes.startIndex, offsetBy: name.utf8.count, limitedBy: bytes.endIndex)
      if let end, end == bytes.endIndex || bytes[end] == UInt8(ascii: "/"),
        zip(name.utf8, bytes).allSatisfy({
          $0 == $1 || $0 == UInt8(ascii: "-") && !$1.isDigit && !(0x61...0x7a).contains($1 | 0x20)
        })
      {
        return String(cwd[..<end])
      }
    }
    guard name.hasPrefix("-") else { return name }
    return String(
      decoding: name.utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "/") : $0 }, as: UTF8.self)
  }
}

/// The output of runs of `claude -p`: their messages, without final counts, and at the end of
/// a run its result, which has those of each model.
struct ClaudeRuns {
  /// Those whose run has not ended.
  private var messages: [(call: LoggedCall, isFinal: Bool)] = []
  /// The requests of runs that have.
  private var results: [LoggedCall] = []
  /// The last totals of each session and model in the file.
  private var totals: [String: AgentCounts] = [:]
  /// Whether the file has any.
  private(set) var isOfFile = false

  mutating func begin() {
    totals = [:]
    isOfFile = false
  }

  mutating func add(_ call: LoggedCall, isFinal: Bool) {
    isOfFile = true
    messages.append((call, isFinal))
  }

  /// Takes the result of a run, in place of the messages that it has printed.
  mutating func end(_ result: JSONValue, _ collector: LogCollector) throws(LogProblem) {
    guard let session = result.nonEmpty("session_id") else { return }
    isOfFile = true
    let printed = messages.filter { $0.call.use.tags.session == session }
    let uses = try uses(of: result, session, after: printed)
    if uses.isEmpty { return }
    // A message with its final counts is billed by its own key.
    messages.removeAll { $0.call.use.tags.session == session && !$0.isFinal }
    results += uses.map { LoggedCall($0, of: result, collector) }
  }

  private mutating func uses(
    of result: JSONValue, _ session: String, after printed: [(call: LoggedCall, isFinal: Bool)]
  ) throws(LogProblem) -> [LoggedUsage] {
    let id = result.nonEmpty("uuid") ?? session
    let tags = LogTags(project: result.nonEmpty("cwd"), session: session)
    let time = LogTime.of(result.member("timestamp"))
    let finals = Dictionary(
      printed.lazy.filter(\.isFinal).map { ($0.call.use.key, $0.call.use) }
    ) { _, last in last }
    guard let models = result.object("modelUsage"),
      models.members.first(where: { _ in true }) != nil
    else {
      let reading = UsageReading.of(result)
      guard result.object("usage") != nil, finals.isEmpty else { return [] }
      let usage = try LoggedCounts(reading)
      let model = result.nonEmpty("model") ?? printed.last?.call.use.model
      return [
        LoggedUsage(
          key: "\(id):\(model ?? "")", model: model, usage: usage, usedAt: time,
          reportedUSD: result.cost("total_cost_usd"), tags: tags)
      ]
    }
    var uses: [LoggedUsage] = []
    for (name, usage) in models.members {
      guard let name = name.string, !name.isEmpty else { continue }
      let model = Self.plain(name)
      let counts = try AgentCounts(
        usage, "inputTokens", "outputTokens", read: "cacheReadInputTokens",
        written: "cacheCreationInputTokens")
      // The totals are of all runs of the session that one process has made.
      let place = "\(session):\(name)"
      let before = totals.updateValue(counts, forKey: place)
      var risen = counts.since(before)
      for use in finals.values where use.model == model {
        risen = risen.since(AgentCounts(use.usage.tokens))
      }
      if risen.isZero { continue }
      let isWhole = risen == counts
      uses.append(
        LoggedUsage(
          key: "\(id):\(model)", model: model, usage: try risen.usage(), usedAt: time,
          reportedUSD: isWhole ? usage.costAboveZero("costUSD") : nil, tags: tags))
    }
    return uses
  }

  /// The name of a model without the size of its context, as in `claude-sonnet-5[1m]`.
  private static func plain(_ name: String) -> String {
    guard let bracket = name.utf8.lastIndex(of: UInt8(ascii: "[")), name.hasSuffix("]"),
      bracket > name.startIndex
    else { return name }
    return String(name[..<bracket])
  }

  /// Hands on the results, and the messages of runs without one.
  mutating func finish(into collector: LogCollector) {
    for (call, isFinal) in messages { call.hold(isFinal: isFinal, in: collector) }
    for call in results { call.add(to: collector) }
    messages = []
    results = []
  }
}
