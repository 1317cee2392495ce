internal import CreditJSON
internal import CreditModel

final class GeminiLog: LogFormat {
  static let description = LogDescription(
    name: "gemini", summary: "Gemini CLI's recorded chats", layout: .values,
    endings: [".json", ".jsonl"], signs: ["projectHash"],
    variables: ["GEMINI_CLI_HOME", "HOME"],
    places: { AgentPlaces.folders($0, named: "GEMINI_CLI_HOME", home: "", within: "/.gemini/tmp") })

  private var file = LogFile(path: nil)
  private var session: String?
  private var projectHash: String?
  /// The model of the message before: those of some calls name none.
  private var model: String?
  /// The time at which the messages before were imported from a file of another session.
  private var importedAt: Timestamp?
  /// Number of messages read: of a message's records the last one counts.
  private var messages: Int64 = 0

  func reads(_ file: LogFile) -> Bool {
    let name = file.components.last ?? ""
    return name.hasPrefix("session-") || file.components.dropLast().contains("chats")
  }

  func begin(_ file: LogFile) {
    self.file = file
    session = nil
    projectHash = nil
    model = nil
    importedAt = nil
  }

  /// A chat that is one object is written again as a whole.
  var mark: LogMark? {
    guard file.path?.hasSuffix(".jsonl") == true else { return nil }
    return LogMark([
      ("session", session), ("projectHash", projectHash), ("model", model),
      ("importedAt", importedAt.map { "\($0.milliseconds)" }),
    ])
  }

  func resume(_ mark: LogMark) {
    session = mark["session"]
    projectHash = mark["projectHash"]
    model = mark["model"]
    importedAt = mark["importedAt"].flatMap { Int64($0) }.map(Timestamp.init(milliseconds:))
  }

  func read(_ record: JSONValue, into collector: LogCollector) throws(LogProblem) {
    let update = record.member("$set") ?? record
    if let id = update.nonEmpty("sessionId") { session = id }
    if let hash = update.nonEmpty("projectHash") { projectHash = hash }
    guard let list = update.member("messages"), list.kind == .array else {
      return try read(message: record, into: collector)
    }
    for message in list.elements { try read(message: message, into: collector) }
  }

  private func read(message: JSONValue, into collector: LogCollector) throws(LogProblem) {
    if message.string("id")?.utf8.starts(with: "import-".utf8) == true {
      importedAt = LogTime.of(message.member("timestamp"))
    }
    guard message.member("type")?.utf8Equals("gemini") == true,
      let tokens = message.member("tokens"), tokens.isObject
    else { return }
    guard let id = message.nonEmpty("id") else { throw .noID }
    let session = session ?? file.stem
    let time = LogTime.of(message.member("timestamp"))
    model = message.nonEmpty("model") ?? model
    if let importedAt, let time, time < importedAt { return collector.omit(.copied) }
    messages += 1
    let use = LoggedUsage(
      key: session.map { "\($0):\(id)" } ?? id, model: model,
      usage: try Self.usage(of: tokens), usedAt: time,
      tags: LogTags(project: file.folder(around: "chats") ?? projectHash, session: session))
    try collector.hold(use, output: messages) { path in message.logMember(path)?.logText }
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
