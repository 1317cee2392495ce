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
  private var session: String?
  private var project: String?
  /// The model at work: summaries and tools name none.
  private var model: String?

  func begin(_ file: LogFile) {
    self.file = file
    session = nil
    project = nil
    model = nil
  }

  func wants(_ line: Bytes) -> Bool {
    session == nil || line.contains("\"usage\"") || line.contains("\"model_change\"")
  }

  func read(_ entry: JSONValue, into collector: LogCollector) throws(LogProblem) {
    let type = entry.string("type")
    if type == "session" {
      session = entry.nonEmpty("id")
      project = entry.nonEmpty("cwd")
      return
    }
    if type == "model_change" { model = entry.nonEmpty("modelId") ?? model }
    // Summaries have the usage of the call that made them, tools that of the calls they made.
    let message = entry.member("message")
    let source = message ?? entry
    guard let usage = source.member("usage"), usage.isObject else { return }
    let named = source.nonEmpty("model")
    if message?.string("role") == "assistant" { model = named ?? model }
    var counts = try AgentCounts(
      usage, "input", "output", read: "cacheRead", written: "cacheWrite")
    counts.cacheWrite1h = try usage.count("cacheWrite1h") ?? 0
    if counts.isZero { return }
    let time = source.member("timestamp") ?? entry.member("timestamp")
    let session = session ?? file.stem
    guard let moment = time?.logText, let id = entry.nonEmpty("id") ?? session else { throw .noID }
    let use = LoggedUsage(
      key: "\(id):\(moment)", model: named ?? model, usage: try counts.usage(of: usage, Self.names),
      usedAt: LogTime.of(entry.member("timestamp")) ?? LogTime.of(time),
      reportedUSD: usage.member("cost")?.costAboveZero("total"),
      tags: LogTags(project: project ?? file.folder(within: "sessions"), session: session))
    try collector.add(use) { path in entry.logMember(path)?.logText }
  }

  var mark: LogMark? {
    LogMark([("session", session), ("project", project), ("model", model)])
  }

  func resume(_ mark: LogMark) {
    session = mark["session"]
    project = mark["project"]
    model = mark["model"]
  }
}
