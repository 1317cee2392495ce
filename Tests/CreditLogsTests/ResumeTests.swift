import CreditSystem
import Foundation
import Testing

@testable import CreditLogs

/// Runs that continue from the end of the last one.
@Suite final class ResumeTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "credit-resume-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func write(_ text: String, to name: String = "a.jsonl", appending: Bool = false) throws {
    let url = folder.appending(path: name)
    if appending, let file = try? FileHandle(forWritingTo: url) {
      try file.seekToEnd()
      try file.write(contentsOf: Data(text.utf8))
      return try file.close()
    }
    try Data(text.utf8).write(to: url)
  }

  /// Returns the keys that a run prints, and the text that it leaves to the next one.
  private func run(_ format: String, _ text: inout [UInt8]) throws -> [String] {
    let log = PrintedLog()
    var positions = LogPositions(format: format, accountMember: nil)
    try positions.read(text)
    let kind = try #require(LogFormats.named(format))
    let run = LogRun(kind, .me, from: positions, system: PosixSystem(), output: log)
    run.read([folder.path])
    _ = run.finish()
    text = try #require(run.reachedPositions).text
    #expect(log.failures.isEmpty)
    return log.requests.compactMap { member("key", of: $0) }
  }

  private func message(_ id: String, output: Int = 2, stop: String = "\"end_turn\"") -> String {
    """
    {"sessionId":"s","timestamp":"2026-02-19T10:00:00Z","message":{"id":"\(id)","model":"c",\
    "stop_reason":\(stop),"usage":{"input_tokens":1,"output_tokens":\(output)}}}\n
    """
  }

  @Test func onlyNewLinesAreRead() throws {
    var text: [UInt8] = []
    try write(message("m1") + message("m2"))
    #expect(try run("claude", &text) == ["m1", "m2"])
    #expect(try run("claude", &text) == [])
    try write(message("m3"), appending: true)
    try write(message("n1"), to: "b.jsonl")
    #expect(try run("claude", &text) == ["m3", "n1"])
    // A rotated log is known by its inode.
    try FileManager.default.moveItem(
      at: folder.appending(path: "a.jsonl"), to: folder.appending(path: "z.jsonl"))
    try write(message("m4"), to: "z.jsonl", appending: true)
    try write(message("m5"))
    #expect(try run("claude", &text) == ["m5", "m4"])
  }

  @Test func aLineThatIsBeingWrittenIsReadAgain() throws {
    var text: [UInt8] = []
    let line = message("m2")
    try write(message("m1") + line.prefix(60))
    #expect(try run("claude", &text) == ["m1"])
    try write(String(line.dropFirst(60)), appending: true)
    #expect(try run("claude", &text) == ["m2"])
    try write(String(message("m3").dropLast()), appending: true)
    #expect(try run("claude", &text) == ["m3"])
    try write("\n" + message("m4"), appending: true)
    #expect(try run("claude", &text) == ["m3", "m4"])
  }

  @Test func aMessageThatIsBeingWrittenIsReadAgain() throws {
    var text: [UInt8] = []
    try write(message("m1") + message("m2", stop: "null") + message("m3"))
    #expect(try run("claude", &text) == ["m1", "m3"])
    try write(message("m2", output: 9), appending: true)
    #expect(try run("claude", &text) == ["m2", "m3"])
    try write(message("m4"), appending: true)
    #expect(try run("claude", &text) == ["m4"])
  }

  @Test func aLogThatShrankOrWasReplacedIsReadFromItsStart() throws {
    var text: [UInt8] = []
    try write(message("m1") + message("m2"))
    #expect(try run("claude", &text) == ["m1", "m2"])
    let file = try FileHandle(forUpdating: folder.appending(path: "a.jsonl"))
    try file.truncate(atOffset: 0)
    try file.write(contentsOf: Data(message("m3").utf8))
    #expect(try run("claude", &text) == ["m3"])
    // The same inode, longer than before, with another beginning.
    try file.truncate(atOffset: 0)
    try file.seek(toOffset: 0)
    try file.write(contentsOf: Data((message("m4") + message("m5")).utf8))
    try file.close()
    #expect(try run("claude", &text) == ["m4", "m5"])
  }

  private func codex(_ total: Int, _ last: Int, at second: Int) -> String {
    """
    {"timestamp":"2026-02-19T10:00:\(second + 10)Z","type":"event_msg","payload":{\
    "type":"token_count","info":{"last_token_usage":{"input_tokens":\(last),"output_tokens":1},\
    "total_token_usage":{"input_tokens":\(total),"output_tokens":1,"total_tokens":\(total + 1)}}}}\n
    """
  }

  private func codexSession(_ id: String, _ more: String = "") -> String {
    """
    {"timestamp":"2026-02-19T10:00:00Z","type":"session_meta","payload":{"id":"\(id)",\
    "timestamp":"2026-02-19T10:00:00Z","cwd":"/a"\(more)}}
    {"timestamp":"2026-02-19T10:00:01Z","type":"turn_context","payload":{"model":"gpt-5"}}\n
    """
  }

  @Test func codexGoesOnWithItsCounters() throws {
    var text: [UInt8] = []
    let whole = codexSession("s") + codex(10, 10, at: 1)
    try write(whole)
    #expect(try run("codex", &text) == ["s:11"])
    // Repeats its total, then rises.
    try write(codex(10, 10, at: 2) + codex(30, 20, at: 3), appending: true)
    #expect(try run("codex", &text) == ["s:31"])
    // A copy has no mark of the fork: all are read, so that it is recognized.
    try write(
      codexSession("t").replacing("10:00:00", with: "11:00:00") + codex(10, 10, at: 1)
        + codex(30, 20, at: 3) + codex(50, 20, at: 9), to: "b.jsonl")
    #expect(try run("codex", &text) == ["s:11", "s:31", "t:51"])
    #expect(try run("codex", &text) == [])
  }

  @Test func rewrittenLogsAreReadFromTheirStart() throws {
    var text: [UInt8] = []
    func thread(_ ids: Int...) -> String {
      let messages = ids.map {
        #"{"role":"assistant","messageId":\#($0),"usage":{"model":"x","inputTokens":1}}"#
      }
      return #"{"id":"T-a","messages":["# + messages.joined(separator: ",") + "]}\n"
    }
    try write(thread(1), to: "T-a.json")
    #expect(try run("amp", &text) == ["T-a:1"])
    try write(thread(1, 2), to: "T-a.json")
    #expect(try run("amp", &text) == ["T-a:1", "T-a:2"])
    #expect(try run("amp", &text) == [])
  }

  @Test(arguments: [
    "x", "{}", "[]", #"{"version":2,"format":"claude","logs":[]}"#,
    #"{"version":1,"format":"codex","logs":[]}"#, #"{"version":1,"format":"claude","logs":[1]}"#,
    #"{"version":1,"format":"claude","logs":[{"device":1,"inode":2,"head":9999,"hash":"0"}]}"#,
  ])
  func anotherFileIsRefused(_ text: String) {
    var positions = LogPositions(format: "claude", accountMember: nil)
    #expect(throws: LogPositions.Unreadable.self) { try positions.read(Array(text.utf8)) }
  }
}
