/// The authorizations that are neither charged nor voided, oldest first.
package struct OpenAuthorizations {
  private let books: any LedgerReading
  /// Whose; nil for all.
  private let account: Name?

  /// How many records are asked for at once.
  private static let pageCount = 256

  /// - Parameter account: whose, nil for all.
  package init(of account: Name?, in books: any LedgerReading) {
    self.books = books
    self.account = account
  }

  /// Calls `body` with them until it returns false.
  package func forEachOne(_ body: (CreditAuthorization) -> Bool) throws(CreditError) {
    let end = try books.bookmark().position
    if let account { return try forEachOne(of: account, before: end, body) }
    var next = Bookmark.start
    while true {
      let page = try books.records(after: next, before: end, limit: Self.pageCount)
      if page.records.isEmpty { return }
      for authorization in try open(among: page.records) {
        if !body(authorization) { return }
      }
      next = page.next
    }
  }

  /// The records of one account are read from its newest back.
  private func forEachOne(
    of account: Name, before end: RecordPosition, _ body: (CreditAuthorization) -> Bool
  ) throws(CreditError) {
    var newestFirst: [CreditAuthorization] = []
    var position = end
    while true {
      let page = try books.records(
        of: account, before: position, skipping: 0, limit: Self.pageCount)
      guard let last = page.last else { break }
      newestFirst += try open(among: page)
      position = last.position
    }
    for authorization in newestFirst.reversed() {
      if !body(authorization) { return }
    }
  }

  /// Those of the records whose authorization has no later one.
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
