/// The history of an account, or of all of them, as of the moment when it was begun: its lines,
/// newest first by the order of the books.
package struct LedgerHistory {
  private let books: any LedgerReading
  /// Whose; nil for all.
  private let account: Name?
  /// Position of the books' end, or at least the end of the account's records.
  private let end: RecordPosition
  /// Expiries and turns that no write has recorded yet, newest first.
  private let turns: [HistoryLine]
  /// Changes that started grants make to their lines, by the lines' positions. Only those that no
  /// write has recorded yet.
  package let starts: [RecordPosition: HistoryRevision]
  /// How many lines are recorded.
  private let recordedCount: Int

  /// How many records are asked for at once.
  private static let pageCount = 256

  /// - Parameters:
  ///   - account: whose, nil for all; one that isn't registered has no lines.
  ///   - now: the time up to which expiries and turns are shown that no write has recorded yet.
  package init(
    of account: Name?, in books: any LedgerReading, policy: Policy, now: Timestamp
  ) throws(CreditError) {
    self.books = books
    self.account = account
    var turns: [LedgerRecord] = []
    var count = 0
    func take(_ newest: StoredRecord) throws(CreditError) {
      var account = newest.record.account
      count += Int(account.transactionCount)
      turns += try account.advance(to: now, under: policy) { (id) throws(CreditError) in
        try books.newest(of: .transaction(id)).flatMap(TransactionEntry.init)
          .map(StartingTopUp.init)
      }
    }
    if let account {
      let newest = try books.newest(of: .account(account))
      if let newest { try take(newest) }
      end = RecordPosition((newest?.position.value ?? -1) + 1)
    } else {
      end = try books.bookmark().position
      var last: Name?
      while true {
        let page = try books.accounts(after: last, before: end, limit: Self.pageCount)
        for newest in page { try take(newest) }
        guard let name = page.last?.record.account.name else { break }
        last = name
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

  /// How many lines there are.
  package var count: Int { turns.count + recordedCount }

  /// Calls `body` with the lines until it returns false.
  /// - Parameter offset: how many of the newest to pass over.
  package func forEachLine(from offset: Int = 0, _ body: (HistoryLine) -> Bool)
    throws(CreditError)
  {
    for line in turns.dropFirst(offset) {
      if !body(line) { return }
    }
    var skipped = max(0, offset - turns.count)
    var revisions = HistoryRevisions(
      books, before: end, missesNewer: skipped > 0, latest: starts)
    var position = end
    while true {
      let page = try books.records(
        of: account, before: position, skipping: skipped, limit: Self.pageCount)
      guard let last = page.last else { return }
      for line in try revisions.lines(of: page) {
        if !body(line) { return }
      }
      position = last.position
      skipped = 0
    }
  }
}

/// What later records have changed about lines of the history.
///
/// A walk from the newest record back has met with every change before it comes to the line. A walk
/// that begins further down looks the lines' ids up.
struct HistoryRevisions {
  private let books: any LedgerReading
  private let end: RecordPosition
  private let missesNewer: Bool
  /// The latest change of lines further down, by their positions.
  private var latest: [RecordPosition: HistoryRevision]

  /// - Parameters:
  ///   - end: where the books ended when the history was begun: later changes do not count.
  ///   - missesNewer: whether the walk begins further down.
  ///   - latest: changes of lines that have no record yet, by their positions.
  init(
    _ books: any LedgerReading, before end: RecordPosition, missesNewer: Bool,
    latest: [RecordPosition: HistoryRevision] = [:]
  ) {
    self.books = books
    self.end = end
    self.missesNewer = missesNewer
    self.latest = latest
  }

  /// The lines at the places of records, as they are now.
  /// - Parameter page: the records that come next on the way down.
  mutating func lines(of page: [StoredRecord]) throws(CreditError) -> [HistoryLine] {
    if missesNewer { try lookUp(page) }
    return page.compactMap { stored in
      if let original = stored.record.original, latest[original] == nil {
        latest[original] = stored.record.revision
      }
      guard var line = stored.record.historyLine else { return nil }
      if let revision = latest.removeValue(forKey: stored.position) { line.apply(revision) }
      return line
    }
  }

  private mutating func lookUp(_ page: [StoredRecord]) throws(CreditError) {
    let lines = page.filter { $0.record.historyLine != nil && $0.record.original == nil }
    let known = lines.compactMap { stored in stored.record.event.id.map { (stored, $0) } }
    if known.isEmpty { return }
    let newest = try books.newest(of: known.map(\.1))
    for ((stored, id), newest) in zip(known, newest) {
      guard var newest, newest.position != stored.position else { continue }
      if newest.position >= end {
        guard let earlier = try asOfTheEnd(id, of: stored) else { continue }
        newest = earlier
      }
      latest[stored.position] = newest.record.revision(since: stored.record)
    }
  }

  /// The newest record of an id before the end, where a later one has landed meanwhile.
  private func asOfTheEnd(_ id: RecordKey, of stored: StoredRecord) throws(CreditError)
    -> StoredRecord?
  {
    var position = end
    while position > stored.position {
      let page = try books.records(
        of: stored.record.account.name, before: position, skipping: 0, limit: 256)
      if let found = page.first(where: { $0.record.event.id == id }) { return found }
      guard let last = page.last else { return nil }
      position = last.position
    }
    return nil
  }
}
