internal import CreditBytes
internal import CreditJSON
internal import CreditModel
internal import CreditSystem

/// Codex's sessions, and the output of `codex exec --json`.
final class CodexLog: LogFormat {
  static let description = LogDescription(
    "codex", "Codex sessions, and what codex exec --json prints", layout: .lines,
    endings: [".jsonl"],
    variables: ["CODEX_HOME", "HOME"],
    places: { variable in
      let named = variable("CODEX_HOME").flatMap { $0.isEmpty ? nil : $0 }
      guard let home = named ?? variable("HOME").map({ $0 + "/.codex" }) else { return [] }
      return [home + "/sessions", home + "/archived_sessions"]
    }, repeatsOthers: true)

  private var files: [LogFile] = []
  private var sessions = CodexSessions()
  private var events: [CodexEvent] = []
  private var turns: [CodexTurn] = []
  // State of the file's lines so far that the next one needs.
  private var session: Int32?
  private var thread: String?
  private var opening = CodexOpening()
  private var model: String?
  private var counters = CodexCounters()

  func begin(_ file: LogFile) {
    files.append(file)
    session = nil
    thread = nil
    opening = CodexOpening()
    model = nil
    counters = CodexCounters()
  }

  /// A file is continued once its own events have begun.
  var mark: LogMark? {
    guard let session, thread == nil, opening.isOver else { return nil }
    let found = sessions[session]
    return LogMark([
      ("session", found.id), ("project", found.project), ("account", found.account),
      ("model", model), ("counters", counters.text),
    ])
  }

  func resume(_ mark: LogMark) {
    guard let id = mark["session"], let counters = CodexCounters(text: mark["counters"] ?? "")
    else { return }
    session = sessions.number(of: id, project: mark["project"], account: mark["account"])
    model = mark["model"]
    self.counters = counters
  }

  /// A line's type is near its beginning, or near its end if names were sorted.
  func wants(_ line: Bytes) -> Bool {
    if !opening.isOver { return true }
    if line.count <= 4096 { return Self.isWanted(line) }
    return Self.isWanted(Bytes(rebasing: line[..<512]))
      || Self.isWanted(Bytes(rebasing: line[(line.count - 512)...]))
  }

  private static func isWanted(_ text: Bytes) -> Bool {
    text.contains("token_count") || text.contains("turn_context") || text.contains("session_meta")
      || text.contains("turn.completed") || text.contains("thread.started")
  }

  func read(_ record: JSONValue, into collector: LogCollector) throws(LogProblem) {
    let time = LogTime.of(record.member("timestamp"))
    let payload = record.member("payload")
    opening.see(payload, at: time)
    switch record.string("type") {
    case "session_meta":
      if let payload { begin(payload, at: time, collector) }
    case "turn_context":
      model = payload?.nonEmpty("model") ?? model
    case "event_msg" where payload?.member("type")?.utf8Equals("token_count") == true:
      if let info = payload?.member("info"), info.isObject {
        try read(info, at: time, collector)
      }
    case "thread.started":
      thread = record.nonEmpty("thread_id")
    case "turn.completed":
      if let usage = record.member("usage") { try read(usage, of: record, at: time, collector) }
    default: break
    }
  }

  private func begin(_ meta: JSONValue, at time: Timestamp?, _ collector: LogCollector) {
    // In a subagent's `session_id` is the parent's.
    guard let id = meta.nonEmpty("id") ?? meta.nonEmpty("session_id") else { return }
    guard let session else {
      let created = LogTime.of(meta.member("timestamp")) ?? time
      let parent =
        meta.nonEmpty("forked_from_id")
        ?? meta.logMember("source.subagent.thread_spawn.parent_thread_id")?.string
      self.session = sessions.number(
        of: id, project: meta.nonEmpty("cwd"),
        account: collector.accountMember.flatMap { meta.logMember($0)?.logText },
        created: created, ancestor: parent)
      opening = CodexOpening(
        of: created, isFork: meta.nonEmpty("forked_from_id") != nil, hasParent: parent != nil)
      return
    }
    // That of a session whose events are copied, or the file's own again behind them.
    let isOwn = sessions[session].id == id
    if !isOwn { sessions.add(ancestor: id, to: session) }
    opening.see(metaOfItself: isOwn)
  }

  private func read(_ info: JSONValue, at time: Timestamp?, _ collector: LogCollector)
    throws(LogProblem)
  {
    let now = try CodexCounts(info.member("total_token_usage"))
    if let now, counters.contains(now) { return }
    let before = if let now { counters.before(now) } else { counters.last }
    let used = try CodexCounts(info.member("last_token_usage")) ?? now?.since(before)
    guard let used else { return }
    let cumulative = if let now { now } else { try used.added(to: before) }
    counters.move(before, to: cumulative)
    if used.isZero { return }
    let session =
      session ?? sessions.number(of: files.last?.stem ?? "session", created: time, isTold: false)
    self.session = session
    events.append(
      CodexEvent(
        session: session, file: Int32(files.count - 1), line: Int32(clamping: collector.place.line),
        model: try sessions.number(ofModel: info.nonEmpty("model") ?? model, collector),
        usage: try used.usage(), total: cumulative.total, time: time,
        identity: cumulative.identity(with: used), isOpening: opening.isCopy(at: time)))
  }

  private func read(
    _ usage: JSONValue, of record: JSONValue, at time: Timestamp?, _ collector: LogCollector
  ) throws(LogProblem) {
    guard let thread else { throw .noID }
    guard let total = try CodexCounts(usage) else { return }
    turns.append(
      CodexTurn(
        thread: sessions.number(of: thread), file: Int32(files.count - 1),
        line: Int32(clamping: collector.place.line),
        model: try sessions.number(ofModel: record.nonEmpty("model") ?? model, collector),
        total: total, time: time))
  }

  func finish(into collector: LogCollector) {
    var copies = CodexCopies(events, sessions)
    for event in events {
      if copies.isCopy(event, in: sessions) {
        collector.omit(.copied)
        continue
      }
      add(
        event.usage, sessions[event.session], total: event.total, model: event.model, event.time,
        at: (event.file, event.line), collector)
    }
    var last: CodexTurn?
    for turn in turns.sorted(by: CodexTurn.isBefore) {
      let before = last.flatMap { $0.thread == turn.thread ? $0.total : nil }
      last = turn
      guard let usage = try? turn.total.since(before).usage(), turn.total != before else {
        continue
      }
      add(
        usage, sessions[turn.thread], total: turn.total.total, model: turn.model, turn.time,
        at: (turn.file, turn.line), collector)
    }
  }

  private func add(
    _ usage: LoggedCounts, _ session: CodexSessions.Session, total: Int64, model: Int32,
    _ time: Timestamp?, at place: (file: Int32, line: Int32), _ collector: LogCollector
  ) {
    collector.place = (files[Int(place.file)], Int(place.line))
    let use = LoggedUsage(
      key: "\(session.id):\(total)", model: sessions.model(model), usage: usage, usedAt: time,
      tags: LogTags(project: session.project, session: session.id))
    collector.attempt { () throws(LogProblem) in
      try collector.add(use) { _ in session.account }
    }
  }
}
