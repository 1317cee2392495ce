internal import CreditJSON
internal import CreditModel
internal import CreditSystem

final class QwenLog: LogFormat {
  static let description = LogDescription(
    name: "qwen", summary: "Qwen Code's recorded chats", layout: .lines, endings: [".jsonl"],
    signs: ["systemPayload", #""message":{"role":"user","parts""#],
    variables: ["QWEN_DATA_DIR", "QWEN_RUNTIME_DIR", "QWEN_HOME", "HOME"],
    places: { variable in
      let named = AgentPlaces.firstSet(
        variable, ["QWEN_DATA_DIR", "QWEN_RUNTIME_DIR", "QWEN_HOME"])
      return AgentPlaces.folders(variable, named: named, home: "/.qwen", within: "/projects")
    }, repeatsOthers: true)

  private var file = LogFile(path: nil)
  private var calls: [LoggedCall] = []
  /// The earliest call of each `uuid`.
  private var first: [String: Int] = [:]

  func begin(_ file: LogFile) { self.file = file }

  func reads(_ file: LogFile) -> Bool { file.components.dropLast().last == "chats" }

  func wants(_ line: Bytes) -> Bool {
    line.contains("\"usageMetadata\"") || line.contains("\"ui_telemetry\"")
      || line.contains(Self.managedHeader)
  }

  /// The first line of a session whose counts are in other files.
  private static let managedHeader: StaticString = "managed_session_header_v1"

  func read(_ line: JSONValue, into collector: LogCollector) throws(LogProblem) {
    if line.member("subtype")?.utf8Equals(Self.managedHeader) == true { throw .countsElsewhere }
    if line.string("subtype") == "ui_telemetry" {
      return try readTelemetry(of: line, into: collector)
    }
    guard line.string("type") == "assistant", let usage = line.object("usageMetadata")
    else { return }
    // A subagent's own transcript names no model. Its calls are in the chat's telemetry, too.
    if line.member("isSidechain")?.kind == .true { return collector.omit(.subagent) }
    try take(line, model: line.nonEmpty("model"), try Self.counts(of: usage), collector)
  }

  /// The chat has the calls of subagents among its statistics alone.
  private func readTelemetry(
    of line: JSONValue, into collector: LogCollector
  ) throws(LogProblem) {
    guard let event = line.member("systemPayload")?.member("uiEvent"),
      event.string("event.name")?.hasSuffix("api_response") == true
    else { return }
    // Older versions name the agent in the prompt's id alone, between the session and the round.
    let parts = (event.string("prompt_id") ?? "").utf8.split(
      separator: UInt8(ascii: "#"), omittingEmptySubsequences: false)
    if event.nonEmpty("subagent_name") == nil, parts.count != 3 { return }
    var text = UsageText(member: "usageMetadata")
    let prompt = try event.count("input_token_count") ?? 0
    let candidates = try event.count("output_token_count") ?? 0
    let thoughts = try event.count("thoughts_token_count") ?? 0
    if prompt == 0, candidates == 0, thoughts == 0 { return }
    text.count("promptTokenCount", prompt)
    text.count("candidatesTokenCount", candidates)
    text.count("cachedContentTokenCount", try event.count("cached_content_token_count"))
    text.count("toolUsePromptTokenCount", try event.count("tool_token_count"))
    let total = try event.count("total_token_count")
    if !Self.includesThoughts(prompt, candidates, total) {
      text.count("thoughtsTokenCount", thoughts)
    }
    try take(line, model: event.nonEmpty("model"), try text.usage(), collector)
  }

  private func take(
    _ line: JSONValue, model: String?, _ counts: LoggedCounts, _ collector: LogCollector
  ) throws(LogProblem) {
    guard let id = line.nonEmpty("uuid") else { throw .noID }
    let use = LoggedUsage(
      key: id, model: model, usage: counts,
      usedAt: LogTime.of(line.member("timestamp")),
      tags: LogTags(
        project: line.nonEmpty("cwd") ?? file.folder(around: "chats"),
        session: line.nonEmpty("sessionId") ?? file.stem))
    calls.append(LoggedCall(use, of: line, collector))
    let number = calls.count - 1
    if let other = first[id].map({ calls[$0].use }),
      (other.usedAt ?? .latest, other.tags.session ?? "")
        <= (use.usedAt ?? .latest, use.tags.session ?? "")
    {
      return
    }
    first[id] = number
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
    let isWithin = includesThoughts(
      try usage.count("promptTokenCount") ?? 0, try usage.count("candidatesTokenCount") ?? 0,
      try usage.count("totalTokenCount"))
    var text = UsageText(member: "usageMetadata")
    for (name, value) in usage.members
    where !isWithin || !name.utf8Equals("thoughtsTokenCount") { text.member(name, value) }
    return try text.usage()
  }

  private static func includesThoughts(_ prompt: Int64, _ candidates: Int64, _ total: Int64?)
    -> Bool
  {
    total.map { Int128($0) == Int128(prompt) + Int128(candidates) } ?? false
  }
}
