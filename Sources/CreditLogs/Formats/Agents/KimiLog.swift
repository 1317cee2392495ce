internal import CreditJSON
internal import CreditModel
internal import CreditSystem

/// Kimi CLI's wire logs.
final class KimiLog: LogFormat {
  static let description = LogDescription(
    "kimi", "Kimi CLI's wire logs", layout: .lines, endings: ["wire.jsonl"],
    variables: ["KIMI_DATA_DIR", "HOME"],
    places: { variable in
      AgentPlaces.folders(variable, named: "KIMI_DATA_DIR", home: "/.kimi", within: "/sessions")
    },
    rule: """
      A `StatusUpdate` with a `token_usage` is a step, under its `message_id`, or the session's id
      and the time where it has none. Steps of subagents (`SubagentEvent`) count, too. The counts
      are apart from one another. The log names no model: `--model` does. The session is the name of
      the log's folder.
      """,
    source: """
      Written by MoonshotAI/kimi-cli, `src/kimi_cli/wire/types.py` and
      `packages/kosong/src/kosong/chat_provider` (`TokenUsage`).
      """)

  private var file = LogFile(path: nil)

  func begin(_ file: LogFile) { self.file = file }

  func wants(_ line: UnsafeRawBufferPointer) -> Bool { line.contains("\"token_usage\"") }

  var mark: LogMark? { LogMark() }

  func read(_ line: JSONValue, into collector: LogCollector) throws(LogProblem) {
    guard var message = line.member("message") else { return }
    // A subagent's events may come from a subagent's own; the scan has limited how deep.
    while message.string("type") == "SubagentEvent",
      let event = message.member("payload")?.member("event")
    {
      message = event
    }
    guard message.string("type") == "StatusUpdate", let payload = message.member("payload"),
      let tokens = payload.member("token_usage"), tokens.isObject
    else { return }
    var counts = AgentCounts()
    counts.input = try tokens.count("input_other") ?? 0
    counts.output = try tokens.count("output") ?? 0
    counts.cacheRead = try tokens.count("input_cache_read") ?? 0
    counts.cacheWrite = try tokens.count("input_cache_creation") ?? 0
    if counts.isZero { return }
    let session = file.components.dropLast().last
    let time = line.member("timestamp")
    let step = session.flatMap { session in time?.logText.map { "\(session):\($0)" } }
    guard let key = payload.nonEmpty("message_id") ?? step else { throw .noID }
    let use = LoggedUsage(
      key: key, usage: try counts.usage(), usedAt: LogTime.of(time), tags: LogTags(session: session)
    )
    try collector.add(use) { path in line.logMember(path)?.logText }
  }
}
