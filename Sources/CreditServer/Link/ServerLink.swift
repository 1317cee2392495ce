public import CreditBytes
internal import CreditSystem

/// A connection to a database server: sends statements as one pipeline, and returns their rows.
///
/// The gate, its books and the readers only depend on this and on the text of their statements;
/// tests use another link, which fails as they want.
public protocol ServerLink: AnyObject {
  /// Sends statements in one go, and waits for all of their results.
  ///
  /// Each runs after the previous one has succeeded; none runs after a failure. Outside of `BEGIN`
  /// … `COMMIT` they are one transaction.
  /// - Returns: the rows of each, in order.
  /// - Throws: the first failure. After ``ServerFault/lost(_:)`` and ``ServerFault/timedOut`` the
  ///   link is unusable.
  func run(_ statements: [Statement], until deadline: Deadline) throws(ServerFault)
    -> [any ServerRows]

  /// Sends statements of the open transaction as a separate pipeline, without waiting.
  ///
  /// The next ``run(_:until:)`` waits for them: it fails by the first one that has failed, and
  /// returns none of their rows.
  /// - Throws: ``ServerFault/lost(_:)``, also if no transaction is open, as each pipeline would
  ///   then be committed by itself, or if the transaction has failed. The link is then unusable.
  func send(_ statements: [Statement]) throws(ServerFault)

  /// Whether the other end has closed the connection since its last use: then no statement is sent.
  var isClosed: Bool { get }

  /// Whether the server is known to keep a session for this connection alone: a pooler hands each
  /// transaction to another.
  var ownsSession: Bool { get }
}

/// The result of a statement.
public protocol ServerRows: AnyObject {
  var count: Int { get }
  /// Gives `body` a value as text; nil for NULL. The bytes are valid until `body` returns.
  func withText<Result>(
    _ row: Int, _ column: Int, _ body: (Bytes?) -> Result
  ) -> Result
}

extension ServerRows {
  public func text(_ row: Int, _ column: Int) -> String? {
    withText(row, column) { bytes in bytes.map { String(decoding: $0, as: UTF8.self) } }
  }

  public func int(_ row: Int, _ column: Int) -> Int64? {
    withText(row, column) { bytes in bytes.flatMap(integer) }
  }

  /// Bytes that the statement gives as `encode(…, 'hex')`; nil also for other text.
  public func bytes(_ row: Int, _ column: Int) -> [UInt8]? {
    withText(row, column) { text in text.flatMap(Hexadecimal.bytes) }
  }
}

/// An integer as the server writes it; nil for other text, and for one of more than 64 bits.
private func integer(_ text: Bytes) -> Int64? {
  let isNegative = text.first == UInt8(ascii: "-")
  let digits = isNegative ? text.dropFirst() : text[...]
  if digits.isEmpty { return nil }
  var number: Int64 = 0
  for character in digits {
    guard case let digit = character &- UInt8(ascii: "0"), digit <= 9 else { return nil }
    let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
    let step = isNegative ? -Int64(digit) : Int64(digit)
    let (sum, overflow) = tens.addingReportingOverflow(step)
    if isTooLarge || overflow { return nil }
    number = sum
  }
  return number
}

/// Why a server failed a request.
public enum ServerFault: Error, Equatable {
  /// No connection can be made; the reason helps a person to act, and has no password.
  case unreachable(String)
  /// The connection broke before an answer: the statements may have been executed.
  case lost(String)
  /// No answer came before the deadline: the statements may still be executed.
  case timedOut
  /// The server refused a statement, whose transaction has no effect, or a connection.
  case refused(SQLState, message: String)
}

/// PostgreSQL's five-character error code (its manual's appendix A).
public struct SQLState: Hashable, Sendable {
  public let code: String

  public init(_ code: String) { self.code = code }

  /// A prepared statement is missing, forbidden or out of date. A pooler may have handed the
  /// transaction to another of its connections. The link then prepares no more: it is enough to
  /// repeat the transaction.
  public static let unknownPreparedStatement = SQLState("26000")
  public static let serializationFailure = SQLState("40001")
  public static let deadlockDetected = SQLState("40P01")
  public static let uniqueViolation = SQLState("23505")
  public static let lockNotAvailable = SQLState("55P03")
  public static let queryCanceled = SQLState("57014")
  public static let insufficientPrivilege = SQLState("42501")
  public static let undefinedTable = SQLState("42P01")
  public static let undefinedSchema = SQLState("3F000")
  public static let readOnlyTransaction = SQLState("25006")
  /// Statements provoke it to undo themselves: see ``Statement/counted(_:rows:)``.
  public static let divisionByZero = SQLState("22012")
  /// The server, the database or the role has no connection free.
  public static let tooManyConnections = SQLState("53300")
}

/// When waiting is to end, by a clock that is never set.
public struct Deadline: Sendable {
  /// On ``MonotonicClock``; nil for never.
  public let milliseconds: Int64?

  public static let never = Deadline(milliseconds: nil)

  public static func after(seconds: Int64) -> Deadline {
    let (wait, isTooLong) = seconds.multipliedReportingOverflow(by: 1000)
    return isTooLong ? .never : after(milliseconds: wait)
  }

  public static func after(milliseconds wait: Int64) -> Deadline {
    let (end, isTooLong) = MonotonicClock.milliseconds.addingReportingOverflow(wait)
    return isTooLong ? .never : Deadline(milliseconds: end)
  }

  public func earlier(_ other: Deadline) -> Deadline {
    guard let own = milliseconds else { return other }
    return other.milliseconds.map { $0 < own ? other : self } ?? self
  }

  public var isPast: Bool { milliseconds.map { $0 <= MonotonicClock.milliseconds } ?? false }

  /// Milliseconds until the deadline: 0 once it is past, `Int.max` if it has no end.
  var remainingMilliseconds: Int {
    milliseconds.map { max(0, Int($0 - MonotonicClock.milliseconds)) } ?? .max
  }
}

/// Makes connections to one server: a gate makes another after one broke.
public protocol ServerConnector: AnyObject {
  /// - Throws: ``ServerFault/unreachable(_:)`` and ``ServerFault/timedOut``; a refusal with
  ///   ``SQLState/tooManyConnections``, which may pass.
  func connect(until deadline: Deadline) throws(ServerFault) -> any ServerLink
}

/// A statement with its parameters, which are never in its text.
public struct Statement: Hashable, Sendable {
  public let sql: String
  public let parameters: [Parameter]
  /// True if the server may keep its plan for the next time.
  ///
  /// It does so if its connections are this process's own.
  public let isKept: Bool

  public init(_ sql: String, _ parameters: [Parameter] = [], isKept: Bool = false) {
    self.sql = sql
    self.parameters = parameters
    self.isKept = isKept
  }

  /// Returns the text of a statement that fails with ``SQLState/divisionByZero`` if it writes
  /// another number of rows, as a foreign trigger may drop some. A row that says so would cost the
  /// server as much as the count.
  static func counted(_ sql: String, rows count: String) -> String {
    "WITH w AS (\(sql) RETURNING 1) SELECT FROM w HAVING 1 / (count(*) = \(count))::int4 IS NULL"
  }

  /// Returns such a statement that writes one row.
  static func writingOne(_ sql: String, _ parameters: [Parameter] = []) -> Statement {
    Statement(counted(sql, rows: "1"), parameters)
  }
}

public enum Parameter: Hashable, Sendable {
  case text(String)
  case textBytes([UInt8])
  case int(Int64)
  /// `timestamptz`.
  case time(Timestamp)
  case bytes([UInt8])
  case array(ParameterArray)

  static func texts(_ texts: some Sequence<String>) -> Parameter {
    var array = ParameterArray(.text)
    for text in texts { array.append(text.utf8) }
    return .array(array)
  }

  static func ints(_ numbers: some Sequence<Int64>) -> Parameter {
    var array = ParameterArray(.int)
    for number in numbers { array.append(number) }
    return .array(array)
  }
}

/// An array for the server, in PostgreSQL's binary form: its elements are added one by one.
public struct ParameterArray: Hashable, Sendable {
  public enum Element: Sendable {
    case text, int, time
  }

  public let element: Element
  public private(set) var count = 0
  /// The elements, each behind its length.
  public private(set) var elements: [UInt8] = []

  public init(_ element: Element) { self.element = element }

  public mutating func append(_ bytes: some Collection<UInt8>) {
    withBytes(of: UInt32(truncatingIfNeeded: bytes.count).bigEndian) { elements += $0 }
    elements += bytes
    count += 1
  }

  public mutating func append(_ number: Int64) {
    let high = UInt32(truncatingIfNeeded: number >> 32).bigEndian
    let low = UInt32(truncatingIfNeeded: number).bigEndian
    withBytes(of: (UInt32(8).bigEndian, high, low)) { elements += $0 }
    count += 1
  }

  /// Adds a time, which the server counts in microseconds from 2000 on.
  public mutating func append(_ time: Timestamp) { append(time.serverMicroseconds) }
}

extension Timestamp {
  /// The microseconds since 2000-01-01, as a `timestamptz` has them.
  public var serverMicroseconds: Int64 { (milliseconds - 946_684_800_000) * 1000 }
}
