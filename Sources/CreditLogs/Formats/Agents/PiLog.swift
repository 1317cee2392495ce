internal import CreditJSON
internal import CreditModel
internal import CreditSystem

/// Pi's sessions.
final class PiLog: LogFormat {
  static let description = LogDescription(
    "pi", "Pi's sessions", layout: .lines, endings: [".jsonl"],
    variables: ["PI_AGENT_DIR", "HOME"],
    places: { variable in
      AgentPlaces.folders(variable, named: "PI_AGENT_DIR", home: "/.pi/agent/sessions")
    },
    rule: """
      An assistant's message with `usage` is a call. Its key is the entry's id and the message's
      time, which sessions that were branched or forked repeat. The counts are apart from one
      another. `usage.cost.total` above 0 becomes `reportedUSD`. The first line of a file has the
      session's id, and the working folder, which is the project.
      """,
    source: """
      Written by badlogic/pi-mono, `packages/coding-agent/src/core/session-manager.ts` and
      `packages/ai/src/types.ts` (`Usage`).
      """)

  private var file = LogFile(path: nil)
  private var session: String?
  private var project: String?

  func begin(_ file: LogFile) {
    self.file = file
    session = nil
    project = nil
  }

  func wants(_ line: UnsafeRawBufferPointer) -> Bool {
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
    var counts = AgentCounts()
    counts.input = try usage.count("input") ?? 0
    counts.output = try usage.count("output") ?? 0
    counts.cacheRead = try usage.count("cacheRead") ?? 0
    counts.cacheWrite = try usage.count("cacheWrite") ?? 0
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
