public import CreditBytes

/// The time of a record, in any form of its log.
public enum LogTime {
  /// Returns the time of a text or a number. Nil if it is not a time.
  public static func of(_ value: JSONValue?) -> Timestamp? {
    guard let value else { return nil }
    if let number = value.numberText { return instant(number) }
    return value.withUTF8 { Timestamp.parse($0) ?? parse($0) ?? instant($0) } ?? nil
  }

  /// Reads a date and a time as databases write them: `2026-02-19 10:00:00.5+00`. Without an offset
  /// it is UTC, as a server's log has it.
  private static func parse(_ text: Bytes) -> Timestamp? {
    let dateAndMinute = 16
    guard text.count >= dateAndMinute, text.count <= 40 else { return nil }
    var rest = text[dateAndMinute...]
    let time = Array(
      rest.prefix { $0.isDigit || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") })
    rest = rest.dropFirst(time.count).drop { $0 == UInt8(ascii: " ") }
    guard let offset = offset(Array(rest)) else { return nil }
    var whole = Array(text[..<dateAndMinute])
    whole += time.isEmpty ? Array(":00".utf8) : time
    whole += offset
    return whole.withBytes { Timestamp.parse($0) }
  }

  /// Converts `+00`, `+0000`, `UTC` and an empty text to the form of RFC 3339.
  private static func offset(_ text: [UInt8]) -> [UInt8]? {
    if text.isEmpty || text.elementsEqual("UTC".utf8) { return Array("Z".utf8) }
    guard text[0] == UInt8(ascii: "+") || text[0] == UInt8(ascii: "-") else { return text }
    switch text.count {
    case 3: return text + Array(":00".utf8)
    case 5: return text[..<3] + [UInt8(ascii: ":")] + text[3...]
    default: return text
    }
  }

  /// Returns the time of seconds, or thousandths, millionths or billionths of one, since 1970. The
  /// number's size shows the unit, from 1973 on.
  private static func instant(_ text: Bytes) -> Timestamp? {
    let digits = text.prefix { $0.isDigit }
    var fraction = text.dropFirst(digits.count)
    if fraction.first == UInt8(ascii: ".") { fraction = fraction.dropFirst() }
    guard let whole = Int64(digits: Bytes(rebasing: digits)), whole > 0,
      fraction.allSatisfy(\.isDigit)
    else { return nil }
    let milliseconds: Int64
    switch whole {
    case ..<100_000_000_000:
      // The first three digits of the fraction, as if zeros followed.
      let thousandths = (Array(fraction.prefix(3)) + Array("000".utf8)).prefix(3)
      milliseconds = thousandths.reduce(whole) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    case ..<100_000_000_000_000: milliseconds = whole
    case ..<100_000_000_000_000_000: milliseconds = whole / 1000
    default: milliseconds = whole / 1_000_000
    }
    let time = Timestamp(milliseconds: milliseconds)
    return time > .latest ? nil : time
  }
}
