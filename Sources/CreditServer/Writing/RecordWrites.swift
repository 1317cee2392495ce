internal import CreditModel

/// The rows that a batch writes: its records, the accounts as they are after it, and where its ids
/// and keys lead.
struct RecordWrites {
  /// The longest text of a record, in bytes.
  static let textLimit = 1 << 20

  private var owners = ParameterArray(.text)
  private var sequences = ParameterArray(.int)
  private var positions = ParameterArray(.int)
  private var times = ParameterArray(.time)
  private var before = ParameterArray(.int)
  private var credits = ParameterArray(.int)
  private var balances = ParameterArray(.int)
  private var texts = ParameterArray(.text)

  private var accounts: [ServerAccount] = []
  /// Where ids and keys lead, and the numbers of these among them.
  private var pointers: [Pointer] = []
  private var numbers: [KeyColumns: Int] = [:]

  private struct Pointer {
    let key: KeyColumns
    let owner: Name
    var sequence: Int64
    let isStored: Bool
  }

  /// Of the first record: by it a batch is known again whose commit was not answered.
  private(set) var first: Mark?

  struct Mark {
    let account: Name
    let sequence: Int64
    let position: RecordPosition
    let text: [UInt8]
    let balanceBefore: Credits
    /// Whether the account had no row before.
    let isOfNewAccount: Bool
  }

  var isEmpty: Bool { first == nil }
  var recordCount: Int { owners.count }

  mutating func add(
    _ stored: StoredRecord, _ text: [UInt8], of account: ServerAccount, balanceBefore: Credits
  ) {
    if first == nil {
      first = Mark(
        account: account.name, sequence: account.sequence, position: stored.position, text: text,
        balanceBefore: balanceBefore, isOfNewAccount: !account.isStored)
    }
    let balance = stored.record.account.balance
    owners.append(account.name.text)
    sequences.append(account.sequence)
    positions.append(stored.position.value)
    times.append(stored.record.account.updatedAt)
    before.append(balanceBefore)
    // The check of the table holds for the sum as it wraps around, which no sound balance does.
    credits.append(balance &- balanceBefore)
    balances.append(balance)
    texts.append(text)
    if account.sequence == account.storedSequence + 1 { accounts.append(account) }
  }

  /// Has an id or a key lead to the newest record of an account.
  /// - Parameter isStored: whether the server has a row of it already.
  mutating func point(_ key: KeyColumns, to account: ServerAccount, isStored: Bool) {
    if let number = numbers[key] {
      pointers[number].sequence = account.sequence
      return
    }
    numbers[key] = pointers.count
    pointers.append(
      Pointer(key: key, owner: account.name, sequence: account.sequence, isStored: isStored))
  }

  /// The statements that write it all.
  var statements: [Statement] {
    if let single { return [single] }
    return [records] + accountStatements(accounts.filter { !$0.isStored }, Self.insertAccounts)
      + accountStatements(accounts.filter(\.isStored), Self.updateAccounts)
      + pointerStatements(pointers.filter { !$0.isStored }, Self.insertIdentities)
      + pointerStatements(pointers.filter(\.isStored), Self.updateIdentities)
  }

  /// The statement that writes one record if the account still has a number of records, the policy
  /// is of a version, no record is later, and none of the keys is there. It gives 1 then, or else 0
  /// or a unique violation; and the server's time.
  /// - Returns: nil where there are other records to write, or other keys than those that the
  ///   statement sees to.
  func presuming(_ keys: Set<RecordKey>, after sequence: Int64, under version: Int64)
    -> Statement?
  {
    guard let parameters = singleParameters, pointers.allSatisfy({ !$0.isStored }) else {
      return nil
    }
    let written = Set(pointers.map(\.key.key))
    guard written.isSuperset(of: keys) else { return nil }
    return Statement(
      Self.presumeOne,
      parameters + pointerParameters(pointers) + [.int(sequence), .int(version)], isKept: true)
  }

  /// One statement for one record of an account that has others, as most batches of one have: it
  /// takes the server half the time of three.
  private var single: Statement? {
    guard let parameters = singleParameters else { return nil }
    let added = pointerParameters(pointers.filter { !$0.isStored })
    let stored = pointers.filter(\.isStored)
    if stored.isEmpty { return Statement(Self.insertOne, parameters + added, isKept: true) }
    return Statement(
      Self.moveOne, parameters + added + pointerParameters(stored), isKept: true)
  }

  /// The columns of the record, where there is just one, of an account that has others.
  private var singleParameters: [Parameter]? {
    guard texts.count == 1, let first, let account = accounts.first, account.isStored,
      let balance = account.account?.balance, let time = account.account?.updatedAt
    else { return nil }
    return [
      .text(account.name.text), .int(account.sequence), .int(first.position.value), .time(time),
      .int(first.balanceBefore), .int(balance &- first.balanceBefore), .int(balance),
      .text(String(decoding: first.text, as: UTF8.self)),
    ]
  }

  private var records: Statement {
    Statement(
      Self.insertRecords,
      [owners, sequences, positions, times, before, credits, balances, texts].map {
        .array($0)
      }, isKept: true)
  }

  private func accountStatements(_ accounts: [ServerAccount], _ sql: String) -> [Statement] {
    if accounts.isEmpty { return [] }
    var names = ParameterArray(.text)
    var sequences = ParameterArray(.int)
    var positions = ParameterArray(.int)
    var balances = ParameterArray(.int)
    var texts = ParameterArray(.text)
    for account in accounts {
      names.append(account.name.text)
      sequences.append(account.sequence)
      positions.append(account.position?.value ?? 0)
      balances.append(account.account?.balance ?? 0)
      texts.append(account.newest)
    }
    let parameters = [names, sequences, positions, balances, texts].map { Parameter.array($0) }
    return [Statement(sql, parameters, isKept: true)]
  }

  private func pointerStatements(_ pointers: [Pointer], _ sql: String) -> [Statement] {
    if pointers.isEmpty { return [] }
    return [Statement(sql, pointerParameters(pointers), isKept: true)]
  }

  private func pointerParameters(_ pointers: [Pointer]) -> [Parameter] {
    let keys = KeyArrays(pointers.map(\.key))
    var owners = ParameterArray(.text)
    var sequences = ParameterArray(.int)
    for pointer in pointers {
      owners.append(pointer.owner.text)
      sequences.append(pointer.sequence)
    }
    return keys.parameters + [.array(owners), .array(sequences)]
  }

  private static let presumeOne = """
    WITH a AS (UPDATE credit.account SET seq = $2, position = $3, balance = $7, newest = $8 \
    WHERE name = $1 AND seq = $14 AND $15 = (SELECT policy FROM credit.store) AND $4 >= coalesce( \
    (SELECT at FROM credit.record ORDER BY position DESC LIMIT 1), $4) RETURNING 1), \
    r AS (INSERT INTO credit.record (account, seq, position, at, before, credits, balance, body) \
    SELECT $1::text, $2::int8, $3::int8, $4::timestamptz, $5::int8, $6::int8, $7::int8, $8::text \
    FROM a), i AS (INSERT INTO credit.identity (kind, scope, id, account, seq) SELECT u.* FROM a, \
    unnest($9::int8[], $10::text[], $11::text[], $12::text[], $13::int8[]) AS u) \
    SELECT count(*), (extract(epoch FROM clock_timestamp()) * 1000000)::int8 FROM a
    """

  private static let insertOne = """
    WITH r AS (INSERT INTO credit.record (account, seq, position, at, before, credits, balance, \
    body) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)), i AS (INSERT INTO credit.identity (kind, \
    scope, id, account, seq) SELECT * FROM unnest($9::int8[], $10::text[], $11::text[], \
    $12::text[], $13::int8[])) UPDATE credit.account SET seq = $2, position = $3, balance = $7, \
    newest = $8 WHERE name = $1
    """

  private static let moveOne = """
    WITH r AS (INSERT INTO credit.record (account, seq, position, at, before, credits, balance, \
    body) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)), i AS (INSERT INTO credit.identity (kind, \
    scope, id, account, seq) SELECT * FROM unnest($9::int8[], $10::text[], $11::text[], \
    $12::text[], $13::int8[])), m AS (UPDATE credit.identity AS i SET seq = u.seq \
    FROM unnest($14::int8[], $15::text[], $16::text[], $17::text[], $18::int8[]) \
    AS u (kind, scope, id, account, seq) WHERE i.id = u.id AND i.scope = u.scope \
    AND i.kind = u.kind AND i.account = u.account) UPDATE credit.account SET seq = $2, \
    position = $3, balance = $7, newest = $8 WHERE name = $1
    """

  private static let insertRecords = """
    INSERT INTO credit.record (account, seq, position, at, before, credits, balance, body) \
    SELECT * FROM unnest($1::text[], $2::int8[], $3::int8[], $4::timestamptz[], $5::int8[], \
    $6::int8[], $7::int8[], $8::text[])
    """

  private static let insertAccounts = """
    INSERT INTO credit.account (name, seq, position, balance, newest) \
    SELECT * FROM unnest($1::text[], $2::int8[], $3::int8[], $4::int8[], $5::text[])
    """

  private static let updateAccounts = """
    UPDATE credit.account AS a SET seq = u.seq, position = u.position, balance = u.balance, \
    newest = u.newest FROM unnest($1::text[], $2::int8[], $3::int8[], $4::int8[], $5::text[]) \
    AS u (name, seq, position, balance, newest) WHERE a.name = u.name
    """

  private static let insertIdentities = """
    INSERT INTO credit.identity (kind, scope, id, account, seq) \
    SELECT * FROM unnest($1::int8[], $2::text[], $3::text[], $4::text[], $5::int8[])
    """

  private static let updateIdentities = """
    UPDATE credit.identity AS i SET seq = u.seq FROM unnest($1::int8[], $2::text[], $3::text[], \
    $4::text[], $5::int8[]) AS u (kind, scope, id, account, seq) \
    WHERE i.id = u.id AND i.scope = u.scope AND i.kind = u.kind AND i.account = u.account
    """
}
