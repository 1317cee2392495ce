internal import CreditBytes
internal import CreditJSON
internal import CreditModel
internal import CreditSystem

/// The OpenTelemetry files of GitHub Copilot CLI, and its logs at the end of sessions.
final class CopilotLog: LogFormat {
  static let description = LogDescription(
    "copilot", "OpenTelemetry files and session logs of GitHub Copilot CLI", layout: .lines,
    endings: [".jsonl"],
    variables: ["COPILOT_OTEL_FILE_EXPORTER_PATH", "HOME"],
    places: { variable in
      (variable("COPILOT_OTEL_FILE_EXPORTER_PATH").flatMap { $0.isEmpty ? nil : [$0] } ?? [])
        + (variable("HOME").map { [$0 + "/.copilot/otel", $0 + "/.copilot/session-state"] } ?? [])
    }, repeatsOthers: true)

  /// The records that a call may be in, the one that counts first.
  private enum Source: Int, Comparable {
    case chat, inference, turn, agent

    static func < (left: Source, right: Source) -> Bool { left.rawValue < right.rawValue }
  }

  private struct Call {
    let source: Source
    let logged: LoggedCall
    let trace: String?
    let response: String?
  }

  private var calls: [Call] = []
  /// The best record of each trace and of each response.
  private var best: [String: Source] = [:]
  private var sums = CopilotSums()

  func begin(_ file: LogFile) { sums.begin(file) }

  func wants(_ line: Bytes) -> Bool {
    line.contains("gen_ai.usage.") || line.contains("\"session.shutdown\"")
  }

  func read(_ record: JSONValue, into collector: LogCollector) throws(LogProblem) {
    if record.string("type") == "session.shutdown" {
      return try sums.read(record, into: collector)
    }
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
      let parts = value.elements.compactMap(\.int64)
      guard value.kind == .array else {
        if let time = LogTime.of(value) { return time }
        continue
      }
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
      if let first = others.min(), first < call.source {
        collector.omit(.aggregate)
        continue
      }
      call.logged.add(to: collector)
    }
    sums.finish(without: Set(calls.compactMap(\.logged.use.tags.session)), into: collector)
    calls = []
  }
}

/// Total usage of each model in Copilot's session logs.
///
/// Copilot writes it each time a session ends.
struct CopilotSums {
  private var sums: [LoggedCall] = []
  private var session: String?

  mutating func begin(_ file: LogFile) {
    // Older versions have a file in the place of the folder.
    session = file.folder(within: "session-state") ?? file.stem
  }

  mutating func read(_ event: JSONValue, into collector: LogCollector) throws(LogProblem) {
    guard let models = event.member("data")?.member("modelMetrics"), models.isObject else { return }
    guard let id = event.nonEmpty("id") else { throw .noID }
    for (name, metrics) in models.members {
      guard let model = name.string, !model.isEmpty, let usage = metrics.member("usage"),
        usage.isObject
      else { continue }
      collector.attempt { () throws(LogProblem) in
        let counts = try Self.counts(of: usage)
        if counts.isZero { return }
        let use = LoggedUsage(
          key: "\(id):\(model)", model: model, usage: try counts.usage(),
          usedAt: LogTime.of(event.member("timestamp")), tags: LogTags(session: session))
        sums.append(LoggedCall(use, of: event, collector))
      }
    }
  }

  private static func counts(of usage: JSONValue) throws(LogProblem) -> AgentCounts {
    var counts = try AgentCounts(
      usage, "inputTokens", "outputTokens", read: "cacheReadTokens", written: "cacheWriteTokens")
    try counts.subtractCacheFromInput()
    return counts
  }

  /// Adds the sums of all sessions but those whose calls are known one by one.
  mutating func finish(without sessions: Set<String>, into collector: LogCollector) {
    for sum in sums {
      if let session = sum.use.tags.session, sessions.contains(session) {
        collector.omit(.aggregate)
        continue
      }
      sum.add(to: collector)
    }
    sums = []
  }
}
