import CreditLogs
import CreditModel
import CreditSystem
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite final class FolderTests {
  private let folder: String

  init() throws {
    folder = "/tmp/credit-logs-\(UInt64.random(in: 0...UInt64.max))"
    for name in ["", "/b", "/b/c", "/chats", "/chats/b"] { mkdir(folder + name, 0o700) }
  }

  deinit {
    var process = pid_t()
    let arguments: [UnsafeMutablePointer<CChar>?] = [
      strdup("rm"), strdup("-rf"), strdup(folder), nil,
    ]
    posix_spawnp(&process, "rm", nil, nil, arguments, environ)
    waitpid(process, nil, 0)
    for argument in arguments { free(argument) }
  }

  private func write(_ name: String, _ text: String) throws {
    let system = PosixSystem()
    let file = try system.openFile(folder + name, .create)
    _ = try Array(text.utf8).withBytes { try system.writeBytes(file, $0, at: 0) }
    system.closeFile(file)
  }

  private func read(_ format: String = "litellm", _ paths: String...) -> PrintedLog {
    let log = PrintedLog()
    guard let format = LogFormats.named(format) else { return log }
    let run = LogRun(format, .me, system: PosixSystem(), output: log)
    for path in paths { run.read([folder + path]) }
    _ = run.finish()
    return log
  }

  @Test func readsAFolderInTheOrderOfNames() throws {
    try write("/b/2.jsonl", row("b2"))
    try write("/b/1.jsonl", row("b1"))
    try write("/b/c/9.jsonl", row("bc9"))
    try write("/c.jsonl", row("c"))
    try write("/a.json", row("a"))
    try write("/notes.txt", row("no"))
    #expect(keys(read("litellm", "").requests) == ["a", "b1", "b2", "bc9", "c"])
    #expect(keys(read("litellm", "/notes.txt", "/b").requests) == ["no", "b1", "b2", "bc9"])
  }

  /// A link within a folder may lead back to it, or nowhere.
  @Test func followsLinksButNotInCircles() throws {
    try write("/b/1.jsonl", row("b1"))
    symlink(folder, folder + "/b/up")
    symlink(folder + "/b/c", folder + "/b/down")
    symlink(folder + "/gone.jsonl", folder + "/b/gone.jsonl")
    try write("/b/c/1.jsonl", row("c1"))
    let log = read("litellm", "/b")
    #expect(keys(log.requests) == ["b1", "c1"])
    #expect(log.failures == [])
  }

  /// No path can contain such a name, and its file may be billed.
  @Test func reportsNamesThatAreNotText() throws {
    try write("/b/1.jsonl", row("b1"))
    let name = Array((folder + "/b/c/\u{e9}").utf8).dropLast().map { CChar(bitPattern: $0) } + [0]
    try #require(mkdir(name, 0o700) == 0)
    let log = read("litellm", "/b")
    #expect(keys(log.requests) == ["b1"])
    #expect(log.failures.count == 1)
    #expect(log.failures.first?.contains("\(folder)/b/c/") == true)
  }

  @Test func reportsUnreadableFiles() throws {
    let log = read("litellm", "/none.jsonl")
    #expect(log.failures == ["can't open \(folder)/none.jsonl: no such file or directory"])
  }

  @Test func readsOnlyChatsOfAFolder() throws {
    let chat = """
      {"sessionId":"s","messages":[{"id":"m","type":"gemini","model":"g",\
      "tokens":{"input":1,"output":2}}]}
      """
    for name in ["/logs.json", "/chats/session-1.json", "/chats/b/2.jsonl", "/session-3.json"] {
      try write(name, chat.replacing("\"s\"", with: "\"\(name)\""))
    }
    #expect(
      keys(read("gemini", "").requests) == [
        "/chats/b/2.jsonl:m", "/chats/session-1.json:m", "/session-3.json:m",
      ])
  }
}
