/// A gate that reports the results of requests without writing anything.
///
/// It applies the rules to books that are only read, and to the records of its previous requests.
/// So it is the same for every store, and needs no right to write.
public final class DryRunGate: CreditGate {
  private let reading: () throws(CreditError) -> any LedgerReading
  private let systemTime: () -> Timestamp
  private let makeID: (Timestamp) -> Name
  private var books: DryRunBooks?

  /// - Parameters:
  ///   - reading: opens the books.
  ///   - systemTime: the time by their clock, once they are open.
  ///   - makeID: makes a new, unique id for an event at a time.
  public init(
    _ reading: @escaping () throws(CreditError) -> any LedgerReading,
    systemTime: @escaping () -> Timestamp, makeID: @escaping (Timestamp) -> Name
  ) {
    self.reading = reading
    self.systemTime = systemTime
    self.makeID = makeID
  }

  public func perform(_ batch: Batch) throws(CreditError) {
    let books = if let books = self.books { books } else { try DryRunBooks(try reading()) }
    self.books = books
    defer { books.ledger.release() }
    let ledger = Ledger(
      books: books, policy: batch.policy.ofGate, systemTime: systemTime(), makeID: makeID)
    for place in batch.unanswered {
      batch.add(try ledger.answer(to: batch.requests[place]))
    }
    batch.add(registered: ledger.registered)
    batch.lookUpNoted(books.newest(of:))
  }
}

/// Books that are only read, and unwritten records after them.
private final class DryRunBooks: SearchedBooks {
  let ledger: any LedgerReading
  private(set) var latestTime: Timestamp?
  private var appended: [StoredRecord] = []
  private var newest: [RecordKey: StoredRecord] = [:]

  /// Position of the first unwritten record: beyond any store's.
  private static let firstPosition: Int64 = 1 << 62
  /// The most records that are kept in memory.
  private static let recordLimit = 200_000

  init(_ ledger: any LedgerReading) throws(CreditError) {
    self.ledger = ledger
    latestTime = try ledger.summary(before: try ledger.bookmark().position).lastTime
  }

  func account(_ name: Name) throws(CreditError) -> Account? {
    try newest(of: .account(name))?.record.account
  }

  func newest(of key: RecordKey) throws(CreditError) -> StoredRecord? {
    if let stored = newest[key] { return stored }
    return try ledger.newest(of: key)
  }

  func record(at position: RecordPosition) throws(CreditError) -> LedgerRecord? {
    let number = position.value - Self.firstPosition
    if number >= 0 { return number < appended.count ? appended[Int(number)].record : nil }
    return try ledger.records(at: [position]).first??.record
  }

  func children(of parents: Set<Name>) throws(CreditError) -> [Name: Bool] {
    let end = try ledger.bookmark().position
    var children: [Name: Bool] = [:]
    _ = try ledger.searchAccounts(before: end) { stored -> Never? in
      let account = (newest[.account(stored.record.account.name)] ?? stored).record.account
      if account.isBelow(parents) { children[account.name] = account.hasChildren }
      return nil
    }
    for (key, stored) in newest {
      guard case .account(let name) = key, stored.record.account.isBelow(parents) else { continue }
      children[name] = stored.record.account.hasChildren
    }
    return children
  }

  func search<Found>(_ account: Name, _ find: (LedgerRecord) -> Found?)
    throws(CreditError) -> Found?
  {
    var next = newest[.account(account)]
    while let stored = next {
      if let found = find(stored.record) { return found }
      let place = (stored.previous?.value ?? 0) - Self.firstPosition
      next = place < 0 ? nil : appended[Int(place)]
    }
    let end = try ledger.bookmark().position
    return try ledger.search(account, before: end) { find($0.record) }
  }

  func append(_ record: consuming LedgerRecord) throws(CreditError) {
    guard appended.count < Self.recordLimit else {
      throw CreditError(.limitExceeded, "a dry run covers at most \(Self.recordLimit) records")
    }
    let name = record.account.name
    let stored = StoredRecord(
      record, at: RecordPosition(Self.firstPosition + Int64(appended.count)),
      previous: try newest(of: .account(name))?.position)
    appended.append(stored)
    newest[.account(name)] = stored
    stored.record.keys.visit { newest[$0] = stored }
    latestTime = stored.record.account.updatedAt
  }
}
