internal import CreditModel
internal import CreditSystem

/// A log that is an SQLite database, which the `sqlite3` command reads.
///
/// The command gets no environment and reads no settings. It opens the database for reading alone,
/// waits for a writer, and prints a row as a line of JSON.
struct LogDatabase {
  private let path: String
  private let command: String

  /// The first bytes of a database.
  private static let beginning: StaticString = "SQLite format 3\0"

  static func begins(_ head: Bytes) -> Bool { head.starts(with: Bytes(beginning)) }

  /// - Parameter commands: the folders of commands, as the variable `PATH` lists them.
  /// - Throws: `unavailable` if there is no `sqlite3`.
  init(_ path: String, commands: String?) throws(CreditError) {
    self.path = path
    guard let command = ChildProcess.find("sqlite3", in: commands) else {
      throw CreditError(
        .unavailable,
        "there is no sqlite3 command in the PATH, which reads \(plainOrQuoted(path)); it is in the "
          + "package sqlite3", [.path(path)])
    }
    self.command = command
  }

  /// Returns the columns of all tables, each as `table.column`.
  func columns() throws(CreditError) -> Set<String> {
    let query =
      "SELECT m.name || '.' || p.name FROM sqlite_master AS m, pragma_table_info(m.name) AS p "
      + "WHERE m.type = 'table'"
    let rows = try self.rows(of: query)
    let text = try naming { () throws(SystemError) in
      try readBytes(limit: .max) { block, _ throws(SystemError) in try rows.read(into: block) }
    }
    try finish(rows)
    return Set(
      text.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) })
  }

  /// Starts to read the rows of queries.
  func rows(of queries: String) throws(CreditError) -> PipedCommand {
    // A path like a flag or an address would be taken for one.
    let file = path.hasPrefix("/") ? path : "./" + path
    return try naming { () throws(SystemError) in
      try PipedCommand(
        command,
        [
          "-batch", "-bail", "-init", "/dev/null", "-readonly", "-cmd", ".timeout 5000", file,
          queries,
        ],
        environment: ["LC_ALL=C"])
    }
  }

  /// Checks that all rows have come.
  /// - Throws: `io_error`.
  func finish(_ rows: PipedCommand) throws(CreditError) {
    if let failure = try naming({ () throws(SystemError) in try rows.failure() }) {
      throw CreditError(
        .ioError, "sqlite3 can't read \(plainOrQuoted(path)): \(failure)", [.path(path)])
    }
  }

  private func naming<Result>(_ body: () throws(SystemError) -> Result) throws(CreditError)
    -> Result
  {
    do throws(SystemError) {
      return try body()
    } catch {
      throw CreditError(
        .ioError, "sqlite3 can't read \(plainOrQuoted(path)): \(error)", [.path(path)])
    }
  }
}
