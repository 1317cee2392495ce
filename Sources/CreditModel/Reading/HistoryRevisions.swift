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
