internal import CreditJSON
internal import CreditModel
internal import CreditStore

/// The rows that a batch writes: its records, its accounts, and the targets of its ids and keys.
struct RecordWrites {
  private var rows: [Row] = []
  private var accounts: [ServerAccount] = []
  /// Targets of ids and keys.
  private var pointers: [Pointer] = []

  struct Row {
    let account: Name
    let sequence: Int64
    let position: RecordPosition
    let previous: RecordPosition?
    let time: Timestamp
    let balanceBefore: Credits
    let balance: Credits
    let text: [UInt8]
    /// Whether the account had no row before the batch.
    let isOfNewAccount: Bool

    /// The difference wraps around only for unsound balances.
    var credits: Credits { balance &- balanceBefore }
  }

  private struct Pointer {
    let key: KeyColumns
    let owner: Name
    var sequence: Int64
    let isStored: Bool
  }

  /// The first record: by it a batch is known again whose commit was not answered.
  var first: Row? { rows.first }
  var isEmpty: Bool { rows.isEmpty }
  var recordCount: Int { rows.count }

  /// Adds the next record of an account, which then is as that has left it.
  mutating func add(_ stored: StoredRecord, of account: ServerAccount) throws(CreditError) {
    var text = JSONWriter(capacity: 512)
    text.openRecord(stored.record, previous: stored.previous)
    // It needs no checksum in a database.
    text.endObject()
    if text.count >= JournalLine.limit { throw JournalLine.tooLong }
    let balanceBefore = account.account?.balance ?? 0
    if !account.isChanged { accounts.append(account) }
    account.sequence += 1
    account.account = stored.record.account
    account.position = stored.position
    rows.append(
      Row(
        account: account.name, sequence: account.sequence, position: stored.position,
        previous: stored.previous, time: stored.record.account.updatedAt,
        balanceBefore: balanceBefore,
        balance: stored.record.account.balance, text: text.withBytes { [UInt8]($0) },
        isOfNewAccount: !account.isStored))
  }

  /// Has an id or a key lead to the newest record of an account.
  /// - Parameters:
  ///   - isStored: whether the server has a row of it already.
  ///   - number: which of those that the batch writes it is; nil before it is one of them.
  mutating func point(
    _ key: KeyColumns, to account: ServerAccount, isStored: Bool, number: inout Int?
  ) {
    if let number, number >= aheadPointerCount {
      pointers[number].sequence = account.sequence
      return
    }
    // Most records have an id and a key.
    if pointers.isEmpty { pointers.reserveCapacity(2) }
    // One that was sent ahead is there.
    let isStored = isStored || number != nil
    number = pointers.count
    pointers.append(
      Pointer(key: key, owner: account.name, sequence: account.sequence, isStored: isStored))
  }

  /// Number of the first records that were taken to be sent ahead, and of their targets.
  private(set) var aheadCount = 0
  private var aheadPointerCount = 0

  /// Number of records that are worth a separate statement.
  private static let aheadMinimum = 250

  /// Whether there are records for `takeAhead` to give.
  var hasAhead: Bool { rows.count - aheadCount >= Self.aheadMinimum }

  /// Returns the statements that write the next records ahead of the batch.
  ///
  /// Requires a transaction, which keeps them from being visible alone, and no new account, whose
  /// row has to come first.
  mutating func takeAhead() -> [Statement] {
    defer { (aheadCount, aheadPointerCount) = (rows.count, pointers.count) }
    return next
  }

  /// The statements that write all rows but those taken ahead.
  var statements: [Statement] {
    if let single { return [single] }
    // New accounts had no rows to lock. They are made first of all, in the order of their names, so
    // that no two batches wait for each other.
    let new = accounts.filter { !$0.isStored }.sorted { $0.name < $1.name }
    return Self.accountStatements(new, Self.insertAccounts) + next
      + Self.accountStatements(accounts.filter(\.isStored), Self.updateAccounts)
  }

  /// Those that write the next records, and lead ids and keys to them. A key that exists is refused
  /// before a record is written.
  private var next: [Statement] {
    let records = aheadCount == rows.count ? [] : [insertion(of: rows[aheadCount...])]
    let pointers = pointers[aheadPointerCount...]
    return pointerStatements(pointers.filter { !$0.isStored }, Self.insertIdentities) + records
      + pointerStatements(pointers.filter(\.isStored), Self.updateIdentities)
  }

  /// Those that write the records and ids of an import, before any account.
  var imported: [Statement] {
    [insertion(of: rows[...])]
      + pointerStatements(pointers.filter { !$0.isStored }, Self.insertIdentities)
      + pointerStatements(pointers.filter(\.isStored), Self.upsertIdentities)
  }

  /// The statements that make accounts of an import.
  static func imported(_ accounts: [ServerAccount]) -> [Statement] {
    accountStatements(accounts, insertAccounts)
  }

  /// Returns the statement that writes one record if its presumptions are true. That is, the rules'
  /// state is current, and none of the keys exists.
  /// - Returns: nil if it cannot write all of the records and keys.
  func presuming(under version: Int64) -> Statement? {
    guard var parameters = singleParameters, let previous = rows.first?.previous,
      pointers.count <= SingleRecord.keyLimit,
      pointers.indices.allSatisfy({ !pointers[$0].isStored })
    else { return nil }
    parameters.append(.int(version))
    parameters.append(.int(previous.value))
    for pointer in pointers { parameters += pointer.key.parameters }
    return Statement(
      SingleRecord.presuming[pointers.count], parameters, isKept: true)
  }

  private var single: Statement? {
    guard var parameters = singleParameters else { return nil }
    let added = pointers.filter { !$0.isStored }
    let moved = pointers.filter(\.isStored)
    guard max(added.count, moved.count) <= SingleRecord.keyLimit else { return nil }
    for pointer in added + moved { parameters += pointer.key.parameters }
    return Statement(
      SingleRecord.writing[added.count][moved.count], parameters, isKept: true)
  }

  /// Parameters that both statements begin with, with room for those that follow.
  ///
  /// It is nil unless there is just one record, of an account that has others.
  private var singleParameters: [Parameter]? {
    guard rows.count == 1, let row = rows.first, !row.isOfNewAccount else { return nil }
    var parameters: [Parameter] = []
    parameters.reserveCapacity(10 + 3 * pointers.count)
    parameters += [
      .text(row.account.text), .int(row.sequence), .int(row.position.value), .time(row.time),
      .int(row.balanceBefore), .int(row.credits), .int(row.balance), .textBytes(row.text),
    ]
    return parameters
  }

  private func insertion(of rows: ArraySlice<Row>) -> Statement {
    var times = ParameterArray(.time)
    var texts = ParameterArray(.text)
    for row in rows {
      times.append(row.time)
      texts.append(row.text)
    }
    let parameters: [Parameter] = [
      .texts(rows.lazy.map(\.account.text)), .ints(rows.lazy.map(\.sequence)),
      .ints(rows.lazy.map(\.position.value)), .array(times),
      .ints(rows.lazy.map(\.balanceBefore)), .ints(rows.lazy.map(\.credits)),
      .ints(rows.lazy.map(\.balance)), .array(texts),
    ]
    return Statement(Self.insertRecords, parameters, isKept: true)
  }

  private static func accountStatements(
    _ accounts: [ServerAccount], _ sql: String
  ) -> [Statement] {
    if accounts.isEmpty { return [] }
    let parameters: [Parameter] = [
      .texts(accounts.map(\.name.text)), .ints(accounts.map(\.sequence)),
      .ints(accounts.map { $0.position?.value ?? 0 }),
      .ints(accounts.map { $0.account?.balance ?? 0 }),
    ]
    return [Statement(sql, parameters, isKept: true)]
  }

  private func pointerStatements(_ pointers: [Pointer], _ sql: String) -> [Statement] {
    if pointers.isEmpty { return [] }
    let parameters =
      KeyColumns.arrays(pointers.lazy.map(\.key))
      + [.texts(pointers.lazy.map(\.owner.text)), .ints(pointers.lazy.map(\.sequence))]
    return [Statement(sql, parameters, isKept: true)]
  }

  /// Arrays side by side take the server a twentieth less than one table of them all.
  private static let insertRecords = counted(
    """
    INSERT INTO credit.record (account, seq, position, at, before, credits, balance, body) \
    SELECT unnest($1::text[]), unnest($2::int8[]), unnest($3::int8[]), \
    unnest($4::timestamptz[]), unnest($5::int8[]), unnest($6::int8[]), unnest($7::int8[]), \
    unnest($8::text[])
    """)

  private static let insertAccounts = counted(
    """
    INSERT INTO credit.account (name, seq, position, balance) \
    SELECT * FROM unnest($1::text[], $2::int8[], $3::int8[], $4::int8[])
    """)

  private static let updateAccounts = counted(
    """
    UPDATE credit.account AS a SET seq = u.seq, position = u.position, balance = u.balance \
    FROM unnest($1::text[], $2::int8[], $3::int8[], $4::int8[]) \
    AS u (name, seq, position, balance) WHERE a.name = u.name
    """)

  private static let insertIdentities = counted(
    """
    INSERT INTO credit.identity (kind, scope, id, account, seq) \
    SELECT unnest($1::int8[]), unnest($2::text[]), unnest($3::text[]), unnest($4::text[]), \
    unnest($5::int8[])
    """)

  /// Has ids and keys lead to records, whether they are there or not.
  static let upsertIdentities = counted(
    """
    INSERT INTO credit.identity (kind, scope, id, account, seq) \
    SELECT * FROM unnest($1::int8[], $2::text[], $3::text[], $4::text[], $5::int8[]) \
    ON CONFLICT (id, scope, kind) DO UPDATE SET account = excluded.account, seq = excluded.seq
    """)

  private static let updateIdentities = counted(
    """
    UPDATE credit.identity AS i SET seq = u.seq FROM unnest($1::int8[], $2::text[], $3::text[], \
    $4::text[], $5::int8[]) AS u (kind, scope, id, account, seq) \
    WHERE i.id = u.id AND i.scope = u.scope AND i.kind = u.kind AND i.account = u.account
    """)

  private static func counted(_ sql: String) -> String {
    Statement.counted(sql, rows: "cardinality($1)")
  }
}

/// An account whose row is locked, or not made yet, while a batch is made.
final class ServerAccount {
  let name: Name
  /// As its newest record left it; nil before it has one.
  var account: Account?
  /// The number of its newest record among its own, from 1 on; 0 before it has one.
  var sequence: Int64 = 0
  var position: RecordPosition?
  /// The same as its row is.
  private var stored: (Account?, sequence: Int64, RecordPosition?) = (nil, 0, nil)

  init(_ name: Name) { self.name = name }

  /// - Parameter stored: its newest record.
  init(_ stored: StoredRecord, sequence: Int64) {
    name = stored.record.account.name
    account = stored.record.account
    self.sequence = sequence
    position = stored.position
    settle()
  }

  /// Takes note that the batch that has changed it is on disk.
  func settle() { stored = (account, sequence, position) }

  /// Drops the changes of a batch.
  func reset() { (account, sequence, position) = stored }

  var isStored: Bool { stored.sequence > 0 }
  var isChanged: Bool { sequence != stored.sequence }
}

/// A record's key as the columns of `credit.identity`, in which an account has no row.
struct KeyColumns: Hashable {
  /// 0 account. 1 transaction, 2 authorization: unique in the store. 3 charge, 4 top-up,
  /// 5 transfer: the keys of requests, each unique within its account. 6 payment: news before its
  /// purchase.
  let kind: Int64
  /// The account that a request's key belongs to; empty for an id.
  let scope: Name
  let id: Name

  var parameters: [Parameter] { [.int(kind), .text(scope.text), .text(id.text)] }

  /// The columns of many keys, as parameters.
  static func arrays(_ keys: some Collection<KeyColumns>) -> [Parameter] {
    [
      .ints(keys.lazy.map(\.kind)), .texts(keys.lazy.map(\.scope.text)),
      .texts(keys.lazy.map(\.id.text)),
    ]
  }

  var key: RecordKey {
    switch kind {
    case 0: .account(id)
    case 1: .transaction(id)
    case 2: .authorization(id)
    case 3: .chargeKey(account: scope, id)
    case 4: .topUpKey(account: scope, id)
    case 6: .payment(id)
    default: .transferKey(account: scope, id)
    }
  }
}

extension KeyColumns {
  init(_ key: RecordKey) {
    switch key {
    case .account(let name): (kind, scope, id) = (0, .nobody, name)
    case .transaction(let id): (kind, scope, self.id) = (1, .nobody, id)
    case .authorization(let id): (kind, scope, self.id) = (2, .nobody, id)
    case .chargeKey(let account, let key): (kind, scope, id) = (3, account, key)
    case .topUpKey(let account, let key): (kind, scope, id) = (4, account, key)
    case .transferKey(let account, let key): (kind, scope, id) = (5, account, key)
    case .payment(let id): (kind, scope, self.id) = (6, .nobody, id)
    }
  }
}
