internal import CreditJSON
internal import CreditModel

/// A history's lines, read in any order, in the order of their effect.
struct GrantTimeline {
  /// The most lines that are kept.
  static let lineLimit = 10_000_000

  private(set) var accounts: [Name: Int] = [:]
  private(set) var accountNames: [String] = []
  private var events: [GrantEvent] = []
  private var notes: [GrantNote] = []
  private var votes: [Vote] = []
  /// The charges that were corrected or refunded, whose use has to be kept.
  private(set) var corrected: Set<UInt64> = []
  /// The transfers whose giver's line is there.
  private(set) var given: Set<UInt64> = []
  /// Time of the newest line.
  private(set) var newest = Timestamp.earliest

  /// Whether an account's lines come oldest first: above 0 if more of them show it.
  private struct Vote {
    var isOldestFirst = 0
    var last: GrantEvent

    /// Compares a line with the next one read: if both are of one instant, their balances show the
    /// order.
    mutating func note(_ next: GrantEvent) {
      let follows = next.time > last.time || next.time == last.time && next.before == last.balance
      let precedes = next.time < last.time || next.time == last.time && last.before == next.balance
      if follows != precedes { isOldestFirst += follows ? 1 : -1 }
      last = next
    }
  }

  /// - Returns: false if there is no room for more lines.
  mutating func add(_ line: ReportLine) throws(CreditError) -> Bool {
    guard line.counts || line.status == .scheduled else { return true }
    guard events.count < Self.lineLimit else { return false }
    let name = Name(trusted: line.account)
    let account = accounts[name] ?? accounts.count
    let isNew = account == accounts.count
    var event = GrantEvent(line, account: account)
    newest = max(newest, event.time)
    if isNew {
      accounts[name] = account
      accountNames.append(line.account)
      votes.append(Vote(last: event))
    }
    refer(line, &event)
    if line.kind != .usage || line.value.member("taken") != nil {
      event.note = notes.count
      notes.append(try GrantNote(line))
    }
    if let scheduledAt = line.scheduledAt {
      // The record of a grant that was to start later. One that was refunded before has no other.
      var schedule = event
      schedule.time = scheduledAt
      schedule.isSchedule = true
      events.append(schedule)
      event.isStart = true
    }
    if line.counts, line.scheduledAt != event.time {
      if !isNew { votes[account].note(event) }
      events.append(event)
    }
    if let end = Self.end(line, event) {
      newest = max(newest, end.time)
      events.append(end)
    }
    return true
  }

  /// Adds the early end of a subscription from a line that is repeated for it.
  mutating func add(endIn line: ReportLine) throws(CreditError) {
    guard events.count < Self.lineLimit, let account = accounts[Name(trusted: line.account)],
      var end = Self.end(line, GrantEvent(line, account: account))
    else { return }
    end.note = notes.count
    notes.append(try GrantNote(line))
    newest = max(newest, end.time)
    events.append(end)
  }

  /// The early end of a subscription, at its own time.
  private static func end(_ line: ReportLine, _ event: GrantEvent) -> GrantEvent? {
    guard line.kind == .subscription, let endedAt = line.value.timestamp("endedAt") else {
      return nil
    }
    var end = event
    (end.time, end.isEnd) = (endedAt, true)
    return end
  }

  private mutating func refer(_ line: ReportLine, _ event: inout GrantEvent) {
    switch line.kind {
    case .usage:
      let correction = CorrectionReference(id: line.id)
      event.reference = Self.hash(correction?.charge ?? line.id, of: event.account)
      if correction != nil { corrected.insert(event.reference) }
    case .refund where line.credits > 0:
      for charge in Self.subjects(ofRefund: line.id) {
        corrected.insert(Self.hash(charge, of: event.account))
      }
    case .transfer:
      // Both sides have one id.
      event.reference = Self.hash(line.id, of: -1)
      if line.credits < 0 { given.insert(event.reference) }
    default: break
    }
  }

  func note(of event: GrantEvent) -> GrantNote? { event.note.map { notes[$0] } }

  /// A number that another text, or that of another account, has by chance only.
  static func hash(_ text: String, of account: Int) -> UInt64 {
    let hash = text.withUTF8Bytes { HashTable.hash($0) }
    return (hash ^ UInt64(bitPattern: Int64(account)) &* 0x9E37_79B9_7F4A_7C15)
      &* 0xD6E8_FEB8_6659_FD93
  }

  /// Returns the ids that a refund may be of, from the refund's own id.
  ///
  /// That is `refund:ID`, or `refund:ID:2` for a further one.
  static func subjects(ofRefund id: String) -> [String] {
    guard let colon = id.firstIndex(of: ":") else { return [] }
    let whole = id[id.index(after: colon)...]
    guard let last = whole.lastIndex(of: ":"), Int64(whole[whole.index(after: last)...]) != nil
    else { return [String(whole)] }
    return [String(whole), String(whole[..<last])]
  }

  /// Gives the events before a time, all of one instant at once: in the order of the history, as
  /// far as that is known.
  /// - Parameter until: nil for all.
  func forEachInstant<Failure: Error>(
    until: Timestamp?, _ body: ([GrantEvent]) throws(Failure) -> Void
  ) throws(Failure) {
    let usual = votes.reduce(0) { $0 + $1.isOldestFirst.signum() }
    let isOldestFirst = votes.map { ($0.isOldestFirst == 0 ? usual : $0.isOldestFirst) > 0 }
    func rank(_ place: Int) -> (Int64, Int) {
      let event = events[place]
      return (event.time.milliseconds, isOldestFirst[event.account] ? place : -place)
    }
    let order = events.indices.sorted { rank($0) < rank($1) }
    var start = 0
    while start < order.count {
      let time = events[order[start]].time
      if let until, time >= until { return }
      var end = start
      while end < order.count, events[order[end]].time == time { end += 1 }
      try body(order[start..<end].map { events[$0] })
      start = end
    }
  }

  /// The error of a report with a flag that keeps each line.
  static func tooLong(_ flag: String) -> CreditError {
    CreditError(
      .limitExceeded, "\(flag) keeps each line, and there are more than \(lineLimit)")
  }
}

extension ReportPeriod {
  /// Says that a period ends later than the known lines; nil if it does not.
  func remark(onEnd end: Timestamp) -> String? {
    guard let until, end < until else { return nil }
    return "the report goes up to now, \(end.text), and not to \(until.text)"
  }

  /// Time up to which lines are known: the end of the period, or now if it lasts longer.
  func end(after now: Timestamp, _ timeline: GrantTimeline) -> Timestamp {
    let known = max(now, timeline.newest)
    return until.map { min($0, known) } ?? known
  }
}
