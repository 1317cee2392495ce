internal import CreditJSON
internal import CreditModel
internal import CreditSystem

final class CodexLog: LogFormat {
  static let description = LogDescription(
    name: "codex", summary: "Codex sessions, and what codex exec --json prints", layout: .lines,
    endings: [".jsonl"],
    signs: ["session_meta", "turn_context", "thread.started", "event_msg", "response_item"],
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
  /// The tier of service of the turn; nil for an ordinary one.
  private var tier: String?
  private var counters = CodexCounters()
  /// How many calls of each total there were: agents side by side may reach the same one.
  private var totals: [Int64: Int32] = [:]
  private var records = CodexRecords()
  /// The calls of earlier files that have records alone.
  private var unpaired: [CodexRecords.Record] = []
  /// The last totals of threads in earlier runs.
  private var known: [String: CodexCounts] = [:]

  func begin(_ file: LogFile) {
    unpaired += records.records
    files.append(file)
    session = nil
    thread = nil
    opening = CodexOpening()
    model = nil
    tier = nil
    counters = CodexCounters()
    totals = [:]
    records = CodexRecords()
  }

  /// A file is continued once its own events have begun.
  var mark: LogMark? {
    guard let session, thread == nil, opening.isOver, !records.endsWithinPair else { return nil }
    let found = sessions[session]
    let values: [String: String?] = [
      "session": found.id, "project": found.project, "account": found.account,
      "model": model, "tier": tier, "counters": counters.text,
      "totals": totals.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: ","),
    ]
    return values.compactMapValues(\.self)
  }

  func resume(_ mark: LogMark) {
    guard let id = mark["session"], let counters = CodexCounters(text: mark["counters"] ?? "")
    else { return }
    session = sessions.number(of: id, project: mark["project"], account: mark["account"])
    model = mark["model"]
    tier = mark["tier"]
    self.counters = counters
    for total in (mark["totals"] ?? "").utf8.split(separator: UInt8(ascii: ",")) {
      let parts = total.split(separator: UInt8(ascii: "=")).map { String($0) ?? "" }
      if parts.count == 2, let total = Int64(parts[0]) { totals[total] = Int32(parts[1]) }
    }
  }

  /// A line's type is near its beginning, or near its end if names were sorted.
  func wants(_ line: Bytes) -> Bool {
    records.seeLine()
    if !opening.isOver { return true }
    if line.count <= 4096 { return Self.isWanted(line) }
    return Self.isWanted(Bytes(rebasing: line[..<512]))
      || Self.isWanted(Bytes(rebasing: line[(line.count - 512)...]))
  }

  private static func isWanted(_ text: Bytes) -> Bool {
    text.contains("token_count") || text.contains("turn_context") || text.contains("session_meta")
      || text.contains("token_usage_record") || text.contains("turn.completed")
      || text.contains("thread.started")
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
      tier = Self.tier(payload)
    case "event_msg" where payload?.member("type")?.utf8Equals("token_count") == true:
      if let payload, let info = payload.object("info") {
        try read(info, Self.tier(info) ?? Self.tier(payload), at: time, collector)
      }
    case "token_usage_record":
      if let payload, let usage = payload.member("usage") {
        try read(usage, ofRecord: payload, at: time, collector)
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

  /// The tier of service that an object names.
  private static func tier(_ value: JSONValue?) -> String? {
    value?.nonEmpty("service_tier").flatMap(UsageReading.tier(named:))
  }

  /// - Parameter tier: that of the call itself, if it names one.
  private func read(
    _ info: JSONValue, _ tier: String?, at time: Timestamp?, _ collector: LogCollector
  ) throws(LogProblem) {
    let now = try CodexCounts(info.member("total_token_usage"))
    let last = try CodexCounts(info.member("last_token_usage"))
    if let now, counters.isRepeat(now, used: last) { return }
    let before = counters.before(now, used: last)
    guard let used = last ?? now?.since(before) else { return }
    let cumulative = if let now { now } else { try used.added(to: before) }
    counters.move(before, to: cumulative, used: last)
    if used.isZero { return }
    collector.noteFound()
    let session = ownSession(at: time)
    // A call's record is before its event or behind it.
    let record = records.takeRecord(of: used)
    let named = tier ?? record?.call.use.usage.tokens[.serviceTier]
    let isOpening = opening.isCopy(at: time)
    events.append(
      CodexEvent(
        session: session, file: Int32(files.count - 1), line: Int32(clamping: collector.place.line),
        model: try sessions.number(ofModel: info.nonEmpty("model") ?? model, collector),
        usage: try used.usage(servedAs: named ?? self.tier), total: cumulative.total,
        occurrence: isOpening ? 1 : occurrence(of: cumulative.total), time: time,
        identity: cumulative.identity(with: used), isOpening: isOpening))
    if record == nil {
      records.add(.init(counts: used, number: events.count - 1, namesTier: named != nil))
    }
  }

  private func occurrence(of total: Int64) -> Int32 {
    totals[total, default: 0] += 1
    return totals[total] ?? 1
  }

  private func ownSession(at time: Timestamp?) -> Int32 {
    let own =
      session ?? sessions.number(of: files.last?.stem ?? "session", created: time, isTold: false)
    session = own
    return own
  }

  /// Reads the record of a call. That of a compaction has no event; newer logs may have records
  /// alone.
  private func read(
    _ usage: JSONValue, ofRecord payload: JSONValue, at time: Timestamp?, _ collector: LogCollector
  ) throws(LogProblem) {
    guard let used = try CodexCounts(usage), !used.isZero else { return }
    let tier = Self.tier(payload) ?? Self.tier(usage)
    if let event = records.takeEvent(of: used) {
      if !event.namesTier, let tier {
        events[event.number].usage.tokens[.serviceTier] = tier
      }
      return
    }
    let own = sessions[ownSession(at: time)].id
    // A fork begins with the records of the session that it was forked from.
    if let thread = payload.nonEmpty("thread_id"), thread != own, opening.isCopy(at: time) {
      return collector.omit(.copied)
    }
    let total = try CodexCounts(payload.member("thread_token_usage"))?.total
    guard
      let key = payload.nonEmpty("response_id") ?? total.map({ "\(own):record:\($0)" })
    else { throw .noID }
    let session = sessions[ownSession(at: time)]
    let use = LoggedUsage(
      key: key, model: payload.nonEmpty("model") ?? model,
      usage: try used.usage(servedAs: tier ?? self.tier), usedAt: time,
      tags: LogTags(project: session.project, session: session.id))
    let call = LoggedCall(use, of: payload, collector) { _ in session.account }
    records.add(.init(counts: used, call: call))
  }

  private func read(
    _ usage: JSONValue, of record: JSONValue, at time: Timestamp?, _ collector: LogCollector
  ) throws(LogProblem) {
    guard let thread else { throw .noID }
    guard let total = try CodexCounts(usage) else { return }
    collector.noteFound()
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
      let id = sessions[event.session].id
      let number = event.occurrence == 1 ? "" : ":\(event.occurrence)"
      add(
        "\(id):\(event.total)\(number)", event.usage, sessions[event.session], event.model,
        event.time, at: (event.file, event.line), collector)
    }
    for record in unpaired + records.records { record.call.add(to: collector) }
    finishTurns(into: collector)
  }

  private func finishTurns(into collector: LogCollector) {
    var before: CodexCounts?
    var last: CodexTurn?
    let ordered = turns.sorted { ($0.thread, $0.total.total) < ($1.thread, $1.total.total) }
    for turn in ordered {
      let thread = sessions[turn.thread]
      if last?.thread != turn.thread { before = known[thread.id] }
      last = turn
      // An earlier run has read so far.
      if let before, before.follow(turn.total) { continue }
      defer { before = turn.total }
      guard let usage = try? turn.total.since(before).usage() else { continue }
      add(
        "\(thread.id):\(turn.total.total)", usage, thread, turn.model, turn.time,
        at: (turn.file, turn.line), collector)
    }
    for turn in turns {
      let id = sessions[turn.thread].id
      if known[id].map(turn.total.follow) ?? true { known[id] = turn.total }
    }
  }

  var totalsOfThreads: [String: String] { known.mapValues(\.text) }

  func recall(_ totals: [String: String]) {
    for (thread, text) in totals { known[thread] = CodexCounts(text: text) }
  }

  private func add(
    _ key: String, _ usage: LoggedCounts, _ session: CodexSessions.Session, _ model: Int32,
    _ time: Timestamp?, at place: (file: Int32, line: Int32), _ collector: LogCollector
  ) {
    collector.place = (files[Int(place.file)], Int(place.line))
    let use = LoggedUsage(
      key: key, model: sessions.model(model), usage: usage, usedAt: time,
      tags: LogTags(project: session.project, session: session.id))
    collector.attempt { () throws(LogProblem) in
      try collector.add(use) { _ in session.account }
    }
  }
}
