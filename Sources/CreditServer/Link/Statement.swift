package import CreditModel

/// A statement with its parameters, which are never in its text.
package struct Statement {
  package let sql: String
  package let parameters: [Parameter]
  /// True if the server may keep its plan for the next time.
  ///
  /// It does so if its connections are this process's own.
  package let isKept: Bool

  package init(_ sql: String, _ parameters: [Parameter] = [], isKept: Bool = false) {
    self.sql = sql
    self.parameters = parameters
    self.isKept = isKept
  }
}

/// A value that goes to the server.
package enum Parameter {
  case text(String)
  /// Text as UTF-8.
  case textBytes([UInt8])
  case int(Int64)
  /// `timestamptz`.
  case time(Timestamp)
  case bytes([UInt8])
  case array(ParameterArray)
}

/// An array that goes to the server, in PostgreSQL's binary form: its elements are added one by
/// one.
package struct ParameterArray {
  package enum Element: Sendable {
    case text, int, time
  }

  package let element: Element
  /// How many elements there are.
  package private(set) var count = 0
  /// The elements, each behind its length.
  package private(set) var elements: [UInt8] = []

  package init(_ element: Element) { self.element = element }

  package mutating func append(_ text: String) { append(Array(text.utf8)) }

  package mutating func append(_ bytes: [UInt8]) {
    append(word: UInt32(truncatingIfNeeded: bytes.count))
    elements += bytes
    count += 1
  }

  package mutating func append(_ number: Int64) {
    append(word: 8)
    append(word: UInt32(truncatingIfNeeded: number >> 32))
    append(word: UInt32(truncatingIfNeeded: number))
    count += 1
  }

  /// Adds a time, which the server counts in microseconds from 2000 on.
  package mutating func append(_ time: Timestamp) { append(time.serverMicroseconds) }

  private mutating func append(word: UInt32) {
    withUnsafeBytes(of: word.bigEndian) { elements += $0 }
  }
}

extension Timestamp {
  /// The microseconds since 2000-01-01, as a `timestamptz` has them.
  package var serverMicroseconds: Int64 { (milliseconds - 946_684_800_000) * 1000 }
}
