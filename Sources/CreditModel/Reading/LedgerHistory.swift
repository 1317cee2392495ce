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
