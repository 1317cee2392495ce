internal import CreditJSON
internal import CreditModel
internal import CreditSystem

/// Qwen Code's recorded chats.
final class QwenLog: LogFormat {
  static let description = LogDescription(
    "qwen", "Qwen Code's recorded chats", layout: .lines, endings: [".jsonl"],
    variables: ["QWEN_DATA_DIR", "HOME"],
    places: { variable in
      AgentPlaces.folders(variable, named: "QWEN_DATA_DIR", home: "/.qwen", within: "/projects")
    },
    rule: """
      A line of an assistant with `usageMetadata` is a call, under the line's `uuid`, which branches
      of a chat repeat. What is cached is part of the prompt. Thoughts come on top of the
      candidates, unless the total shows that these include them, as with models that speak OpenAI's
      language. The project is the working folder, the session its id.
      """,
    source: """
      Written by QwenLM/qwen-code, `packages/core/src/services/chatRecordingService.ts`.
      """)

  private var file = LogFile(path: nil)

  func begin(_ file: LogFile) { self.file = file }

  func reads(_ file: LogFile) -> Bool { file.components.dropLast().last == "chats" }

  func wants(_ line: UnsafeRawBufferPointer) -> Bool { line.contains("\"usageMetadata\"") }

  var mark: LogMark? { LogMark() }

  func read(_ line: JSONValue, into collector: LogCollector) throws(LogProblem) {
    guard line.string("type") == "assistant", let usage = line.member("usageMetadata"),
      usage.isObject
    else { return }
    guard let id = line.nonEmpty("uuid") else { throw .noID }
    let use = LoggedUsage(
      key: id, model: line.nonEmpty("model"), usage: try Self.counts(of: usage),
      usedAt: LogTime.of(line.member("timestamp")),
      tags: LogTags(
        project: line.nonEmpty("cwd") ?? file.folder(around: "chats"),
        session: line.nonEmpty("sessionId") ?? file.stem))
    try collector.add(use) { path in line.logMember(path)?.logText }
  }

  /// The members are those of the Gemini API, whatever the model: only thoughts may be within
  /// the candidates.
  private static func counts(of usage: JSONValue) throws(LogProblem) -> LoggedCounts {
    let prompt = try usage.count("promptTokenCount") ?? 0
    let candidates = try usage.count("candidatesTokenCount") ?? 0
    let isWithin =
      try usage.count("totalTokenCount").map { Int128($0) == Int128(prompt) + Int128(candidates) }
      ?? false
    var text = UsageText(member: "usageMetadata")
    for (name, value) in usage.members
    where !isWithin || !name.utf8Equals("thoughtsTokenCount") { text.member(name, value) }
    return try text.usage()
  }
}
