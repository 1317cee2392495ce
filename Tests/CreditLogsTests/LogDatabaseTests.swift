import CreditSystem
import Foundation
import Testing

@testable import CreditLogs
@testable import TestSupport

/// Logs that are SQLite databases, as OpenCode and GitHub Copilot CLI keep them.
@Suite(.enabled(if: MachineCommands.expects("sqlite3"))) final class LogDatabaseTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "credit-database-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func path(_ name: String) -> String { folder.appending(path: name).path }

  private func sql(_ name: String, _ statements: String) throws {
    let sqlite = try #require(MachineCommands.path(of: "sqlite3"))
    #expect(try TestProcess.run(sqlite, [path(name), statements]) == 0)
  }

  private func read(
    _ format: String, _ paths: String..., commands: String? = MachineCommands.searchPath
  ) -> (log: PrintedLog, tally: LogTally) {
    let log = PrintedLog()
    guard let format = LogFormats.named(format) else { return (log, LogTally()) }
    let run = LogRun(format, .me, system: PosixSystem(), commands: commands, output: log)
    run.read(paths)
    return (log, run.finish())
  }

  // MARK: OpenCode

  /// The tables as anomalyco/opencode makes them in `packages/opencode/src/session/session.sql.ts`.
  private static let openCode = """
    PRAGMA journal_mode = WAL;
    CREATE TABLE session (id text PRIMARY KEY, directory text NOT NULL, title text NOT NULL);
    CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, \
    time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
    CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL, \
    type text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, \
    data text NOT NULL);
    INSERT INTO session VALUES ('ses_1', '/home/ana/app', 't');
    """

  private func message(_ id: String, created: Int = 1_771_495_200_000, completed: String = "1")
    -> String
  {
    """
    INSERT INTO message VALUES ('\(id)', 'ses_1', 1, 1, '{"role":"assistant",\
    "time":{"created":\(created),"completed":\(completed)},"parentID":"msg_0",\
    "modelID":"claude-sonnet-4-5","providerID":"anthropic","mode":"build",\
    "path":{"cwd":"/home/ana/app","root":"/"},"cost":0.10,"tokens":{"input":10,"output":20,\
    "reasoning":5,"cache":{"read":3,"write":4}}}');
    """
  }

  @Test func messagesOfADatabaseAreCalls() throws {
    try sql(
      "opencode.db",
      Self.openCode + message("msg_1", created: 1_771_495_100_000) + message("msg_2") + """
        INSERT INTO message VALUES ('msg_0', 'ses_1', 1, 1, '{"role":"user","summary":{}}');
        """)
    let (log, tally) = read("opencode", path("opencode.db"))
    #expect(
      log.requests == [
        """
        {"account":"me","key":"msg_1","model":"claude-sonnet-4-5","usage":{"inputTokens":10,\
        "outputTokens":25,"cacheReadTokens":3,"cacheWriteTokens":4},"reportedUSD":"0.10",\
        "usedAt":"2026-02-19T09:58:20.000Z","tags":{"source":"opencode",\
        "project":"/home/ana/app","session":"ses_1"}}
        """,
        """
        {"account":"me","key":"msg_2","model":"claude-sonnet-4-5","usage":{"inputTokens":10,\
        "outputTokens":25,"cacheReadTokens":3,"cacheWriteTokens":4},"reportedUSD":"0.10",\
        "usedAt":"2026-02-19T10:00:00.000Z","tags":{"source":"opencode",\
        "project":"/home/ana/app","session":"ses_1"}}
        """,
      ])
    #expect(tally.lines.isEmpty && log.misfits.isEmpty && log.failures.isEmpty)
  }

  @Test func messagesByTypeAreCallsWithoutTheirContent() throws {
    let content = String(repeating: "x", count: 3 << 20)
    try sql("opencode-next.db", Self.openCode)
    // A statement of this size comes from a file.
    try """
    INSERT INTO session_message VALUES ('msg_1', 'ses_1', 'assistant', 1, 1, \
    '{"agent":"build","model":{"id":"gpt-5","providerID":"openai"},"content":[{"type":"text",\
    "id":"p","text":"\(content)"}],"tokens":{"input":10,"output":20,"reasoning":0,\
    "cache":{"read":0,"write":0}},"time":{"created":1771495200000,"completed":1771495201000}}');
    INSERT INTO session_message VALUES ('msg_2', 'ses_1', 'user', 1, 1, '{"text":"hi"}');
    """.write(toFile: path("large.sql"), atomically: true, encoding: .utf8)
    try sql("opencode-next.db", ".read '\(path("large.sql"))'")
    let (log, tally) = read("opencode", path("opencode-next.db"))
    #expect(log.requests.map { member("key", of: $0) } == ["msg_1"])
    #expect(log.requests.map { member("model", of: $0) } == ["gpt-5"])
    #expect(log.requests.map { member("tags.project", of: $0) } == ["/home/ana/app"])
    #expect(tally.lines.isEmpty)
  }

  @Test func aMessageOfBothKindsOfStoreCountsOnce() throws {
    try sql("opencode.db", Self.openCode + message("msg_1"))
    try """
    {"id":"msg_1","sessionID":"ses_1","role":"assistant","time":{"created":1771495200000,\
    "completed":1},"modelID":"claude-sonnet-4-5","providerID":"anthropic",\
    "path":{"cwd":"/home/ana/app","root":"/"},"cost":0.10,"tokens":{"input":10,"output":20,\
    "reasoning":5,"cache":{"read":3,"write":4}}}
    """.write(toFile: path("msg_1.json"), atomically: true, encoding: .utf8)
    #expect(read("opencode", folder.path).log.requests.count == 1)
  }

  @Test func damagedMessagesAndThoseBeingWrittenAreLeftOut() throws {
    try sql(
      "opencode.db",
      Self.openCode + message("msg_1") + message("msg_2", created: 5, completed: "null") + """
        INSERT INTO message VALUES ('msg_3', 'ses_1', 1, 1, '{"role":"assistant",');
        """)
    let (log, tally) = read("opencode", path("opencode.db"))
    #expect(log.requests.map { member("key", of: $0) } == ["msg_1"])
    #expect(
      tally.counts == [
        "it is not a JSON object": 1,
        "its counts are not final; --partial prints it anyway": 1,
      ])
  }

  // MARK: Copilot

  private static let copilot = """
    CREATE TABLE sessions (id TEXT PRIMARY KEY, cwd TEXT, created_at TEXT);
    CREATE TABLE assistant_usage_events (id INTEGER PRIMARY KEY AUTOINCREMENT, \
    session_id TEXT NOT NULL, turn_index INTEGER, model TEXT NOT NULL, copilot_usage_model TEXT, \
    input_tokens INTEGER, output_tokens INTEGER, cache_read_tokens INTEGER, \
    cache_write_tokens INTEGER, reasoning_tokens INTEGER, total_nano_aiu INTEGER, \
    created_at TEXT DEFAULT (datetime('now')));
    INSERT INTO sessions VALUES ('s1', '/home/ana/app', '2026-07-01 12:00:00');
    """

  private func event(_ session: String, input: Int, model: String = "gpt-5.4-mini") -> String {
    """
    INSERT INTO assistant_usage_events (session_id, turn_index, model, copilot_usage_model, \
    input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, \
    created_at) VALUES ('\(session)', 0, '\(model)', NULL, \(input), 100, 300, 20974, 40, \
    '2026-07-01 12:34:56');
    """
  }

  @Test func callsOfCopilotsDatabase() throws {
    try sql("session-store.db", Self.copilot + event("s1", input: 21_343))
    let (log, tally) = read("copilot", path("session-store.db"))
    #expect(
      log.requests == [
        """
        {"account":"me","key":"s1:1","model":"gpt-5.4-mini","usage":{"inputTokens":69,\
        "outputTokens":100,"cacheReadTokens":300,"cacheWriteTokens":20974},\
        "usedAt":"2026-07-01T12:34:56.000Z","tags":{"source":"copilot",\
        "project":"/home/ana/app","session":"s1"}}
        """
      ])
    #expect(tally.lines.isEmpty)
  }

  @Test func aSessionOfTheDatabaseIsNotBilledByItsSumsToo() throws {
    try sql("session-store.db", Self.copilot + event("s1", input: 21_343))
    for session in ["s1", "s2"] {
      let state = folder.appending(path: "session-state/\(session)")
      try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
      try """
      {"type":"session.shutdown","id":"e-\(session)","timestamp":"2026-07-01T13:00:00Z",\
      "data":{"modelMetrics":{"gpt-5.4-mini":{"usage":{"inputTokens":500,"outputTokens":9,\
      "cacheReadTokens":0,"cacheWriteTokens":0}}}}}
      """.write(to: state.appending(path: "events.jsonl"), atomically: true, encoding: .utf8)
    }
    let (log, tally) = read("copilot", folder.path)
    #expect(log.requests.map { member("key", of: $0) } == ["s1:1", "e-s2:gpt-5.4-mini"])
    #expect(tally.lines.map(\.count) == [1])
  }

  @Test func olderTablesHaveFewerColumns() throws {
    try sql(
      "session-store.db",
      """
      CREATE TABLE assistant_usage_events (id INTEGER PRIMARY KEY, session_id TEXT, model TEXT, \
      input_tokens INTEGER, output_tokens INTEGER);
      INSERT INTO assistant_usage_events VALUES (7, 's', 'gpt-5', 10, 2);
      """)
    let requests = read("copilot", path("session-store.db")).log.requests
    #expect(requests.map { member("key", of: $0) } == ["s:7"])
  }

  // MARK: Any database

  @Test func aDatabaseWithoutItsTablesIsSaidToHaveNoCall() throws {
    try sql("opencode.db", "CREATE TABLE other (id);")
    #expect(
      read("opencode", path("opencode.db")).log.misfits
        == ["opencode: no call in \(path("opencode.db"))"])
  }

  @Test func aDatabaseWithoutARowIsSilent() throws {
    try sql("opencode.db", Self.openCode)
    let (log, tally) = read("opencode", path("opencode.db"))
    #expect(log.requests.isEmpty && log.misfits.isEmpty && tally.lines.isEmpty)
  }

  @Test func withoutTheCommandTheErrorNamesItsPackage() throws {
    try sql("opencode.db", Self.openCode)
    let log = read("opencode", path("opencode.db"), commands: folder.path).log
    #expect(
      log.failures == [
        "there is no sqlite3 command in the PATH, which reads \(path("opencode.db")); it is in "
          + "the package sqlite3"
      ])
  }

  @Test func aDamagedDatabaseIsReported() throws {
    try Data("SQLite format 3\0".utf8 + [UInt8](repeating: 1, count: 5000)).write(
      to: folder.appending(path: "opencode.db"))
    let failures = read("opencode", path("opencode.db")).log.failures
    #expect(failures.count == 1)
    #expect(failures.first?.hasPrefix("sqlite3 can't read \(path("opencode.db")): ") == true)
  }

  @Test func aRunWithPositionsReadsADatabaseWhole() throws {
    try sql("opencode.db", Self.openCode + message("msg_1"))
    var text: [UInt8] = []
    func keys() throws -> [String] {
      let log = PrintedLog()
      var positions = LogPositions(format: "opencode", accountMember: nil)
      try positions.read(text)
      let run = LogRun(
        OpenCodeLog.self, .me, from: positions, system: PosixSystem(),
        commands: MachineCommands.searchPath, output: log)
      run.read([folder.path])
      _ = run.finish()
      text = try #require(run.reachedPositions).text
      return log.requests.compactMap { member("key", of: $0) }
    }
    #expect(try keys() == ["msg_1"])
    try sql("opencode.db", message("msg_2", created: 7))
    #expect(try keys() == ["msg_1", "msg_2"])
  }
}
