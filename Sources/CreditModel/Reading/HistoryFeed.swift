/// The lines of the history as they land, oldest first.
package struct HistoryFeed {
  private var bookmark: Bookmark

  /// How many records are asked for at once.
  private static let pageCount = 256

  /// Begins with what lands from now on.
  package init(after books: any LedgerReading) throws(CreditError) {
    bookmark = try books.beginFollowing()
  }

  /// Calls `body` with the lines, and changed lines, that have landed since the last call.
  /// - Throws: `io_error` where other books have taken the place of those that were read so far.
  package mutating func readOn(in books: any LedgerReading, _ body: (HistoryLine) -> Void)
    throws(CreditError)
  {
    while true {
      let page = try books.records(after: bookmark, before: nil, limit: Self.pageCount)
      try lines(of: page.records, in: books).forEach(body)
      bookmark = page.next
      if page.records.isEmpty { return }
    }
  }

  /// The lines as they are after the records: their own, or those that they changed.
  private func lines(of records: [StoredRecord], in books: any LedgerReading) throws(CreditError)
    -> [HistoryLine]
  {
    let changed = records.compactMap { $0.record.historyLine == nil ? $0.record.original : nil }
    let originals = changed.isEmpty ? [] : try books.records(at: changed)
    var next = originals.makeIterator()
    return records.compactMap { stored in
      if let line = stored.record.historyLine { return line }
      guard stored.record.original != nil, let original = next.next() else { return nil }
      guard let revision = stored.record.revision, var line = original?.record.historyLine else {
        return nil
      }
      line.apply(revision)
      return line
    }
  }
}
