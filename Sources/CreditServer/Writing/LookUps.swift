internal import CreditModel
internal import CreditStore

/// Questions that a batch asks the server before the rules, and their answers' reading.
enum LookUps {
  /// How long a server waits for the next statement of a transaction before it ends it: the time
  /// for which a vanished client may block others.
  static let idleMilliseconds: Int64 = 10_000

  /// How long to wait for another's lock without a lock timeout: some are only held for a moment,
  /// as while a table grows.
  private static let momentMilliseconds: Int64 = 100

  /// Has statements of the same transaction find no functions but the server's own, as others may
  /// have made some of the same names, and fail if row security would hide rows from them.
  static let safeSettings = Statement(
    "SELECT pg_catalog.set_config('search_path', 'pg_catalog', true), "
      + "pg_catalog.set_config('row_security', 'off', true)", isKept: true)

  /// The beginning of a transaction that writes.
  static func begin(_ options: StoreOptions, until deadline: Deadline) -> [Statement] {
    [beginning, settings(options, until: deadline)]
  }

  static let beginning = Statement("BEGIN ISOLATION LEVEL READ COMMITTED")

  /// How much longer a statement may take than its wait for a lock. So if it waits for a lock, the
  /// lock's time runs out first.
  private static let graceMilliseconds: Int64 = 500

  /// Returns the settings for writing.
  /// - Parameter isLocal: true for this transaction alone, so that a pooler may give the connection
  ///   to others; or for the whole connection.
  static func settings(
    _ options: StoreOptions, until deadline: Deadline, isLocal: Bool = true
  ) -> Statement {
    let milliseconds = Int64(Int32(clamping: max(1, deadline.remainingMilliseconds)))
    let statement = max(milliseconds, idleMilliseconds) + graceMilliseconds
    let lock = min(milliseconds, max(Int64(options.waitMilliseconds), momentMilliseconds))
    let unsynced =
      options.syncs ? "" : ", pg_catalog.set_config('synchronous_commit', 'off', l.l)"
    return Statement(
      """
      SELECT pg_catalog.set_config('search_path', 'pg_catalog', l.l), \
      pg_catalog.set_config('row_security', 'off', l.l), \
      pg_catalog.set_config('lock_timeout', $1, l.l), \
      pg_catalog.set_config('statement_timeout', $2, l.l), \
      pg_catalog.set_config('idle_in_transaction_session_timeout', $3, l.l), \
      pg_catalog.set_config('plan_cache_mode', 'force_generic_plan', l.l)\(unsynced) \
      FROM (SELECT $4 OPERATOR(pg_catalog.=) 1::int8 AS l) AS l
      """,
      [
        .text("\(lock)"), .text("\(Int32(clamping: statement))"), .text("\(idleMilliseconds)"),
        .int(isLocal ? 1 : 0),
      ], isKept: true)
  }

  // MARK: Accounts

  /// Locks accounts' rows in the order of names, so that batches never deadlock.
  ///
  /// The server handles one name after the other: locking is not part of a join that it might
  /// reorder, and everything that depends on a name comes after it.
  /// - Parameter names: in order.
  static func lock(_ names: [Name], waits: Bool) -> Statement {
    let waiting = waits ? "" : " NOWAIT"
    if names.count == 1 {
      return Statement(
        "\(accountColumns) = $1 FOR UPDATE\(waiting)", [.text(names[0].text)], isKept: true)
    }
    // Each name is separate: a row that was changed while it was waited for is compared once more
    // with its condition, which would be all of the names.
    return Statement(
      """
      SELECT a.* FROM unnest($1::text[]) AS n (name) \
      CROSS JOIN LATERAL (\(accountColumns) = n.name FOR UPDATE\(waiting)) AS a
      """, [.texts(names.map(\.text))], isKept: true)
  }

  private static let accountColumns =
    "SELECT name, position, seq FROM credit.account WHERE name"

  /// Locks payments until the transaction ends, in one order for all.
  static func lock(payments: Set<Name>) -> [Statement] {
    if payments.isEmpty { return [] }
    return [
      Statement(
        """
        SELECT pg_advisory_xact_lock(h.h) FROM (SELECT DISTINCT hashtextextended(id, 0) AS h \
        FROM unnest($1::text[]) AS n (id) ORDER BY 1) AS h
        """, [.texts(payments.map(\.text))], isKept: true)
    ]
  }

  struct LockedRows {
    private var rows: [Name: (position: RecordPosition, sequence: Int64)] = [:]

    init(_ rows: any ServerRows) throws(CreditError) {
      self.rows.reserveCapacity(rows.count)
      let range = 0..<RecordRows.positionLimit
      for row in 0..<rows.count {
        let position = RecordPosition(rows.int(row, 1) ?? -1)
        guard let sequence = rows.int(row, 2), range ~= sequence, range ~= position.value else {
          throw RecordRows.corrupt(at: position)
        }
        self.rows[Name(trusted: rows.text(row, 0) ?? "")] = (position, sequence)
      }
    }

    /// Whether an account is as its row says.
    func areCurrent(for account: ServerAccount) -> Bool {
      guard let row = rows[account.name] else { return false }
      return row.position == account.position && row.sequence == account.sequence
    }

    /// Returns an account, also one without a row, as its newest record has left it.
    func account(_ name: Name, _ newest: [RecordKey: StoredRecord]) throws(CreditError)
      -> ServerAccount
    {
      guard let row = rows[name] else { return ServerAccount(name) }
      guard let stored = newest[.account(name)], stored.position == row.position else {
        throw RecordRows.corrupt(at: row.position)
      }
      return ServerAccount(stored, sequence: row.sequence)
    }
  }

  /// Returns the newest records of the accounts that name an account as their parent in them. The
  /// members' texts are unique: quotes in a text are escaped.
  static func children(of name: Name) -> Statement {
    var member = JSONWriter(capacity: 160)
    member.string(name.text)
    return Statement(
      """
      SELECT r.position, r.body FROM credit.account AS a CROSS JOIN LATERAL (SELECT position, body \
      FROM credit.record AS x WHERE x.position = a.position LIMIT 1) AS r \
      WHERE strpos(r.body, $1) > 0
      """,
      [.text(",\"parent\":\(member.string)")])
  }

  /// Finds a record of a completed purchase or subscription of an account.
  ///
  /// It searches the record's text for the members: quotes within a text are escaped.
  static func purchase(of name: Name) -> Statement {
    Statement(
      "SELECT position, body FROM credit.record WHERE account = $1 "
        + "AND (strpos(body, $2) > 0 OR strpos(body, $3) > 0) LIMIT 1",
      [.text(name.text)]
        + ["purchase", "subscription"].map {
          .text(",\"type\":\"\($0)\",\"status\":\"completed\"")
        }, isKept: true)
  }

  /// Finds the records that say that credits of an account's grant have expired, and maybe others.
  static func expiries(of grant: Name, in name: Name, from time: Timestamp) -> Statement {
    var member = JSONWriter(capacity: 160)
    member.string(grant.text)
    return Statement(
      "SELECT position, body FROM credit.record WHERE account = $1 "
        + "AND at >= to_timestamp($2::int8 / 1000.0) AND (strpos(body, $3) > 0 "
        + "AND strpos(body, $4) > 0 OR strpos(body, $5) > 0 AND strpos(body, $6) > 0) ORDER BY seq",
      [
        .text(name.text), .int(time.milliseconds), .text(",\"event\":\"expiry\""),
        .text(",\"grant\":\(member.string)"), .text(",\"forfeited\":"),
        .text("{\"id\":\(member.string)"),
      ])
  }

  /// Writes an account's row as it is.
  static func rewrite(_ name: Name) -> Statement {
    Statement("UPDATE credit.account SET seq = seq WHERE name = $1", [.text(name.text)])
  }

  /// Waits for a transaction that is making an account, by trying to make it.
  static func touch(_ name: Name) -> Statement {
    Statement(
      "INSERT INTO credit.account (name, seq, position, balance) "
        + "VALUES ($1, 0, 0, 0) ON CONFLICT DO NOTHING", [.text(name.text)])
  }

  // MARK: Ids and keys

  /// Returns the accounts of ids. Each look-up is separate (LATERAL … LIMIT 1): for a join the
  /// server would walk the whole history of an account.
  static func owners(of keys: [KeyColumns]) -> Statement {
    Statement(
      """
      SELECT DISTINCT i.account FROM unnest($1::int8[], $2::text[], $3::text[]) \
      AS k (kind, scope, id) CROSS JOIN LATERAL (SELECT account FROM credit.identity AS x \
      WHERE x.id = k.id AND x.scope = k.scope AND x.kind = k.kind LIMIT 1) AS i
      """, KeyColumns.arrays(keys), isKept: true)
  }

  /// The newest records of accounts, ids and keys.
  static func newest(of keys: [RecordKey]) -> Statement {
    Statement(newest, KeyColumns.arrays(keys.map { KeyColumns($0) }), isKept: true)
  }

  /// The same, with the time: at least one row.
  static func look(for keys: [RecordKey]) -> Statement {
    let columns = keys.map { KeyColumns($0) }
    if columns.count == 2, columns[0].kind != 0, columns[1].kind == 0 {
      return Statement(
        lookForOne, columns[0].parameters + [.text(columns[1].id.text)], isKept: true)
    }
    return Statement(lookForMany, KeyColumns.arrays(columns), isKept: true)
  }

  private static let lookForMany = look(newest)

  private static func look(_ newest: String) -> String {
    "SELECT r.*, c.* FROM (\(now)) AS c LEFT JOIN (\(newest)) AS r ON true"
  }

  /// Each look-up is separate (LATERAL … LIMIT 1): for a join the server would walk the whole
  /// history of an account.
  private static let newest = """
    SELECT r.position, r.body, k.n FROM unnest($1::int8[], $2::text[], $3::text[]) \
    WITH ORDINALITY AS k (kind, scope, id, n) CROSS JOIN LATERAL (SELECT account, seq \
    FROM credit.identity AS x WHERE k.kind > 0 AND x.id = k.id AND x.scope = k.scope \
    AND x.kind = k.kind LIMIT 1) AS i \(recordOfIdentity) \
    UNION ALL SELECT r.position, r.body, k.n FROM unnest($1::int8[], $3::text[]) \
    WITH ORDINALITY AS k (kind, id, n) CROSS JOIN LATERAL (SELECT position \
    FROM credit.account AS x WHERE k.kind = 0 AND x.name = k.id LIMIT 1) AS i \(recordOfAccount)
    """

  /// For a key and its account the server takes a third of the time with plain values.
  private static let lookForOne = look(
    """
    SELECT r.position, r.body, 1::int8 AS n FROM (SELECT account, seq FROM credit.identity \
    WHERE id = $3 AND scope = $2 AND kind = $1 LIMIT 1) AS i \(recordOfIdentity) \
    UNION ALL SELECT r.position, r.body, 2::int8 FROM (SELECT position FROM credit.account \
    WHERE name = $4) AS i \(recordOfAccount)
    """)

  private static let recordOfIdentity = """
    CROSS JOIN LATERAL (SELECT position, body FROM credit.record AS x \
    WHERE x.account = i.account AND x.seq = i.seq LIMIT 1) AS r
    """

  private static let recordOfAccount = """
    CROSS JOIN LATERAL (SELECT position, body FROM credit.record AS x \
    WHERE x.position = i.position LIMIT 1) AS r
    """

  /// The server's clock, in microseconds since 1970. `date_part` takes a fraction of the time of
  /// `extract`'s exact number, and distinguishes microseconds.
  static let clock = "(date_part('epoch', clock_timestamp()) * 1000000)::int8"

  private static let now = """
    SELECT \(clock) AS now, (date_part('epoch', last.at) * 1000)::int8 AS last, \
    (SELECT policy FROM credit.store), last.position AS place, \
    current_setting('synchronous_standby_names') <> '' AS waits FROM (SELECT) AS one \
    LEFT JOIN (SELECT at, position FROM credit.record ORDER BY position DESC LIMIT 1) AS last \
    ON true
    """

  /// State once the accounts are locked.
  struct Now {
    /// The server's clock, since 1970.
    let microseconds: Int64
    /// The time of the store's newest record.
    private(set) var latestTime: Timestamp?
    private(set) var policyVersion: Int64?
    /// Position of the newest record: a slow clock puts no later one before it.
    private(set) var newestPosition: Int64?
    /// Whether commits wait for another server.
    private(set) var waitsForStandby = false

    /// The server's presumed answers.
    init(presuming session: ServerSession) { microseconds = session.serverMicroseconds }

    /// - Parameter rows: those of `look(for:)`.
    init(_ rows: any ServerRows) {
      microseconds = rows.int(0, 3) ?? 0
      latestTime = rows.int(0, 4).map(Timestamp.init)
      policyVersion = rows.int(0, 5)
      newestPosition = rows.int(0, 6)
      waitsForStandby = rows.text(0, 7) == "t"
    }
  }

  /// - Parameter keys: those of `newest(of:)` or `look(for:)`.
  static func newest(in rows: any ServerRows, of keys: [RecordKey]) throws(CreditError)
    -> [RecordKey: StoredRecord]
  {
    var reader = RecordRows()
    var newest: [RecordKey: StoredRecord] = [:]
    for row in 0..<rows.count {
      guard let number = rows.int(row, 2), number > 0, number <= keys.count else { continue }
      let key = keys[Int(number) - 1]
      let stored = try reader.record(rows, row)
      if case .account(let name) = key, stored.record.account.name != name {
        throw RecordRows.corrupt(at: stored.position)
      }
      newest[key] = stored
    }
    return newest
  }

  /// Returns the ids that belong to other accounts, by their numbers from 1 on.
  static func ids(_ keys: [KeyColumns], notOf accounts: [Name]) -> Statement {
    Statement(
      """
      SELECT k.n FROM unnest($1::int8[], $2::text[], $3::text[], $4::text[]) \
      WITH ORDINALITY AS k (kind, scope, id, account, n) CROSS JOIN LATERAL (SELECT account \
      FROM credit.identity AS x WHERE x.id = k.id AND x.scope = k.scope AND x.kind = k.kind \
      LIMIT 1) AS i WHERE i.account <> k.account
      """, KeyColumns.arrays(keys) + [.texts(accounts.map(\.text))], isKept: true)
  }

  // MARK: Records

  static func record(at position: RecordPosition) -> Statement {
    Statement(
      "SELECT position, body FROM credit.record WHERE position = $1", [.int(position.value)],
      isKept: true)
  }

  /// An account's record by its number among them.
  static func record(of account: Name, _ sequence: Int64) -> Statement {
    Statement(
      "SELECT position, body FROM credit.record WHERE account = $1 AND seq = $2",
      [.text(account.text), .int(sequence)], isKept: true)
  }
}
