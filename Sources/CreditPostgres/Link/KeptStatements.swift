#if Postgres
  internal import CreditServer

  /// The statements that the server keeps for a connection. One is kept from its second time on, as
  /// most processes send each of theirs once; and only if the session is this connection's own: a
  /// pooler hands each transaction to another.
  struct KeptStatements {
    /// Whether the way to a server lets statements be kept: shared by all connections of a process.
    final class Support {
      var isThere = true
    }

    /// How a statement is sent.
    enum Use {
      case once
      /// Once more, and the server is asked for the session's process, for ``note(process:own:)``.
      case onceAsking
      /// It is to be kept by this name first.
      case first([CChar])
      /// It is kept by this name.
      case again([CChar])
    }

    private let support: Support
    private(set) var ownsSession = false
    /// They are few: comparing takes less than a hash of them, which would read each to its end.
    private var entries: [Entry] = []

    private struct Entry {
      let sql: String
      /// By which it is kept, as C has it; nil before it is.
      var name: [CChar]?
    }

    init(_ support: Support) { self.support = support }

    mutating func use(of statement: Statement) -> Use {
      guard statement.isKept, support.isThere else { return .once }
      guard let place = entries.firstIndex(where: { $0.sql == statement.sql }) else {
        entries.append(Entry(sql: statement.sql))
        return .once
      }
      if !ownsSession { return .onceAsking }
      if let name = entries[place].name { return .again(name) }
      let first = Self.name(of: statement.sql)
      entries[place].name = first
      return .first(first)
    }

    /// Takes note of a session's process: a pooler gives another as the connection's own.
    mutating func note(process: Int64?, own: Int32) {
      ownsSession = process == Int64(own)
      if !ownsSession { giveUp() }
    }

    /// Takes note that the server has not kept a statement after all.
    mutating func forget(_ sql: String) {
      for place in entries.indices where entries[place].sql == sql { entries[place].name = nil }
    }

    /// Stops keeping statements, for this connection and later ones: a kept one is missing, and so
    /// the session may be another one.
    mutating func giveUp() {
      support.isThere = false
      ownsSession = false
    }

    /// Returns true if an error's code refuses a kept statement.
    ///
    /// The server has no such statement, has it already, or keeps it in a form that no longer
    /// holds; or a pooler does not know of it.
    static func isRefusal(_ code: String) -> Bool {
      code == "26000" || code == "42P05" || code == "08P01" || code == "0A000"
    }

    /// A name that no other text has: a pooler's connection may hold statements of other processes.
    /// It is FNV-1a of 64 bits, twice, from both ends.
    private static func name(of sql: String) -> [CChar] {
      func digits(_ bytes: some Sequence<UInt8>) -> String {
        String(
          bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 },
          radix: 16)
      }
      return Array("credit_\(digits(sql.utf8))_\(digits(sql.utf8.reversed()))".utf8CString)
    }
  }
#endif
