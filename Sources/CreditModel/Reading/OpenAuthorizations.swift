/// The authorizations that are neither charged nor voided, oldest first.
public struct OpenAuthorizations {
  private let books: any LedgerReading
  private let account: Name?

  /// - Parameter account: nil for all.
  public init(of account: Name?, in books: any LedgerReading) {
    self.books = books
    self.account = account
  }

  /// Calls `body` with them until it returns false.
  public func forEachOne(_ body: (CreditAuthorization) -> Bool) throws(CreditError) {
    let end = try books.bookmark().position
    if let account { return try forEachOne(of: account, before: end, body) }
    _ = try books.searchPages(before: end) { records throws(CreditError) -> Bool? in
      for authorization in try open(among: records) where !body(authorization) { return true }
      return nil
    }
  }

  private func forEachOne(
    of account: Name, before end: RecordPosition, _ body: (CreditAuthorization) -> Bool
  ) throws(CreditError) {
    var newestFirst: [CreditAuthorization] = []
    var position = end
    while true {
      let page = try books.records(
        of: account, before: position, skipping: 0, limit: LedgerPage.count)
      guard let last = page.last else { break }
      newestFirst += try open(among: page)
      position = last.position
    }
    for authorization in newestFirst.reversed() {
      if !body(authorization) { return }
    }
  }

  /// Returns those of the records whose authorization has no later one.
  private func open(among records: [StoredRecord]) throws(CreditError) -> [CreditAuthorization] {
    var authorizations: [CreditAuthorization] = []
    var positions: [RecordPosition] = []
    for stored in records {
      guard case .authorization(let authorization) = stored.record.event else { continue }
      authorizations.append(authorization)
      positions.append(stored.position)
    }
    if authorizations.isEmpty { return [] }
    let newest = try books.newest(of: authorizations.map { .authorization($0.id) })
    return authorizations.indices.filter { newest[$0]?.position == positions[$0] }
      .map { authorizations[$0] }
  }
}

/// The authorizations of the newest records, newest first: completions of an id.
public struct RecentAuthorizations {
  public enum State: Sendable {
    /// Neither charged nor voided.
    case open
    case charged
  }

  private let books: any LedgerReading
  private let state: State

  /// The most records to read: older ones are rarely completed by hand.
  private static let recordLimit = 8192

  public init(_ state: State, in books: any LedgerReading) {
    self.books = books
    self.state = state
  }

  /// Returns ids that begin with a text.
  /// - Parameter limit: the most ids to return.
  public func ids(beginningWith start: String, limit: Int) throws(CreditError) -> [Name] {
    var ids: [Name] = []
    // The newest record of an authorization has its state.
    var seen = NameTable()
    var position = try books.bookmark().position
    for _ in 0..<Self.recordLimit / LedgerPage.count {
      let page = try books.records(of: nil, before: position, skipping: 0, limit: LedgerPage.count)
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
