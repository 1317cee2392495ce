internal import CreditJSON
internal import CreditModel
internal import CreditSystem

final class PiLog: LogFormat {
  static let description = LogDescription(
    name: "pi", summary: "Pi's sessions", layout: .lines, endings: [".jsonl"],
    signs: [#""type":"session""#, #""cacheWrite""#],
    variables: ["PI_AGENT_DIR", "PI_CODING_AGENT_SESSION_DIR", "PI_CODING_AGENT_DIR", "HOME"],
    places: { variable in
      let named = AgentPlaces.firstSet(
        variable, ["PI_AGENT_DIR", "PI_CODING_AGENT_SESSION_DIR", "PI_CODING_AGENT_DIR"])
      let isRoot = named == "PI_CODING_AGENT_DIR"
      return AgentPlaces.folders(
        variable, named: named, home: isRoot ? "/.pi/agent" : "/.pi/agent/sessions",
        within: isRoot ? "/sessions" : "")
    })

  private static let names: [StaticString] = [
    "input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "reasoning", "totalTokens",
  ]

  private var file = LogFile(path: nil)
  /// The session, its project, and the model at work: summaries and tools name none.
  private var known = LogMark()

  func begin(_ file: LogFile) {
    self.file = file
    known = LogMark()
  }

  func wants(_ line: Bytes) -> Bool {
    known["session"] == nil || line.contains("\"usage\"") || line.contains("\"model_change\"")
  }

  func read(_ entry: JSONValue, into collector: LogCollector) throws(LogProblem) {
    let type = entry.string("type")
    if type == "session" {
      known["session"] = entry.nonEmpty("id")
      known["project"] = entry.nonEmpty("cwd")
      return
    }
    if type == "model_change" { known["model"] = entry.nonEmpty("modelId") ?? known["model"] }
    // Summaries have the usage of the call that made them, tools that of the calls they made.
    let message = entry.member("message")
    let source = message ?? entry
    guard let usage = source.object("usage") else { return }
    let named = source.nonEmpty("model")
    if message?.string("role") == "assistant" { known["model"] = named ?? known["model"] }
    var counts = try AgentCounts(
      usage, "input", "output", read: "cacheRead", written: "cacheWrite")
    counts.cacheWrite1h = try usage.count("cacheWrite1h") ?? 0
    if counts.isZero { return }
    let time = source.member("timestamp") ?? entry.member("timestamp")
    let session = known["session"] ?? file.stem
    guard let moment = time?.logText, let id = entry.nonEmpty("id") ?? session else { throw .noID }
    let use = LoggedUsage(
      key: "\(id):\(moment)", model: named ?? known["model"],
      usage: try counts.usage(of: usage, Self.names),
      usedAt: LogTime.of(entry.member("timestamp")) ?? LogTime.of(time),
      reportedUSD: usage.member("cost")?.costAboveZero("total"),
      tags: LogTags(project: known["project"] ?? file.folder(within: "sessions"), session: session))
    try collector.add(use, of: entry)
  }

  var mark: LogMark? { known }

  func resume(_ mark: LogMark) { known = mark }
}
