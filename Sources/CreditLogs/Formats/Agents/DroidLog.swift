internal import CreditJSON
internal import CreditModel

/// What Factory's Droid says of its sessions.
final class DroidLog: LogFormat {
  static let description = LogDescription(
    "droid", "What Factory's Droid keeps of its sessions", layout: .values,
    endings: [".settings.json"],
    variables: ["DROID_SESSIONS_DIR", "HOME"],
    places: { variable in
      AgentPlaces.folders(variable, named: "DROID_SESSIONS_DIR", home: "/.factory/sessions")
    },
    rule: """
      A session's file `ID.settings.json` has the sum of all its calls (`tokenUsage`), which grows:
      so each run prints one request for the session, under its id, and `credit-charge --amend`
      charges what has come since. Thinking comes on top of the output, what is cached is no part of
      the input. The time is that of the session (`providerLockTimestamp`). Of several files of one
      session the one with the most output counts.
      """,
    source: """
      Droid's source is not public: as ccusage (`adapter/droid/parser.rs` of ryoppippi/ccusage)
      counts them.
      """)

  private var file = LogFile(path: nil)

  func begin(_ file: LogFile) { self.file = file }

  func read(_ session: JSONValue, into collector: LogCollector) throws(LogProblem) {
    guard let tokens = session.member("tokenUsage"), tokens.isObject else { return }
    var counts = AgentCounts()
    counts.input = try tokens.count("inputTokens") ?? 0
    counts.output = try tokens.count("outputTokens") ?? 0
    counts.cacheWrite = try tokens.count("cacheCreationTokens") ?? 0
    counts.cacheRead = try tokens.count("cacheReadTokens") ?? 0
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
