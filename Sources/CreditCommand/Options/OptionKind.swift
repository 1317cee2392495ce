internal import CreditModel

/// What follows a flag on the command line, and the form it must have.
package enum OptionKind: Hashable, Sendable {
  /// Nothing: the flag stands alone.
  case flag
  /// Any text.
  case text
  /// A whole number of 64 bits, negative ones too. No fraction, exponent, plus sign or blank.
  case integer
  /// A whole number that isn't negative.
  case count
  /// A span of time: `90s`, `15m`, `1h`, `30d`.
  case duration
  /// An RFC 3339 time with any offset. Its form is checked where it is used.
  case time
  /// An authorization's id, or the object that `credit-authorize` answered with. Its form is checked
  /// where it is used.
  case authorization
  /// A file.
  case path
  /// A store: a directory, or a URL without a password in it.
  case store
  /// One of a few words.
  case choice([String])

  /// Whether a value follows the flag.
  package var takesValue: Bool { self != .flag }

  /// What is wrong with a value, to follow the flag's name in a message; nil if nothing is.
  func problem(with value: String) -> String? {
    switch self {
    case .flag, .text, .time, .authorization, .path:
      return nil
    case .integer:
      if Self.isInteger(value) {
        return Int64(value) == nil ? "does not fit in 64 bits: \(quoted(value))" : nil
      }
      return "takes a whole number, not \(quoted(value))"
    case .count:
      if Self.isInteger(value), let count = Int64(value), count >= 0 { return nil }
      return "takes a whole number that is not negative, not \(quoted(value))"
    case .duration:
      if TimeSpan(text: value) != nil { return nil }
      return "takes a span of time such as 90s, 15m, 1h or 30d, not \(quoted(value))"
    case .store:
      return Self.holdsPassword(value)
        ? "takes no URL with a password in it; use CREDIT_STORE or PGPASSFILE" : nil
    case .choice(let words):
      return words.contains(value)
        ? nil : "takes \(words.joined(separator: ", ")); not \(quoted(value))"
    }
  }

  /// Whether the text is an optional minus sign and digits alone: `Int64(_:)` also takes a plus.
  private static func isInteger(_ text: String) -> Bool {
    let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
    return !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Whether a URL carries a password, as `user:password@host` or as a `password` parameter: other
  /// users of the machine can read command lines.
  private static func holdsPassword(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let mark = Array("://".utf8)
    guard let colon = bytes.indices.first(where: { bytes[$0...].starts(with: mark) }) else {
      return false
    }
    let rest = bytes[(colon + mark.count)...]
    let authority = rest.prefix { !"/?#".utf8.contains($0) }
    if let end = authority.lastIndex(of: UInt8(ascii: "@")),
      authority[..<end].contains(UInt8(ascii: ":"))
    {
      return true
    }
    let parameters = rest.split(whereSeparator: { "?&".utf8.contains($0) }).dropFirst()
    return parameters.contains { $0.starts(with: "password=".utf8) }
  }
}
