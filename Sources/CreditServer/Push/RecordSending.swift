internal import CreditModel
internal import CreditStore

/// Appends records that other books have, under their own ids, within a transaction that is open.
/// They are trusted: no rule is asked.
struct RecordSending {
  let session: ServerSession
  let deadline: Deadline

  enum Failure: Error {
    case server(ServerFault)
    case store(CreditError)
    /// Why a record of an account can't be appended.
    case conflict(account: Name, reason: String)
  }

  /// The records that were appended.
  struct Sent {
    let count: Int
    let accounts: Set<Name>
  }

  func transact(_ records: [LedgerRecord]) throws(Failure) -> Sent {
    try run(LookUps.begin(session.options, until: deadline))
    let sent = try append(records)
    try run([Statement("COMMIT")])
    return sent
  }

  /// Appends those of the records that the server does not have.
  /// - Parameter records: in the order of their books; of each account the next ones after those
  ///   that the server has, or before them.
  private func append(_ records: [LedgerRecord]) throws(Failure) -> Sent {
    let names = Set(records.map(\.account.name)).sorted()
    var keys: Set<RecordKey> = []
    for record in records { record.keys.visit { keys.insert($0) } }
    let asked = Array(keys) + names.map { .account($0) }
    let rows = try run([
      LookUps.lock(names, waits: session.options.lockTimeoutSeconds > 0),
      LookUps.look(for: asked),
    ])
    let (accounts, newest) = try reading { () throws(CreditError) in
      let locked = try LookUps.LockedRows(rows[0])
      let newest = try LookUps.newest(in: rows[1], of: asked)
      let accounts = try names.map { (name) throws(CreditError) in
        try locked.account(name, newest)
      }
      return (accounts, newest)
    }
    var sequences: [Name: Int64] = [:]
    for account in accounts { sequences[account.name] = account.sequence }
    try compare(records.filter { $0.account.recordCount <= sequences[$0.account.name] ?? 0 })
    let books = ServerBooks(
      accounts, newest: newest, of: Array(keys), now: LookUps.Now(rows[1]))
    for record in records { try append(record, to: books, &sequences, newest) }
    if !books.writes.isEmpty { try run(books.writes.statements) }
    return Sent(
      count: books.writes.recordCount,
      accounts: Set(accounts.filter { $0.isChanged && $0.name != .nobody }.map(\.name)))
  }

  /// Refuses records that differ on the server: since the unlocked look-up, somebody may have
  /// continued there.
  private func compare(_ records: [LedgerRecord]) throws(Failure) {
    let records = records.filter { $0.account.name != .nobody }
    if records.isEmpty { return }
    let accounts = records.map(\.account)
    let rows = try run([
      Statement(
        """
        SELECT r.position, r.body FROM unnest($1::text[], $2::int8[]) WITH ORDINALITY \
        AS k (account, seq, n) JOIN credit.record AS r ON r.account = k.account AND r.seq = k.seq \
        ORDER BY k.n
        """, [.texts(accounts.map(\.name.text)), .ints(accounts.map(\.recordCount))],
        isKept: true)
    ])[0]
    let there = try reading { () throws(CreditError) in try RecordRows.records(rows) }
    for (number, record) in records.enumerated()
    where !there.indices.contains(number) || !record.isSame(as: there[number].record) {
      throw .conflict(
        account: record.account.name, reason: "the store there has records of its own")
    }
  }

  private func append(
    _ record: LedgerRecord, to books: ServerBooks, _ sequences: inout [Name: Int64],
    _ newest: [RecordKey: StoredRecord]
  ) throws(Failure) {
    let name = record.account.name
    // An id that must not be used again is claimed once.
    if case .claim(let key) = record.event {
      if newest[key] == nil { try reading { () throws(CreditError) in try books.append(record) } }
      return
    }
    if case .payment(let id, var news) = record.event {
      // News that the server has of the payment is kept.
      if case .payment(_, let known) = books.sent(.payment(id))?.record.event {
        news.add(known)
        if news == known { return }
      }
      var added = record
      added.event = .payment(id, news)
      try reading { () throws(CreditError) in try books.append(added) }
      return
    }
    let number = record.account.recordCount
    let known = sequences[name] ?? 0
    if number <= known { return }
    guard number == known + 1 else {
      throw .conflict(account: name, reason: "the store there lacks the records before it")
    }
    sequences[name] = number
    var placed = record
    placed.original = nil
    try record.keys.visit { key throws(Failure) in
      guard let earlier = books.sent(key) else { return }
      guard earlier.record.account.name == name else {
        throw .conflict(account: name, reason: "\(key.phrase) belongs to another account there")
      }
      if key == record.event.id {
        placed.original = record.original(after: earlier.record, at: earlier.position)
      }
    }
    try reading { () throws(CreditError) in try books.append(placed) }
  }

  @discardableResult
  private func run(_ statements: [Statement]) throws(Failure) -> [any ServerRows] {
    do throws(ServerFault) {
      return try session.run(statements, until: deadline)
    } catch {
      throw .server(error)
    }
  }

  private func reading<Result>(_ body: () throws(CreditError) -> Result) throws(Failure) -> Result {
    do {
      return try body()
    } catch {
      throw .store(error)
    }
  }
}

extension RecordKey {
  var phrase: String {
    switch self {
    case .account(let name): "account \(quoted(name.text))"
    case .authorization(let id): "authorization \(quoted(id.text))"
    case .transaction(let id): "transaction \(quoted(id.text))"
    case .payment(let id): "payment \(quoted(id.text))"
    case .chargeKey(_, let key), .topUpKey(_, let key), .transferKey(_, let key):
      "key \(quoted(key.text))"
    }
  }
}
