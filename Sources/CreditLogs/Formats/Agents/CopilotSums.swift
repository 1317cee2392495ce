internal import CreditJSON
internal import CreditModel

/// Total usage of each model in Copilot's session logs.
///
/// Copilot writes it each time a session ends.
struct CopilotSums {
  private struct Sum {
    let use: LoggedUsage
    let account: String?
    let place: (file: LogFile, line: Int)
  }

  private var sums: [Sum] = []
  private var session: String?

  mutating func begin(_ file: LogFile) {
    // Older versions have a file in the place of the folder.
    session = file.folder(within: "session-state") ?? file.stem
  }

  mutating func read(_ event: JSONValue, into collector: LogCollector) throws(LogProblem) {
    guard let models = event.member("data")?.member("modelMetrics"), models.isObject else { return }
    guard let id = event.nonEmpty("id") else { throw .noID }
    let account = collector.accountMember.flatMap { event.logMember($0)?.logText }
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
        sums.append(Sum(use: use, account: account, place: collector.place))
      }
    }
  }

  private static func counts(of usage: JSONValue) throws(LogProblem) -> AgentCounts {
    var counts = AgentCounts()
    counts.input = try usage.count("inputTokens") ?? 0
    counts.output = try usage.count("outputTokens") ?? 0
    counts.cacheRead = try usage.count("cacheReadTokens") ?? 0
    counts.cacheWrite = try usage.count("cacheWriteTokens") ?? 0
    try counts.takeCacheOutOfInput()
    return counts
  }

  /// Adds the sums of all sessions but those whose calls are known one by one.
  mutating func finish(without sessions: Set<String>, into collector: LogCollector) {
    for sum in sums {
      collector.place = sum.place
      if let session = sum.use.tags.session, sessions.contains(session) {
        collector.omit(.aggregate)
        continue
      }
      collector.attempt { () throws(LogProblem) in
        try collector.add(sum.use) { _ in sum.account }
      }
    }
    sums = []
  }
}
