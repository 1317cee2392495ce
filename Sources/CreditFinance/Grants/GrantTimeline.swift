internal import CreditBytes
internal import CreditJSON
public import CreditModel

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
    let schedule = Self.schedule(line, event)
    if let schedule { events.append(schedule) }
    event.isStart = schedule != nil
    if line.counts, schedule?.time != event.time {
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
    guard let account = accounts[Name(trusted: line.account)] else { return }
    var event = GrantEvent(line, account: account)
    guard events.count < Self.lineLimit, let time = line.value.timestamp("endedAt") else { return }
    event.note = notes.count
    notes.append(try GrantNote(line))
    newest = max(newest, time)
    if let end = Self.end(line, event) { events.append(end) }
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

  /// The event of a grant that was to start later than it was recorded. One that was refunded
  /// before that has no other.
  private static func schedule(_ line: ReportLine, _ event: GrantEvent) -> GrantEvent? {
    guard let scheduledAt = line.scheduledAt else { return nil }
    var schedule = event
    schedule.time = scheduledAt
    schedule.isSchedule = true
    return schedule
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
}

/// A row for each top-up: the use of its credits, and their value. A subscription's payment is
/// earned by time.
public final class GrantRows: ReportForm {
  public var output = ReportText()
  public private(set) var remarks: [String] = []
  private let form: RowForm
  private let period: ReportPeriod
  private let now: Timestamp
  private var timeline = GrantTimeline()

  /// - Parameters:
  ///   - period: use, revenue, expiries and refunds in it count; the rest is as at its end.
  ///   - now: subscriptions are earned up to here, or to the newest line if that is later.
  public init(_ form: RowForm, in period: ReportPeriod, now: Timestamp = .earliest) {
    self.form = form
    self.period = period
    self.now = now
  }

  public var need: ReportLine.Source { .history }

  public func add(_ line: ReportLine) throws(CreditError) {
    guard try timeline.add(line) else {
      throw GrantTimeline.tooLong("--by grant")
    }
  }

  /// A top-up at the end of the period and at its beginning, if it was there, and its account.
  private struct Row {
    let grant: GrantedCredits
    let earlier: GrantedCredits?
    let account: String

    /// Returns a number's change in the period.
    func change(_ count: (GrantedCredits) -> Int128) -> Int128 {
      count(grant) - (earlier.map(count) ?? 0)
    }

    /// Returns true if the period has it only as it was before, with no credits or time left.
    func isOver(at start: Timestamp) -> Bool {
      let counts = [\GrantedCredits.used, \.expired, \.refunded]
      let isUsed = counts.contains { path in change { $0[keyPath: path] } != 0 }
      guard let earlier, !isUsed, grant.left == 0 else { return false }
      return grant.paidTime.map { $0.end <= start } ?? true
        && grant.refundedPrice == earlier.refundedPrice
    }
  }

  /// - Parameters:
  ///   - time: how much of the subscriptions' time is over.
  ///   - start: the same at the period's beginning.
  private static func columns(
    at time: Timestamp, from start: Timestamp = .earliest
  ) -> [RowColumn<Row>] {
    func credits(_ name: String, _ count: @escaping (GrantedCredits) -> Int128) -> RowColumn<Row> {
      .number(name) { .integer(String(count($0.grant))) }
    }
    func changed(_ name: String, _ count: @escaping (GrantedCredits) -> Int128) -> RowColumn<Row> {
      .number(name) { .integer(String($0.change(count))) }
    }
    func income(
      _ name: String,
      _ part: @escaping (GrantedCredits, Timestamp) throws(CreditError) -> FractionSum?
    ) -> RowColumn<Row> {
      .number(name, .shown, in: \.grant.currency) { (row) throws(CreditError) in
        var sum = try part(row.grant, time)
        if let earlier = row.earlier, let before = try part(earlier, start) {
          try sum?.subtract(before)
        }
        return try Self.money(sum, atLeast: row.grant.minorDigits)
      }
    }
    func money(
      _ name: String, _ part: @escaping (GrantedCredits) throws(CreditError) -> FractionSum?
    ) -> RowColumn<Row> {
      .number(name, .shown, in: \.grant.currency) { (row) throws(CreditError) in
        try Self.money(try part(row.grant), atLeast: row.grant.minorDigits)
      }
    }
    return [
      RowColumn("grant") { .text($0.grant.id) }, RowColumn("account") { .text($0.account) },
      RowColumn("type") { .text($0.grant.kind.rawValue) },
      RowColumn("timestamp") { .text($0.grant.time.text) },
      RowColumn("startsAt") {
        ReportCell($0.grant.isScheduled ? $0.grant.terms.startsAt?.text : nil)
      },
      RowColumn("expiresAt") { ReportCell($0.grant.terms.expiresAt?.text) },
      credits("granted", \.granted), changed("used", \.used), changed("expired", \.expired),
      changed("refunded", \.refunded), credits("left", \.left),
      .number("price", .longest, in: \.grant.currency) {
        ReportCell($0.grant.currency == nil ? nil : $0.grant.price)
      },
      RowColumn("currency") { ReportCell($0.grant.currency) },
      .number("pricePerCredit", .shown) { (row) throws(CreditError) in
        row.grant.kind == .subscription
          ? .none : try Self.money(row.grant.value(of: 1), atLeast: 0)
      },
      income("revenue") { (grant, time) throws(CreditError) in try grant.revenue(at: time) },
      money("deferred") { (grant) throws(CreditError) in try grant.deferred(at: time) },
      income("breakage") { (grant, _) throws(CreditError) in try grant.breakage },
      RowColumn("incomplete") { $0.grant.isIncomplete ? .isTrue : .none },
      RowColumn("paidFrom") { ReportCell($0.grant.paidTime?.start.text) },
      RowColumn("paidUntil") { ReportCell($0.grant.paidTime?.end.text) },
      .number("refundedPrice", .longest, in: \.grant.currency) { (row) throws(CreditError) in
        var sum = row.grant.refundedPrice
        if let before = row.earlier?.refundedPrice { try sum.add(before.negated) }
        return ReportCell(sum)
      },
      RowColumn("endedAt") { ReportCell($0.grant.endedAt?.text) },
      income("kept") { (grant, _) throws(CreditError) in
        // Of a subscription all that a refund leaves is revenue.
        let isPaidBack = grant.refundedPrice != nil && grant.kind != .subscription
        return grant.currency != nil && (grant.refunded != 0 || isPaidBack) ? try grant.kept : nil
      },
    ]
  }

  /// The names of the columns, with true for those of numbers.
  public static var names: [(name: String, isNumber: Bool)] {
    columns(at: .latest).map { ($0.name, $0.isNumber) }
  }

  public func add(repeated line: ReportLine) throws(CreditError) {
    try timeline.add(endIn: line)
  }

  public func finish() throws(CreditError) {
    let book = GrantBook(timeline, until: period.until)
    let time = period.end(after: now, timeline)
    remarks += [period.remark(onEnd: time), book.remarkOnMissing].compactMap { $0 }
    let earlier = period.since.map { GrantBook(timeline, until: $0).grants }
    let start = min(period.since ?? .earliest, time)
    timeline = GrantTimeline()
    // The grants of an earlier time are the first of all.
    let rows = book.grants.enumerated().map { place, grant in
      let before = earlier.flatMap { place < $0.count ? $0[place] : nil }
      return Row(grant: grant, earlier: before, account: book.accountName(of: grant))
    }
    .filter { !$0.isOver(at: start) }
    .sorted { ($0.grant.time, $0.grant.order) < ($1.grant.time, $1.grant.order) }
    try output.append(rows, by: Self.columns(at: time, from: start), as: form)
  }

  /// Returns at most 12 places; zeros beyond the currency's digits are left out.
  private static func money(_ sum: FractionSum?, atLeast digits: Int) throws(CreditError)
    -> ReportCell
  {
    guard let sum else { return .none }
    return .decimal(try sum.rounded(places: 12).text(atLeast: digits))
  }
}

extension GrantTimeline {
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
