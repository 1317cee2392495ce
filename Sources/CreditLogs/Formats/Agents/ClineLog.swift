internal import CreditBytes
internal import CreditJSON
internal import CreditModel

/// The tasks of Cline.
final class ClineLog: LogFormat {
  static let description = LogDescription(
    "cline", "Cline's tasks", layout: .values, endings: ["ui_messages.json"],
    variables: ["HOME"],
    places: { variable in
      AgentPlaces.extensions("saoudrizwan.claude-dev", variable)
        + (variable("HOME").map { [$0 + "/.cline/data/tasks"] } ?? [])
    })

  private var task = VSCodeTask()

  func begin(_ file: LogFile) { task.begin(file) }

  func read(_ message: JSONValue, into collector: LogCollector) throws(LogProblem) {
    try task.read(message, into: collector) { _ in false }
  }
}

/// The tasks of Roo Code, which began as a fork of Cline.
final class RooLog: LogFormat {
  static let description = LogDescription(
    "roo", "Roo Code's tasks", layout: .values, endings: ["ui_messages.json"],
    variables: ["HOME"],
    places: { variable in AgentPlaces.extensions("rooveterinaryinc.roo-cline", variable) })

  private var task = VSCodeTask()

  func begin(_ file: LogFile) { task.begin(file) }

  func read(_ message: JSONValue, into collector: LogCollector) throws(LogProblem) {
    try task.read(message, into: collector) { counts in
      let cached = counts.cacheRead.addingReportingOverflow(counts.cacheWrite)
      return !cached.overflow && cached.partialValue <= counts.input
    }
  }
}

/// A task of an extension, whose messages are one array.
private struct VSCodeTask {
  private var id: String?

  /// The folder around the messages is the task's.
  mutating func begin(_ file: LogFile) { id = file.components.dropLast().last }

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
      try read(info, of: message, isCall: kind == "api_req_started", includesCache, collector)
    }
  }

  private func read(
    _ info: JSONValue, of message: JSONValue, isCall: Bool,
    _ includesCache: (AgentCounts) -> Bool, _ collector: LogCollector
  ) throws(LogProblem) {
    var counts = try AgentCounts(
      info, "tokensIn", "tokensOut", read: "cacheReads", written: "cacheWrites")
    if counts.isZero { return }
    if includesCache(counts) { try counts.subtractCacheFromInput() }
    guard let id, let time = message.member("ts"), let moment = time.logText else { throw .noID }
    let isFinal = info.member("cost").map { !$0.isNull } ?? (info.member("cancelReason") != nil)
    let use = LoggedUsage(
      key: isCall ? "\(id):\(moment)" : "\(id):\(moment):subagents",
      model: message.member("modelInfo")?.nonEmpty("modelId") ?? Self.model(named: info),
      usage: try counts.usage(), usedAt: LogTime.of(time), reportedUSD: info.costAboveZero("cost"),
      tags: LogTags(session: id))
    try collector.hold(use, isFinal: isFinal, output: counts.output) { path in
      message.logMember(path)?.logText
    }
  }

  /// Returns the model between tags in a request's text, or nil.
  private static func model(named info: JSONValue) -> String? {
    guard let request = info.string("request") else { return nil }
    let text = request.utf8
    guard let start = text.end(of: "<model>"), let end = text[start...].start(of: "</model>"),
      let model = String(text[start..<end]), !model.isEmpty
    else { return nil }
    return model
  }
}

extension Collection<UInt8> where SubSequence: Collection<UInt8>, Index == String.Index {
  /// Returns the start of a contained text.
  fileprivate func start(of text: StaticString) -> Index? {
    let bytes = Bytes(text)
    return indices.first { self[$0] == bytes[0] && self[$0...].starts(with: bytes) }
  }

  /// Returns the end of a contained text.
  fileprivate func end(of text: StaticString) -> Index? {
    start(of: text).flatMap { index($0, offsetBy: text.utf8CodeUnitCount, limitedBy: endIndex) }
  }
}
