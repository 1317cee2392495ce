internal import CreditJSON
internal import CreditModel

final class AmpLog: LogFormat {
  static let description = LogDescription(
    name: "amp", summary: "Amp's threads", layout: .values, endings: [".json"],
    signs: ["usageLedger", "agentMode"],
    variables: ["AMP_DATA_DIR", "HOME"],
    places: { variable in
      AgentPlaces.folders(
        variable, named: "AMP_DATA_DIR", home: "/.local/share/amp", within: "/threads")
    })

  func read(_ thread: JSONValue, into collector: LogCollector) throws(LogProblem) {
    guard let id = thread.nonEmpty("id") else {
      if thread.member("messages") != nil { throw .noID }
      return
    }
    var end: Timestamp?
    /// The numbers of the messages that events led to.
    var counted: Set<Int64> = []
    for event in thread.member("usageLedger")?.list("events") ?? [] {
      if let time = LogTime.of(event.member("timestamp")) { end = max(time, end ?? time) }
      if let number = event.member("toMessageId")?.int64 { counted.insert(number) }
      collector.attempt { () throws(LogProblem) in
        try read(event: event, of: thread, id, into: collector)
      }
    }
    for message in thread.list("messages") {
      guard message.string("role") == "assistant", let usage = message.object("usage")
      else { continue }
      let time = LogTime.of(usage.member("timestamp")) ?? LogTime.of(message.member("timestamp"))
      if let end {
        // A ledger that leads to some messages leaves out those that it does not lead to.
        let number = message.member("messageId")?.int64
        let isCounted = number.map { counted.contains($0) } ?? true
        if isCounted || counted.isEmpty, time.map({ $0 <= end }) ?? true { continue }
      }
      collector.attempt { () throws(LogProblem) in
        try read(usage, of: message, id, at: time, into: collector)
      }
    }
  }

  private func read(
    event: JSONValue, of thread: JSONValue, _ id: String, into collector: LogCollector
  ) throws(LogProblem) {
    guard let tokens = event.object("tokens") else { return }
    var counts = AgentCounts()
    counts.input = try tokens.count("input") ?? 0
    counts.output = try tokens.count("output") ?? 0
    let message = try event.count("toMessageId").flatMap { number in
      thread.list("messages").first { $0.member("messageId")?.int64 == number }
    }
    if let usage = message?.member("usage") { try Self.readCache(usage, into: &counts) }
    try Self.readCache(tokens, into: &counts)
    if counts.isZero {
      if try tokens.count("total") ?? 0 > 0 { throw .usage("it has only a total") }
      return
    }
    guard let key = event.nonEmpty("id") else { throw .noID }
    try add(
      key, model: event.nonEmpty("model"), counts, of: tokens,
      at: LogTime.of(event.member("timestamp")), id, event, collector)
  }

  private func read(
    _ usage: JSONValue, of message: JSONValue, _ id: String, at time: Timestamp?,
    into collector: LogCollector
  ) throws(LogProblem) {
    var counts = AgentCounts()
    counts.input = try usage.count("inputTokens") ?? 0
    counts.output = try usage.count("outputTokens") ?? 0
    try Self.readCache(usage, into: &counts)
    if counts.isZero { return }
    let model = usage.nonEmpty("model") ?? message.nonEmpty("model")
    let number = message.member("messageId")?.logText ?? time.map { "\($0.milliseconds)" }
    guard let number else { throw .noID }
    try add("\(id):\(number)", model: model, counts, of: usage, at: time, id, message, collector)
  }

  private static func readCache(_ usage: JSONValue, into counts: inout AgentCounts)
    throws(LogProblem)
  {
    counts.cacheWrite = try usage.count("cacheCreationInputTokens") ?? counts.cacheWrite
    counts.cacheRead = try usage.count("cacheReadInputTokens") ?? counts.cacheRead
  }

  private static let names: [StaticString] = [
    "input", "output", "total", "inputTokens", "outputTokens", "cacheCreationInputTokens",
    "cacheReadInputTokens", "totalInputTokens", "totalTokens", "maxInputTokens", "credits",
  ]

  private func add(
    _ key: String, model: String?, _ counts: AgentCounts, of usage: JSONValue,
    at time: Timestamp?, _ thread: String, _ record: JSONValue, _ collector: LogCollector
  ) throws(LogProblem) {
    let use = LoggedUsage(
      key: key, model: model, usage: try counts.usage(of: usage, Self.names), usedAt: time,
      tags: LogTags(session: thread))
    try collector.add(use, of: record)
  }
}
