internal import CreditJSON
internal import CreditModel
internal import CreditSystem

final class CopilotLog: LogFormat {
  static let description = LogDescription(
    name: "copilot", summary: "GitHub Copilot CLI's telemetry, session logs and database",
    layout: .lines, endings: [".jsonl", "session-store.db"],
    signs: [
      "session.start", "session.shutdown", "copilotVersion", "github.copilot", "copilot_chat.",
      "usage_event",
    ],
    variables: ["COPILOT_OTEL_FILE_EXPORTER_PATH", "COPILOT_HOME", "HOME"],
    places: { variable in
      let home = AgentPlaces.folders(variable, named: "COPILOT_HOME", home: "/.copilot")
      return (variable("COPILOT_OTEL_FILE_EXPORTER_PATH").flatMap { $0.isEmpty ? nil : [$0] } ?? [])
        + home.flatMap { [$0 + "/otel", $0 + "/session-state", $0 + "/session-store.db"] }
    }, repeatsOthers: true, queries: queries)

  /// Reads the database's calls of models, a record each.
  @Sendable private static func queries(of columns: Set<String>) -> [String] {
    let needed = ["id", "session_id", "model", "input_tokens", "output_tokens"]
    guard needed.allSatisfy({ columns.contains("assistant_usage_events.\($0)") }) else { return [] }
    let others = ["copilot_usage_model", "cache_read_tokens", "cache_write_tokens", "created_at"]
    var members = (needed + others.filter { columns.contains("assistant_usage_events.\($0)") }).map
    {
      ", '\($0)', \($0)"
    }
    if columns.contains("sessions.cwd") {
      members.append(", 'cwd', (SELECT s.cwd FROM sessions AS s WHERE s.id = session_id)")
    }
    return [
      "SELECT json_object('type', 'usage_event'\(members.joined())) FROM assistant_usage_events"
    ]
  }

  /// The records that a call may be in, the one that counts first.
  private enum Source: Comparable {
    case chat, inference, turn, agent
  }

  private struct Call {
    let source: Source
    let logged: LoggedCall
    let trace: String?
    let response: String?
  }

  private var calls: [Call] = []
  /// The calls of the database.
  private var events: [LoggedCall] = []
  /// The best record of each trace and of each response.
  private var best: [String: Source] = [:]
  private var sums = CopilotSums()

  func begin(_ file: LogFile) { sums.begin(file) }

  func wants(_ line: Bytes) -> Bool {
    line.contains("gen_ai.usage.") || line.contains("\"session.") || line.contains("usage_event")
      || line.contains("\"assistant.message\"")
  }

  func read(_ record: JSONValue, into collector: LogCollector) throws(LogProblem) {
    if record.string("type") == "usage_event" { return try read(event: record, into: collector) }
    if let kind = record.member("type"), try sums.read(record, of: kind, into: collector) { return }
    let call = OTelAttributes(record, resource: record)
    guard call.hasUsage, let source = Self.source(of: record, call) else { return }
    let response = call.text("gen_ai.response.id")
    guard let key = response ?? call.spanKey else { throw .noID }
    let usage = try call.usage()
    if usage.tokens == TokenUsage(inputTokens: 0, outputTokens: 0) { return }
    let trace = record.nonEmpty("traceId") ?? record.member("spanContext")?.nonEmpty("traceId")
    let use = LoggedUsage(
      key: key, model: call.text("gen_ai.response.model") ?? call.text("gen_ai.request.model"),
      usage: usage, usedAt: Self.time(of: record),
      tags: LogTags(session: call.text("gen_ai.conversation.id") ?? trace))
    let logged = LoggedCall(use, of: record, collector) { call.text($0) }
    calls.append(Call(source: source, logged: logged, trace: trace, response: response))
    for name in Self.names(trace, response) { best[name] = min(source, best[name] ?? source) }
  }

  /// Reads a call of the database, with cached tokens in its input, and reasoning in its output.
  private func read(event: JSONValue, into collector: LogCollector) throws(LogProblem) {
    var counts = try AgentCounts(
      event, "input_tokens", "output_tokens", read: "cache_read_tokens",
      written: "cache_write_tokens")
    if counts.isZero { return collector.noteFound() }
    try counts.subtractCacheFromInput()
    guard let session = event.nonEmpty("session_id"), let number = event.member("id")?.int64 else {
      throw .noID
    }
    let use = LoggedUsage(
      key: "\(session):\(number)",
      model: event.nonEmpty("copilot_usage_model") ?? event.nonEmpty("model"),
      usage: try counts.usage(), usedAt: LogTime.of(event.member("created_at")),
      tags: LogTags(project: event.nonEmpty("cwd"), session: session))
    events.append(LoggedCall(use, of: event, collector))
  }

  private static func source(of record: JSONValue, _ call: OTelAttributes) -> Source? {
    let isSpan =
      record.string("type").map { $0 == "span" }
      ?? (record.nonEmpty("name") != nil && record.nonEmpty("spanId") != nil)
    let operation = call.text("gen_ai.operation.name") ?? record.string("name") ?? ""
    if isSpan {
      if operation == "chat" || operation.hasPrefix("chat ") { return .chat }
      return operation.hasPrefix("invoke_agent") ? .agent : nil
    }
    switch call.text("event.name") {
    case "gen_ai.client.inference.operation.details": return .inference
    case "copilot_chat.agent.turn": return .turn
    default: return nil
    }
  }

  /// Seconds and billionths of one, as the exporter writes times, or one number.
  private static func time(of record: JSONValue) -> Timestamp? {
    let names: [StaticString] = ["startTime", "endTime", "hrTime", "_hrTime", "timestamp"]
    for name in names {
      guard let value = record.member(name) else { continue }
      if let time = LogTime.of(value) { return time }
      let parts = value.elements.compactMap(\.int64)
      guard parts.count == 2, (0..<100_000_000_000).contains(parts[0]) else { continue }
      return Timestamp(milliseconds: parts[0] * 1000 + max(0, parts[1]) / 1_000_000)
    }
    return nil
  }

  /// Returns texts that only records of one call share.
  private static func names(_ trace: String?, _ response: String?) -> [String] {
    (trace.map { ["t" + $0] } ?? []) + (response.map { ["r" + $0] } ?? [])
  }

  func finish(into collector: LogCollector) {
    for call in calls {
      let others = Self.names(call.trace, call.response).compactMap { best[$0] }
      let isSum = others.min().map { $0 < call.source } ?? false
      isSum ? collector.omit(.aggregate) : call.logged.add(to: collector)
    }
    var sessions = Set(calls.compactMap(\.logged.use.tags.session))
    for event in events {
      let isKnown = event.use.tags.session.map(sessions.contains) ?? false
      isKnown ? collector.omit(.aggregate) : event.add(to: collector)
    }
    sessions.formUnion(events.compactMap(\.use.tags.session))
    sums.finish(without: sessions, into: collector)
    (calls, events) = ([], [])
  }
}

/// Total usage of each model in Copilot's session logs, which it writes as a session ends.
///
/// A session that is resumed ends again. Newer versions then write the total since its beginning,
/// older ones since it was resumed: which one it is, the output of the log's messages tells. Usage
/// without an end is only known by its messages.
struct CopilotSums {
  private var sums: [LoggedCall] = []
  private var session: String?
  /// The totals of each model at the last end.
  private var last: [String: AgentCounts] = [:]
  /// The output of messages up to the last end, and since.
  private var endedOutput: Int64 = 0
  private var output: Int64 = 0
  /// The messages since the last end.
  private var open: [LoggedCall] = []
  private var model: String?
  /// Number of messages whose session may go on.
  private var heldCount = 0

  mutating func begin(_ file: LogFile) {
    holdBack()
    // Older versions have a file in the place of the folder.
    session = file.folder(within: "session-state") ?? file.stem
    last = [:]
    (endedOutput, output) = (0, 0)
    model = nil
  }

  /// Reads an event of a session's log.
  /// - Returns: false if the record is not such an event.
  mutating func read(
    _ event: JSONValue, of kind: JSONValue, into collector: LogCollector
  ) throws(LogProblem) -> Bool {
    let data = event.member("data")
    if data != nil { collector.noteFound() }
    model = data?.nonEmpty("selectedModel") ?? data?.nonEmpty("newModel") ?? model
    switch kind.string {
    case "session.shutdown": try end(event, into: collector)
    case "assistant.message": try add(event, into: collector)
    case "session.start", "session.resume":
      // The messages before have ended without their sum.
      sums += open
      open = []
      output = 0
    default: return kind.string?.hasPrefix("session.") ?? false
    }
    return true
  }

  private mutating func add(_ event: JSONValue, into collector: LogCollector) throws(LogProblem) {
    guard let data = event.member("data"), let output = try data.count("outputTokens"), output != 0
    else { return }
    guard let id = data.nonEmpty("messageId") ?? event.nonEmpty("id") else { throw .noID }
    var counts = AgentCounts()
    counts.input = try data.count("inputTokens") ?? 0
    counts.output = output
    let use = LoggedUsage(
      key: "\(session ?? ""):\(id)", model: data.nonEmpty("model") ?? model,
      usage: try counts.usage(), usedAt: LogTime.of(event.member("timestamp")),
      tags: LogTags(session: session))
    self.output = self.output.addingReportingOverflow(output).partialValue
    open.append(LoggedCall(use, of: event, collector))
  }

  private mutating func end(_ event: JSONValue, into collector: LogCollector) throws(LogProblem) {
    guard let models = event.member("data")?.object("modelMetrics") else { return }
    guard let id = event.nonEmpty("id") else { throw .noID }
    var totals: [(model: String, counts: AgentCounts)] = []
    for (name, metrics) in models.members {
      guard let model = name.string, !model.isEmpty, let usage = metrics.object("usage")
      else { continue }
      collector.attempt { () throws(LogProblem) in
        var counts = try AgentCounts(
          usage, "inputTokens", "outputTokens", read: "cacheReadTokens",
          written: "cacheWriteTokens")
        try counts.subtractCacheFromInput()
        totals.append((model, counts))
      }
    }
    // Without counts the messages are still without their sum.
    if totals.isEmpty { return }
    let isCumulative = areCumulative(totals)
    for (model, counts) in totals {
      collector.attempt { () throws(LogProblem) in
        let risen = isCumulative ? counts.since(last[model]) : counts
        if risen.isZero { return }
        let use = LoggedUsage(
          key: "\(id):\(model)", model: model, usage: try risen.usage(),
          usedAt: LogTime.of(event.member("timestamp")), tags: LogTags(session: session))
        sums.append(LoggedCall(use, of: event, collector))
      }
    }
    last = Dictionary(totals) { first, _ in first }
    endedOutput = endedOutput.addingReportingOverflow(output).partialValue
    output = 0
    open = []
  }

  /// Returns true if totals include those of the last end.
  ///
  /// They do if no count is less, and the output is nearer to that of all messages than to that of
  /// the messages since.
  private func areCumulative(_ totals: [(model: String, counts: AgentCounts)]) -> Bool {
    let next = Dictionary(totals) { first, _ in first }
    guard !last.isEmpty, endedOutput > 0,
      last.allSatisfy({ next[$0.key]?.follow($0.value) ?? false })
    else { return false }
    let sum = totals.reduce(Int128(0)) { $0 + Int128($1.counts.output) }
    let all = Int128(endedOutput) + Int128(output)
    return (sum - all).magnitude < (sum - Int128(output)).magnitude
  }

  /// Leaves out the messages at a log's end: the session may go on, and its end has their sum.
  private mutating func holdBack() {
    heldCount += open.count
    open = []
  }

  /// Adds the sums of all sessions but those whose calls are known one by one.
  mutating func finish(without sessions: Set<String>, into collector: LogCollector) {
    holdBack()
    for _ in 0..<heldCount { collector.omit(.notFinal) }
    for sum in sums {
      let isKnown = sum.use.tags.session.map(sessions.contains) ?? false
      isKnown ? collector.omit(.aggregate) : sum.add(to: collector)
    }
    sums = []
  }
}
