/// The history of one or all accounts as of its beginning. Its lines come newest
/// first, in the order of the books.
public struct LedgerHistory {
  private let books: any LedgerReading
  /// The account; nil for all.
  private let account: Name?
  /// Position of the books' end, or at least the end of the account's records.
  private let end: RecordPosition
  private let turns: [HistoryLine]
  /// Changes that started grants make to their lines, by the lines' positions. Only those that no
  /// write has recorded yet.
  public let starts: [RecordPosition: HistoryRevision]
  private let recordedCount: Int

  /// - Parameters:
  ///   - account: nil for all; an unregistered one has no lines.
  ///   - now: the time up to which unrecorded expiries and turns are shown.
  public init(
    of account: Name?, in books: any LedgerReading, policy: Policy, now: Timestamp
  ) throws(CreditError) {
    self.books = books
    self.account = account
    let policy = policy.forReading
    var turns: [LedgerRecord] = []
    var count = 0
    func take(_ newest: StoredRecord) throws(CreditError) {
      var account = newest.record.account
      count += Int(account.transactionCount)
      turns += try account.advance(to: now, under: policy, topUp: books.startingTopUp)
    }
    if let account {
      let newest = try books.newest(of: .account(account))
      if let newest { try take(newest) }
      end = RecordPosition((newest?.position.value ?? -1) + 1)
    } else {
      end = try books.bookmark().position
      _ = try books.searchAccounts(before: end) { (newest) throws(CreditError) -> Never? in
        try take(newest)
        return nil
      }
      turns.sort { $0.account.updatedAt < $1.account.updatedAt }
    }
    var starts: [RecordPosition: HistoryRevision] = [:]
    for turn in turns {
      if let original = turn.original { starts[original] = turn.revision }
    }
    self.starts = starts
    self.turns = turns.reversed().compactMap(\.historyLine)
    recordedCount = count
  }

  public var count: Int { turns.count + recordedCount }

  /// Calls `body` with the lines until it returns false.
  /// - Parameter offset: how many of the newest lines to skip.
  public func forEachLine(from offset: Int = 0, _ body: (HistoryLine) -> Bool) throws(CreditError) {
    for line in turns.dropFirst(offset) {
      if !body(line) { return }
    }
    var skipped = max(0, offset - turns.count)
    var revisions = HistoryRevisions(
      books: books, end: end, missesNewer: skipped > 0, latest: starts)
    var position = end
    while true {
      let page = try books.records(
        of: account, before: position, skipping: skipped, limit: LedgerPage.count)
      guard let last = page.last else { return }
      for line in try revisions.lines(of: page) {
        if !body(line) { return }
      }
      position = last.position
      skipped = 0
    }
  }
}

/// Later records' changes of lines of the history.
///
/// A walk from the newest record back meets every change before its line. A walk that begins
/// further down looks up the lines' ids.
struct HistoryRevisions {
  let books: any LedgerReading
  /// The end of the books when the history was begun: later changes do not count.
  let end: RecordPosition
  /// True if the walk begins further down.
  let missesNewer: Bool
  /// The latest change of lines further down, by their positions; at first those of lines that
  /// have no record yet.
  var latest: [RecordPosition: HistoryRevision]

  /// Returns the lines at the places of records, in their current state.
  /// - Parameter page: the next records on the way down.
  mutating func lines(of page: [StoredRecord]) throws(CreditError) -> [HistoryLine] {
    if missesNewer { try lookUp(page) }
    var lines: [HistoryLine] = []
    for stored in page {
      if let original = stored.record.original, let revision = stored.record.revision {
        let isLatest = latest[original]?.note(earlier: revision) == nil
        if isLatest { latest[original] = revision }
      }
      guard var line = try books.historyLine(of: stored, in: page) else { continue }
      if let revision = latest.removeValue(forKey: stored.position) { line.apply(revision) }
      lines.append(line)
    }
    return lines
  }

  private mutating func lookUp(_ page: [StoredRecord]) throws(CreditError) {
    let lines = page.filter { $0.record.historyLine != nil && $0.record.original == nil }
    let known = lines.compactMap { stored in stored.record.event.id.map { (stored, $0) } }
    if known.isEmpty { return }
    let newest = try books.newest(of: known.map(\.1))
    for ((stored, id), newest) in zip(known, newest) {
      guard var newest, newest.position != stored.position else { continue }
      if newest.position >= end {
        let earlier = try books.search(stored.record.account.name, before: end) {
          $0.record.event.id == id ? $0 : nil
        }
        guard let earlier, earlier.position != stored.position else { continue }
        newest = earlier
      }
      latest[stored.position] = try books.revision(of: stored, by: newest)
    }
  }
}

extension LedgerReading {
  func startingTopUp(_ id: Name) throws(CreditError) -> TransactionEntry? {
    try newest(of: .transaction(id)).flatMap(TransactionEntry.init)
  }

  /// Returns the changes up to a later record to the line of a transaction's first one.
  /// - Parameter known: the changes up to the record before it, if they are known.
  public func revision(
    of first: StoredRecord, by newest: StoredRecord, after known: HistoryRevision? = nil
  ) throws(CreditError) -> HistoryRevision? {
    var revision = newest.record.revision(since: first.record)
    if revision?.transaction?.paid?.extendedAt == nil { return revision }
    if let known, known.transaction?.paid?.extendedAt != nil {
      revision?.note(earlier: known)
      return revision
    }
    _ = try search(first.record.account.name, before: newest.position) { stored -> Void? in
      if stored.record.original == first.position, let earlier = stored.record.revision {
        revision?.note(earlier: earlier)
      }
      return stored.position > first.position ? nil : ()
    }
    return revision
  }

  /// Returns the line at the place of a record.
  ///
  /// If a correction may be the charge after a return, the account's record before it tells.
  /// - Parameter page: records beside it, of which none is left out.
  func historyLine(of stored: StoredRecord, in page: [StoredRecord]) throws(CreditError)
    -> HistoryLine?
  {
    guard var line = stored.record.historyLine else { return nil }
    guard case .amend(let charge) = stored.record.event, let amendment = charge.amendment,
      amendment.mayFollowReturn(of: charge)
    else { return line }
    let account = stored.record.account.name
    let beside = page.lazy.filter {
      $0.position < stored.position && $0.record.account.name == account
    }
    var before = beside.max { $0.position < $1.position }
    if before == nil {
      before = try records(of: account, before: stored.position, skipping: 0, limit: 1).first
    }
    if case .amend(let earlier)? = before?.record.event, earlier.amendment?.isReturn == true,
      earlier.receipt.authorization.id == charge.receipt.authorization.id
    {
      return line
    }
    line.creditsForfeited = amendment.forfeited(by: charge, isAfterReturn: false)
    return line
  }
}
