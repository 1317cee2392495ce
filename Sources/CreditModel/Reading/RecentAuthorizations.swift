/// The authorizations that the newest records are about, newest first: what an id that is begun may
/// become.
package struct RecentAuthorizations {
  /// Their states.
  package enum State: Sendable {
    /// Neither charged nor voided.
    case open
    case charged
  }

  private let books: any LedgerReading
  private let state: State

  /// How many records are looked at: what comes before them is too old to be begun by hand.
  private static let recordLimit = 8192

  /// How many records are asked for at once.
  private static let pageCount = 256

  package init(_ state: State, in books: any LedgerReading) {
    self.books = books
    self.state = state
  }

  /// Those whose ids begin with a text.
  /// - Parameter limit: the most that are wanted.
  package func ids(beginningWith start: String, limit: Int) throws(CreditError) -> [Name] {
    var ids: [Name] = []
    // The newest record of an authorization has its state.
    var seen = NameTable()
    var position = try books.bookmark().position
    for _ in 0..<Self.recordLimit / Self.pageCount {
      let page = try books.records(
        of: nil, before: position, skipping: 0, limit: Self.pageCount)
      for stored in page {
        position = stored.position
        guard case .authorization(let id) = stored.record.event.id, seen.add(id) else { continue }
        guard isWanted(stored.record.event), id.text.utf8.starts(with: start.utf8) else { continue }
        ids.append(id)
        if ids.count == limit { return ids }
      }
      if page.isEmpty { break }
    }
    return ids
  }

  private func isWanted(_ event: LedgerEvent) -> Bool {
    switch event {
    case .authorization: state == .open
    case .charge, .amend: state == .charged
    default: false
    }
  }
}
