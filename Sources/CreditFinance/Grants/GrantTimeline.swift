internal import CreditModel

/// The order of lines in the input: most of them show it.
struct InputOrder {
  private var (oldestFirst, newestFirst) = (0, 0)

  /// Compares a line with the one that was read before it.
  mutating func note(follows: Bool, precedes: Bool) {
    if !precedes { oldestFirst += 1 }
    if !follows { newestFirst += 1 }
  }

  var isOldestFirst: Bool? { lead == 0 ? nil : lead > 0 }
  var lead: Int { oldestFirst - newestFirst }
  /// True if some lines show another order than others, or none.
  var isMixed: Bool { min(oldestFirst, newestFirst) > 0 }
}

/// The order of a report's lines of one time: by their balances, or else that of other times.
///
/// Exports may follow one another in any order.
struct LineOrder {
  private var (balances, times) = (InputOrder(), InputOrder())
  private var last: (account: String, time: Timestamp, balance: Int128, before: Int128)?

  mutating func note(_ line: ReportLine) {
    let (time, balance) = (line.recordedAt, Int128(line.balance))
    let before = balance - Int128(line.credits)
    if let last, last.time != time {
      times.note(follows: time > last.time, precedes: time < last.time)
    } else if let last, last.account == line.account {
      balances.note(follows: before == last.balance, precedes: last.before == balance)
    }
    last = (line.account, time, balance, before)
  }

  var isNewestFirst: Bool { (balances.isOldestFirst ?? times.isOldestFirst) != true }
}

/// A history's lines, read in any order, in the order of their effect.
struct GrantTimeline {
  static let lineLimit = 10_000_000

  private(set) var accounts: [Name: Int] = [:]
  private(set) var accountNames: [String] = []
  private var events: [GrantEvent] = []
  private var notes: [GrantNote] = []
  /// The order of each account's lines by their times, and the time of its last one.
  private var times: [(order: InputOrder, last: Timestamp)] = []
  /// The charges that were corrected or refunded, whose use has to be kept.
  private(set) var corrected: Set<UInt64> = []
  /// The transfers whose giver's line is there.
  private(set) var given: Set<UInt64> = []
  private(set) var newest = Timestamp.earliest

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
      times.append((InputOrder(), event.time))
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
    }
    if line.counts, line.scheduledAt != event.time {
      let last = times[account].last
      if !event.isMoved, event.time != last {
        times[account].order.note(follows: event.time > last, precedes: event.time < last)
        times[account].last = event.time
      }
      events.append(event)
    }
    try add(endIn: line)
    return true
  }

  /// Adds the extensions and the early end of a subscription, from its line or a repeated one.
  mutating func add(endIn line: ReportLine) throws(CreditError) {
    guard events.count < Self.lineLimit, let account = accounts[Name(trusted: line.account)]
    else { return }
    // The last state of each time.
    var ends: [Timestamp: (until: Timestamp, isEarly: Bool)] = [:]
    for (place, end) in line.paidEnds.enumerated() {
      if place > 0 || line.isRepetition { ends[end.knownAt] = (end.until, false) }
      if let endedAt = end.endedAt { ends[endedAt] = (end.until, true) }
    }
    for (time, end) in ends {
      var (event, note) = (GrantEvent(line, account: account), try GrantNote(line))
      (event.time, event.isEnd, event.note) = (time, true, notes.count)
      (note.paidUntil, note.isEndedEarly) = end
      notes.append(note)
      events.append(event)
      newest = max(newest, time)
    }
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
  /// far as the input shows it. It is not certain if its lines of one time have no order.
  /// - Parameter until: nil for all.
  func forEachInstant<Failure: Error>(
    until: Timestamp?, _ body: (_ events: [GrantEvent], _ isCertain: Bool) throws(Failure) -> Void
  ) throws(Failure) {
    let places = events.indices.sorted { (events[$0].time, $0) < (events[$1].time, $1) }
    func instant(from start: Int) -> ArraySlice<Int> {
      places[start...].prefix { events[$0].time == events[places[start]].time }
    }
    var (balances, start) = (InputOrder(), 0)
    while start < places.count {
      let instant = instant(from: start)
      if instant.count > 1 { noteOrder(of: instant, in: &balances) }
      start = instant.endIndex
    }
    let usual = times.reduce(0) { $0 + $1.order.lead.signum() } > 0
    let isOldestFirst = times.map { balances.isOldestFirst ?? $0.order.isOldestFirst ?? usual }
    start = 0
    while start < places.count {
      let instant = instant(from: start)
      if let until, events[places[start]].time >= until { return }
      let ranked = instant.map { (isOldestFirst[events[$0].account] ? $0 : -$0, $0) }.sorted(by: <)
      try body(ranked.map { events[$0.1] }, !balances.isMixed)
      start = instant.endIndex
    }
  }

  /// Compares each line of an instant with the one of its account before. An account's lines show
  /// no order if some of that time are missing, or have another place.
  private func noteOrder(of instant: ArraySlice<Int>, in order: inout InputOrder) {
    let lines = instant.map { events[$0] }.filter { !$0.isSchedule && !$0.isEnd }
    for lines in Dictionary(grouping: lines, by: \.account).values
    where lines.count > 1 && !lines.contains(where: \.isMoved) {
      var starts: [Int128: Int] = [:]
      for line in lines {
        starts[line.before, default: 0] += 1
        starts[Int128(line.balance), default: 0] -= 1
      }
      // The refund of a grant that has not started leaves the balance as it is.
      let isOdd = lines.map { $0.kind == .refund && $0.credits < 0 }
      if !isOdd.contains(true), starts.values.reduce(0, { $0 + max(0, $1) }) > 1 { continue }
      for place in 1..<lines.count where !isOdd[place] && !isOdd[place - 1] {
        let (line, last) = (lines[place], lines[place - 1])
        order.note(follows: line.before == last.balance, precedes: last.before == line.balance)
      }
    }
  }

  /// The error of a report with a flag that keeps each line.
  static func tooLong(_ flag: String) -> CreditError {
    CreditError(
      .limitExceeded, "\(flag) holds all lines in memory, and there are more than \(lineLimit)")
  }
}

extension ReportPeriod {
  /// Says that a period ends later than the known lines; nil if it does not.
  func remark(onEnd end: Timestamp) -> String? {
    guard let until, end < until else { return nil }
    return "the report ends at \(end.text), not at \(until.text)"
  }

  /// Time up to which lines are known: the end of the period, or now if it lasts longer.
  func end(after now: Timestamp, _ timeline: GrantTimeline) -> Timestamp {
    let known = max(now, timeline.newest)
    return until.map { min($0, known) } ?? known
  }
}
