/// The statements that write one record of an existing account, as most batches of one do. Plain
/// values take the server a third of the time of arrays.
///
/// Their parameters are the account's name, the record's number among its own, its position and
/// time, the balance before, the credits, the balance after and the text; then each statement's
/// own.
enum SingleRecord {
  /// The most ids and keys that such a record may add or move.
  static let keyLimit = 4

  /// How far back the store's records are walked: others are unlikely to write more during a
  /// request.
  private static let walkLimit = 16

  /// Writes the record, adds ids and keys, and moves others to it. Further parameters are kind,
  /// scope and id of each added one, and then of each moved one. By the counts of both.
  static let writing = (0...keyLimit).map { added in
    (0...keyLimit).map { moved in
      let moves = (0..<moved).map { number in
        let first = 9 + 3 * (added + number)
        return """
          , m\(number) AS (UPDATE credit.identity SET seq = $2 WHERE id = $\(first + 2) \
          AND scope = $\(first + 1) AND kind = $\(first) AND account = $1 RETURNING 1)
          """
      }
      let tables = ["a", "r"] + (added == 0 ? [] : ["i"]) + (0..<moved).map { "m\($0)" }
      return """
        WITH a AS (\(update) WHERE name = $1 RETURNING 1), r AS (\(insert) RETURNING 1)\
        \(keys(added, "", from: 9))\
        \(moves.joined()) SELECT FROM (\(all(tables))) AS w \
        HAVING 1 / (count(*) = \(2 + added + moved))::int4 IS NULL
        """
    }
  }

  /// Writes the record if everything is as the rules presumed.
  ///
  /// That is: the account's newest record is its predecessor, the policy has the version, the
  /// record's time is the server's to a second, and it fits in time between the store's
  /// neighbouring records.
  ///
  /// It then returns the server's time, or else nothing; or a unique violation if an id or key
  /// exists, or a division by zero if the time has passed. Further parameters are the version, the
  /// position of the predecessor, and kind, scope and id of each key.
  ///
  /// A number would not do in place of that position, as a server that has lost its newest records
  /// gives their numbers to others. Another transaction may hold the account for a while and leave
  /// it unchanged: so the time is checked once this statement has the account, and only an error
  /// still undoes the statement there.
  ///
  /// The store's newest records are walked back to the first one that belongs before this one,
  /// mostly the newest: to check both sides separately takes the server a tenth longer. A place
  /// further back than ``walkLimit`` is refused.
  static let presuming = (0...keyLimit).map { added in
    """
    WITH a AS (\(update) WHERE name = $1 AND position = $10 \
    AND $9 = (SELECT policy FROM credit.store) \
    AND (SELECT n.position < $3 AND n.at <= $4 FROM (SELECT position, at FROM credit.record \
    ORDER BY position DESC LIMIT \(walkLimit)) AS n WHERE n.position < $3 OR n.at < $4 \
    ORDER BY n.position DESC LIMIT 1) \
    RETURNING 1 / ($4 BETWEEN clock_timestamp() - interval '1 s' \
    AND clock_timestamp() + interval '1 s')::int4)\(keys(added, "a, ", from: 11)), \
    r AS (\(insert) FROM a RETURNING 1) \
    SELECT \(LookUps.clock) FROM (\(all(added == 0 ? ["a", "r"] : ["a", "r", "i"]))) AS w \
    HAVING CASE count(*) WHEN 0 THEN false ELSE 1 / (count(*) = \(2 + added))::int4 = 1 END
    """
  }

  /// Returns the rows of a statement's parts, to be counted: see ``Statement/counted(_:rows:)``.
  private static func all(_ parts: [String]) -> String {
    parts.map { "TABLE \($0)" }.joined(separator: " UNION ALL ")
  }

  private static let insert = """
    INSERT INTO credit.record (account, seq, position, at, before, credits, balance, body) \
    SELECT $1, $2, $3, $4, $5, $6, $7, $8
    """

  private static let update =
    "UPDATE credit.account SET seq = $2, position = $3, balance = $7"

  /// Returns the part that adds ids and keys.
  private static func keys(_ count: Int, _ source: String, from first: Int) -> String {
    if count == 0 { return "" }
    return """
      , i AS (INSERT INTO credit.identity (kind, scope, id, account, seq) SELECT k.*, $1, $2 \
      FROM \(source)\(values(count, from: first)) RETURNING 1)
      """
  }

  /// Rows of kind, scope and id.
  private static func values(_ count: Int, from first: Int) -> String {
    let rows = (0..<count).map { number in
      let place = first + 3 * number
      return "($\(place)::int8, $\(place + 1)::text, $\(place + 2)::text)"
    }
    return "(VALUES \(rows.joined(separator: ", "))) AS k"
  }
}
