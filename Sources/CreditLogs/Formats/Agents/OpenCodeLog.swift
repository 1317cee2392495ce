internal import CreditJSON
internal import CreditModel

final class OpenCodeLog: LogFormat {
  static let description = LogDescription(
    name: "opencode", summary: "OpenCode's messages, database and exported sessions",
    layout: .values, endings: [".json", ".db"],
    signs: ["sessionID", "providerID"],
    variables: ["OPENCODE_DATA_DIR", "OPENCODE_DB", "HOME"],
    places: { variable in
      let data = AgentPlaces.folders(
        variable, named: "OPENCODE_DATA_DIR", home: "/.local/share/opencode")
      let names = variable("OPENCODE_DB").flatMap { $0.isEmpty ? nil : [$0] } ?? databases
      return data.map { $0 + "/storage/message" }
        + data.flatMap { folder in names.map { $0.hasPrefix("/") ? $0 : "\(folder)/\($0)" } }
    }, repeatsOthers: true, queries: queries)

  /// The databases of a released version and of the next one.
  private static let databases = ["opencode.db", "opencode-next.db"]

  /// Reads messages without their content, with their ids and working folders.
  ///
  /// Newer versions have a table of messages by type. Damaged ones are printed as texts, which are
  /// no records.
  @Sendable private static func queries(of columns: Set<String>) -> [String] {
    let sessions = ["session_v2", "session"].first { columns.contains("\($0).directory") }
    let folder = sessions.map {
      ", '$.path', json_object('cwd', (SELECT directory FROM \($0) WHERE id = session_id))"
    }
    return ["message", "session_message"].filter { table in
      ["id", "session_id", "data"].allSatisfy { columns.contains("\(table).\($0)") }
    }.map { table in
      let isTyped = columns.contains("\(table).type")
      return """
        SELECT CASE WHEN json_valid(data) THEN \
        json_set(json_remove(data, '$.content', '$.error', '$.snapshot'), '$.role', 'assistant', \
        '$.id', id, '$.sessionID', session_id\(isTyped ? folder ?? "" : "")) \
        ELSE json_quote(id) END FROM \(table) WHERE CASE WHEN json_valid(data) THEN \
        \(isTyped ? "type" : "json_extract(data, '$.role')") = 'assistant' ELSE true END
        """
    }
  }

  /// The members that a message shares with its copies.
  private struct Identity: Hashable {
    let created: Timestamp?
    let completed: Timestamp?
    let model: String?
    let tokens: TokenUsage
  }

  private var numbers: [Identity: Int] = [:]
  private var messages: [(call: LoggedCall, isFinal: Bool)] = []

  /// Returns true for messages, and for any file outside a `storage` folder.
  ///
  /// The storage also holds parts of messages, sessions, projects.
  func reads(_ file: LogFile) -> Bool {
    let name = file.components.last ?? ""
    if name.hasSuffix(".db") { return name.hasPrefix("opencode") }
    return name.hasPrefix("msg_") || !file.components.dropLast().contains("storage")
  }

  func read(_ record: JSONValue, into collector: LogCollector) throws(LogProblem) {
    guard let list = record.member("messages"), list.kind == .array else {
      return try read(message: record, into: collector)
    }
    for message in list.elements {
      collector.attempt { () throws(LogProblem) in
        try read(message: message.member("info") ?? message, into: collector)
      }
    }
  }

  private func read(message: JSONValue, into collector: LogCollector) throws(LogProblem) {
    guard message.string("role") == "assistant", let tokens = message.object("tokens")
    else { return }
    let counts = try Self.counts(of: tokens)
    if counts.isZero { return }
    guard let id = message.nonEmpty("id") else { throw .noID }
    let time = message.member("time")
    let created = LogTime.of(time?.member("created"))
    let completed = LogTime.of(time?.member("completed"))
    let path = message.member("path")
    let usage = try counts.usage()
    let use = LoggedUsage(
      key: id, model: message.nonEmpty("modelID") ?? message.member("model")?.nonEmpty("id"),
      usage: usage, usedAt: created,
      reportedUSD: message.costAboveZero("cost"),
      tags: LogTags(
        project: path?.nonEmpty("cwd") ?? path?.nonEmpty("root"),
        session: message.nonEmpty("sessionID")))
    let found = (call: LoggedCall(use, of: message, collector), isFinal: completed != nil)
    let identity = Identity(
      created: created, completed: completed, model: use.model, tokens: usage.tokens)
    guard created != nil, let number = numbers[identity] else {
      numbers[identity] = messages.count
      return messages.append(found)
    }
    if id < messages[number].call.use.key { messages[number] = found }
  }

  private static func counts(of tokens: JSONValue) throws(LogProblem) -> AgentCounts {
    var counts = AgentCounts()
    counts.input = try tokens.count("input") ?? 0
    counts.output = try tokens.count("output") ?? 0
    let cache = tokens.member("cache")
    counts.cacheRead = try cache?.count("read") ?? 0
    counts.cacheWrite = try cache?.count("write") ?? 0
    let reasoning = try tokens.count("reasoning") ?? 0
    let others = [counts.input, counts.output, counts.cacheRead, counts.cacheWrite]
    let sum = others.reduce(Int128(0)) { $0 + Int128($1) }
    if try tokens.count("total").map({ Int128($0) }) != sum {
      // The output leaves it out.
      counts.output = try LoggedCounts.sum(counts.output, reasoning)
    }
    return counts
  }

  func finish(into collector: LogCollector) {
    for (call, isFinal) in messages { call.hold(isFinal: isFinal, in: collector) }
    messages = []
  }
}
