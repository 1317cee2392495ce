internal import CreditJSON
internal import CreditModel

final class ClineLog: LogFormat {
  static let description = LogDescription(
    name: "cline", summary: "Cline's tasks, and the sessions of its command line", layout: .values,
    endings: ["ui_messages.json", ".messages.json"],
    signs: [#""say""#, #""ask""#, #""modelInfo""#],
    variables: ["CLINE_SESSION_DATA_DIR", "CLINE_DATA_DIR", "CLINE_DIR", "HOME"],
    places: { variable in
      let root = variable("CLINE_DIR").flatMap { $0.isEmpty ? nil : $0 + "/data" }
      let data =
        variable("CLINE_DATA_DIR").flatMap { $0.isEmpty ? nil : $0 } ?? root
        ?? variable("HOME").map { $0 + "/.cline/data" }
      let sessions = variable("CLINE_SESSION_DATA_DIR").flatMap { $0.isEmpty ? nil : $0 }
      return AgentPlaces.extensions("saoudrizwan.claude-dev", variable)
        + [data.map { $0 + "/tasks" }, sessions ?? data.map { $0 + "/sessions" }].compactMap(\.self)
    })

  private var task = VSCodeTask()
  private var session = ClineSession(id: nil)

  func begin(_ file: LogFile) {
    task.begin(file)
    session = ClineSession(id: file.stem)
  }

  func read(_ record: JSONValue, into collector: LogCollector) throws(LogProblem) {
    guard let messages = record.member("messages"), messages.kind == .array else {
      return try task.read(record, into: collector) { _ in false }
    }
    // Other programs' files have messages, too.
    if record.member("version") != nil { collector.noteFound() }
    if let id = record.nonEmpty("sessionId") { session.id = id }
    for message in messages.elements {
      collector.attempt { () throws(LogProblem) in try session.read(message, into: collector) }
    }
  }
}

/// A session of Cline's command line, of which each message of the assistant is a call.
private struct ClineSession {
  var id: String?
  private var model: String?

  init(id: String?) { self.id = id }

  mutating func read(_ message: JSONValue, into collector: LogCollector) throws(LogProblem) {
    model = message.member("modelInfo")?.nonEmpty("id") ?? model
    guard message.string("role") == "assistant", let metrics = message.object("metrics")
    else { return }
    var counts = try AgentCounts(
      metrics, "inputTokens", "outputTokens", read: "cacheReadTokens", written: "cacheWriteTokens")
    if counts.isZero { return }
    try counts.subtractCacheFromInput()
    let time = message.member("ts")
    guard let id, let own = message.nonEmpty("id") ?? time?.logText else { throw .noID }
    let use = LoggedUsage(
      key: "\(id):\(own)", model: model, usage: try counts.usage(), usedAt: LogTime.of(time),
      reportedUSD: metrics.costAboveZero("cost"), tags: LogTags(session: id))
    try collector.add(use, of: message)
  }
}

/// The tasks of Roo Code, which began as a fork of Cline.
final class RooLog: LogFormat {
  static let description = LogDescription(
    name: "roo", summary: "Roo Code's tasks", layout: .values,
    endings: ["api_conversation_history.json", "ui_messages.json"],
    signs: [#""say""#, #""ask""#],
    variables: ["HOME"],
    places: { variable in
      AgentPlaces.extensions("rooveterinaryinc.roo-cline", variable)
        + [variable("HOME").map { $0 + "/.vscode-mock/global-storage/tasks" }].compactMap(\.self)
    }, repeatsOthers: true)

  /// The file beside the messages, with the texts sent to the model. It comes first in a folder.
  private static let conversation = "api_conversation_history.json"

  private var task = VSCodeTask()
  private var isConversation = false

  func begin(_ file: LogFile) {
    isConversation = file.components.last == Self.conversation
    task.begin(file, isConversation: isConversation)
  }

  func read(_ message: JSONValue, into collector: LogCollector) throws(LogProblem) {
    if isConversation {
      collector.noteFound()
      return task.noteModel(in: message)
    }
    // A call that condensed the conversation.
    if message.member("contextCondense")?.costAboveZero("cost") != nil { throw .costAlone }
    try task.read(message, into: collector) { counts in
      let cached = counts.cacheRead.addingReportingOverflow(counts.cacheWrite)
      return !cached.overflow && cached.partialValue <= counts.input
    }
  }
}

/// A task of an extension, whose messages are one array.
private struct VSCodeTask {
  private var id: String?
  /// The models that the task's conversation names, from their times on.
  private var models: [(time: Timestamp, model: String)] = []

  /// The folder around the messages is the task's.
  mutating func begin(_ file: LogFile, isConversation: Bool = false) {
    let folder = file.components.dropLast().last
    if folder != id || isConversation { models = [] }
    id = folder
  }

  /// Takes the model that a message of the conversation names in its text.
  mutating func noteModel(in message: JSONValue) {
    let content = message.member("content")
    let texts =
      content?.string.map { [$0] } ?? content?.elements.compactMap { $0.string("text") } ?? []
    for text in texts {
      guard let model = Self.model(in: text) else { continue }
      models.append((LogTime.of(message.member("ts")) ?? .earliest, model))
    }
  }

  /// The model of a call by the conversation.
  private func model(at time: Timestamp?) -> String? {
    (time.flatMap { time in models.last { $0.time <= time } } ?? models.first)?.model
  }

  /// Reads a message.
  /// - Parameter includesCache: true if the input of these counts includes the cached part.
  func read(
    _ message: JSONValue, into collector: LogCollector, _ includesCache: (AgentCounts) -> Bool
  ) throws(LogProblem) {
    guard message.string("type") == "say", let kind = message.string("say"),
      kind == "api_req_started" || kind == "subagent_usage", let text = message.string("text"),
      let info = try? JSONDocument(text)
    else { return }
    try info.withRoot { (info) throws(LogProblem) in
      var counts = try AgentCounts(
        info, "tokensIn", "tokensOut", read: "cacheReads", written: "cacheWrites")
      if counts.isZero { return }
      if includesCache(counts) { try counts.subtractCacheFromInput() }
      guard let id, let time = message.member("ts"), let moment = time.logText else { throw .noID }
      let isFinal = info.member("cost").map { !$0.isNull } ?? (info.member("cancelReason") != nil)
      let use = LoggedUsage(
        key: "\(id):\(moment)\(kind == "subagent_usage" ? ":subagents" : "")",
        model: message.member("modelInfo")?.nonEmpty("modelId")
          ?? info.string("request").flatMap(Self.model(in:)) ?? self.model(at: LogTime.of(time)),
        usage: try counts.usage(), usedAt: LogTime.of(time),
        reportedUSD: info.costAboveZero("cost"), tags: LogTags(session: id))
      try collector.hold(use, of: message, isFinal: isFinal, output: counts.output)
    }
  }

  /// Returns the model between tags in a request's text, or nil.
  private static func model(in request: String) -> String? {
    let text = request.utf8
    guard let start = text.end(of: "<model>"), let end = text[start...].start(of: "</model>"),
      let model = String(text[start..<end]), !model.isEmpty
    else { return nil }
    return model
  }
}

extension Collection<UInt8> where SubSequence: Collection<UInt8>, Index == String.Index {
  fileprivate func start(of text: StaticString) -> Index? {
    let bytes = Bytes(text)
    return indices.first { self[$0] == bytes[0] && self[$0...].starts(with: bytes) }
  }

  fileprivate func end(of text: StaticString) -> Index? {
    start(of: text).flatMap { index($0, offsetBy: text.utf8CodeUnitCount, limitedBy: endIndex) }
  }
}
