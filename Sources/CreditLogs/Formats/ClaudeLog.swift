internal import CreditBytes
internal import CreditJSON
internal import CreditModel
internal import CreditSystem

/// Claude Code's transcripts.
final class ClaudeLog: LogFormat {
  static let description = LogDescription(
    "claude", "Claude Code's transcripts", layout: .lines, endings: [".jsonl"],
    variables: ["CLAUDE_CONFIG_DIR", "HOME"],
    places: { variable in
      guard let named = variable("CLAUDE_CONFIG_DIR"), !named.isEmpty else {
        guard let home = variable("HOME") else { return [] }
        return [home + "/.claude/projects", home + "/.config/claude/projects"]
      }
      return named.utf8.split(separator: UInt8(ascii: ",")).map { folder in
        let folder = String(folder) ?? ""
        return folder.hasSuffix("/projects") ? folder : folder + "/projects"
      }
    })

  private var file = LogFile(path: nil)

  func begin(_ file: LogFile) { self.file = file }

  func wants(_ line: Bytes) -> Bool { line.contains("\"usage\"") }

  var mark: LogMark? { LogMark() }

  func read(_ record: JSONValue, into collector: LogCollector) throws(LogProblem) {
    // A subagent's progress holds the whole line of its message.
    let line =
      record.member("message").map { _ in record } ?? record.member("data")?.member("message")
    guard let line, let message = line.member("message"), message.member("usage")?.isObject == true
    else { return }
    let model = message.nonEmpty("model")
    if model == "<synthetic>" || line.member("isApiErrorMessage")?.bool == true { return }
    guard
      let id = message.nonEmpty("id") ?? line.nonEmpty("requestId") ?? line.nonEmpty("uuid")
    else { throw .noID }
    let reading = UsageReading(of: message)
    let usage = try LoggedCounts(reading)
    let use = LoggedUsage(
      key: id, model: model, usage: usage, usedAt: LogTime.of(line.member("timestamp")),
      reportedUSD: line.cost("costUSD"), tags: tags(of: line, in: record))
    try collector.hold(
      use, isFinal: reading.isComplete, output: usage.tokens.outputTokens
    ) { path in
      record.logMember(path)?.logText
    }
  }

  private func tags(of line: JSONValue, in record: JSONValue) -> LogTags {
    LogTags(
      project: project(cwd: record.nonEmpty("cwd") ?? line.nonEmpty("cwd")),
      session: record.nonEmpty("sessionId") ?? line.nonEmpty("sessionId") ?? file.stem)
  }

  /// Returns the folder in which a session was started. The name of its transcripts' folder is that
  /// path with dashes for all bytes except letters and digits; the working folder shows these
  /// bytes, if it is the same one or inside.
  private func project(cwd: String?) -> String? {
    guard
      let name = file.folder(within: "projects")
        ?? file.components.dropLast().last(where: { $0.hasPrefix("-") })
    else { return cwd }
    if let cwd {
      let bytes = cwd.utf8
      let end = bytes.index(bytes.startIndex, offsetBy: name.utf8.count, limitedBy: bytes.endIndex)
      if let end, end == bytes.endIndex || bytes[end] == UInt8(ascii: "/"),
        zip(name.utf8, bytes).allSatisfy({
          $0 == $1 || $0 == UInt8(ascii: "-") && !$1.isAlphanumeric
        })
      {
        return String(cwd[..<end])
      }
    }
    guard name.hasPrefix("-") else { return name }
    return String(
      decoding: name.utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "/") : $0 }, as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate var isAlphanumeric: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }
}
