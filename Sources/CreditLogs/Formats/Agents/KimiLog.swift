internal import CreditJSON
internal import CreditModel
internal import CreditSystem

/// The wire logs of Kimi CLI, and of Kimi Code, which came after it.
final class KimiLog: LogFormat {
  static let description = LogDescription(
    name: "kimi", summary: "Wire logs of Kimi CLI and Kimi Code", layout: .lines,
    endings: ["wire.jsonl"],
    signs: ["protocol_version", "TurnBegin", "StatusUpdate", "usage.record"],
    variables: ["KIMI_DATA_DIR", "KIMI_CODE_HOME", "HOME"],
    places: { variable in
      AgentPlaces.folders(variable, named: "KIMI_DATA_DIR", home: "/.kimi", within: "/sessions")
        + AgentPlaces.folders(
          variable, named: "KIMI_CODE_HOME", home: "/.kimi-code", within: "/sessions")
    })

  private var file = LogFile(path: nil)
  /// The models of Kimi Code by the names that a user's settings give them.
  private var models: [String: String] = [:]

  func begin(_ file: LogFile) {
    self.file = file
    models = [:]
  }

  func wants(_ line: Bytes) -> Bool {
    line.contains("\"token_usage\"") || line.contains("\"usage.record\"")
      || line.contains("\"llm.request\"")
  }

  var mark: LogMark? { models }

  func resume(_ mark: LogMark) { models = mark }

  func read(_ line: JSONValue, into collector: LogCollector) throws(LogProblem) {
    switch line.string("type") {
    case "usage.record": return try read(record: line, into: collector)
    case "llm.request":
      if let model = line.nonEmpty("model"), let alias = line.nonEmpty("modelAlias") {
        models[alias] = Self.plain(model)
      }
      return
    default: break
    }
    guard var message = line.member("message") else { return }
    // A subagent's events may come from a subagent's own; the scan has limited how deep.
    while message.string("type") == "SubagentEvent",
      let event = message.member("payload")?.member("event")
    {
      message = event
    }
    guard message.string("type") == "StatusUpdate", let payload = message.member("payload"),
      let tokens = payload.object("token_usage")
    else { return }
    let counts = try AgentCounts(
      tokens, "input_other", "output", read: "input_cache_read", written: "input_cache_creation")
    if counts.isZero { return }
    let session = file.components.dropLast().last
    let time = line.member("timestamp")
    let step = session.flatMap { session in time?.logText.map { "\(session):\($0)" } }
    guard let key = payload.nonEmpty("message_id") ?? step else { throw .noID }
    let use = LoggedUsage(
      key: key, usage: try counts.usage(), usedAt: LogTime.of(time), tags: LogTags(session: session)
    )
    try collector.add(use, of: line)
  }

  // MARK: Kimi Code

  /// Reads a call of a turn, or of a session beside its turns, as for a compaction.
  ///
  /// It has no id. A forked session has copies, with the same times and counts.
  private func read(record: JSONValue, into collector: LogCollector) throws(LogProblem) {
    guard let usage = record.object("usage") else { return }
    let counts = try AgentCounts(
      usage, "inputOther", "output", read: "inputCacheRead", written: "inputCacheCreation")
    if counts.isZero { return collector.noteFound() }
    guard let time = record.member("time")?.logText else { throw .noID }
    let agent = record.nonEmpty("agentId") ?? file.folder(within: "agents") ?? "main"
    let key = "\(agent):\(time):\(counts.input):\(counts.cacheRead):\(counts.output)"
    let use = LoggedUsage(
      key: key, model: record.nonEmpty("model").map { models[$0] ?? Self.plain($0) },
      usage: try counts.usage(), usedAt: LogTime.of(record.member("time")),
      tags: LogTags(
        project: file.folder(within: "sessions").map(Self.project),
        session: file.folder(around: "agents")))
    try collector.add(use, of: record)
  }

  /// The name of a model without that of its provider.
  private static func plain(_ model: String) -> String {
    guard let slash = model.utf8.lastIndex(of: UInt8(ascii: "/")) else { return model }
    let name = String(model[model.utf8.index(after: slash)...])
    return name.isEmpty ? model : name
  }

  /// The name of a working folder in that of its sessions: `wd_app_5a6b7c8d9e0f`.
  private static func project(_ folder: String) -> String {
    guard folder.hasPrefix("wd_"), let end = folder.utf8.lastIndex(of: UInt8(ascii: "_")) else {
      return folder
    }
    let name = folder.utf8[..<end].dropFirst(3)
    return String(name).flatMap { $0.isEmpty ? nil : $0 } ?? folder
  }
}
