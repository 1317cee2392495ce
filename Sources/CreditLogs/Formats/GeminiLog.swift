internal import CreditJSON
internal import CreditModel

final class GeminiLog: LogFormat {
  static let description = LogDescription(
    name: "gemini", summary: "Gemini CLI's recorded chats", layout: .values,
    endings: [".json", ".jsonl"], signs: ["projectHash"],
    variables: ["GEMINI_CLI_HOME", "HOME"],
    places: { AgentPlaces.folders($0, named: "GEMINI_CLI_HOME", home: "", within: "/.gemini/tmp") })

  private var file = LogFile(path: nil)
  /// The session and its project; the model of the message before, as those of some calls name
  /// none; the time at which the messages before were imported from a file of another session.
  private var known = LogMark()
  /// Number of messages read: of a message's records the last one counts.
  private var messages: Int64 = 0

  func reads(_ file: LogFile) -> Bool {
    let name = file.components.last ?? ""
    return name.hasPrefix("session-") || file.components.dropLast().contains("chats")
  }

  func begin(_ file: LogFile) {
    self.file = file
    known = LogMark()
  }

  /// A chat that is one object is written again as a whole.
  var mark: LogMark? { file.path?.hasSuffix(".jsonl") == true ? known : nil }

  func resume(_ mark: LogMark) { known = mark }

  func read(_ record: JSONValue, into collector: LogCollector) throws(LogProblem) {
    let update = record.member("$set") ?? record
    if let id = update.nonEmpty("sessionId") { known["session"] = id }
    if let hash = update.nonEmpty("projectHash") { known["projectHash"] = hash }
    guard let list = update.member("messages"), list.kind == .array else {
      return try read(message: record, into: collector)
    }
    for message in list.elements { try read(message: message, into: collector) }
  }

  private func read(message: JSONValue, into collector: LogCollector) throws(LogProblem) {
    if message.string("id")?.utf8.starts(with: "import-".utf8) == true {
      known["importedAt"] = LogTime.of(message.member("timestamp")).map { "\($0.milliseconds)" }
    }
    guard message.member("type")?.utf8Equals("gemini") == true,
      let tokens = message.object("tokens")
    else { return }
    guard let id = message.nonEmpty("id") else { throw .noID }
    let session = known["session"] ?? file.stem
    let time = LogTime.of(message.member("timestamp"))
    known["model"] = message.nonEmpty("model") ?? known["model"]
    let importedAt = known["importedAt"].flatMap { Int64($0) }
    if let importedAt, let time, time.milliseconds < importedAt { return collector.omit(.copied) }
    messages += 1
    let use = LoggedUsage(
      key: session.map { "\($0):\(id)" } ?? id, model: known["model"],
      usage: try Self.usage(of: tokens), usedAt: time,
      tags: LogTags(
        project: file.folder(around: "chats") ?? known["projectHash"], session: session))
    try collector.hold(use, of: message, output: messages)
  }

  /// The names are the recorder's own, for the counts of the Gemini API.
  private static func usage(of tokens: JSONValue) throws(LogProblem) -> LoggedCounts {
    var text = UsageText(member: "usageMetadata")
    text.count("promptTokenCount", try tokens.count("input"))
    text.count("candidatesTokenCount", try tokens.count("output"))
    text.count("cachedContentTokenCount", try tokens.count("cached"))
    text.count("thoughtsTokenCount", try tokens.count("thoughts"))
    text.count("toolUsePromptTokenCount", try tokens.count("tool"))
    let names: [StaticString] = ["input", "output", "cached", "thoughts", "tool", "total"]
    return LoggedCounts(try text.usage().tokens, unread: tokens.otherNumbers(than: names))
  }
}
