internal import CreditJSON
internal import CreditLogs
internal import CreditModel
internal import CreditReport

/// Exact readings of a bill's members. A cell of a table is text, and an empty one is absent.
extension JSONValue {
  /// A member that is there; nil for one that is absent, null, or empty text.
  func billMember(_ name: StaticString) -> JSONValue? {
    guard let value = member(name), !value.isNull else { return nil }
    return value.kind == .string && value.raw.count == 2 ? nil : value
  }

  /// Returns a count; nil if it is absent.
  /// - Throws: if it is not a whole number from 0 on that fits in 64 bits.
  func billCount(_ name: StaticString) throws(CreditError) -> Int64? {
    guard let value = billMember(name) else { return nil }
    let count = value.int64 ?? value.string.flatMap(Self.digits)
    guard let count, count >= 0 else {
      throw CreditError(
        .invalidUsage, "\(name) is no count: \(quoted(String(decoding: value.raw, as: UTF8.self)))")
    }
    return count
  }

  private static func digits(_ text: String) -> Int64? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
  }

  /// Returns a decimal number of any sign, with all its digits. Nil if it is absent.
  /// - Throws: if it is not a decimal number.
  func billDecimal(_ name: StaticString) throws(CreditError) -> DecimalSum? {
    guard let value = billMember(name) else { return nil }
    let number = value.numberText.flatMap { DecimalSum(text: $0) }
    guard let number = number ?? value.withUTF8({ DecimalSum(text: $0) }) ?? nil else {
      throw CreditError(
        .invalidRequest,
        "\(name) is no decimal number: \(quoted(String(decoding: value.raw, as: UTF8.self)))")
    }
    return number
  }

  /// Returns the text of the first of some members that is present. Nil if all are absent.
  /// - Throws: if that member is not text.
  func billText(_ names: StaticString...) throws(CreditError) -> String? {
    for name in names {
      guard let value = billMember(name) else { continue }
      guard let text = value.string else {
        throw CreditError(.invalidRequest, "\(name) is no text")
      }
      return text
    }
    return nil
  }

  /// Returns a time.
  /// - Throws: if it is absent or not a time.
  func billTime(_ name: StaticString) throws(CreditError) -> Timestamp {
    guard let value = billMember(name) else {
      throw CreditError(.invalidRequest, "it has no \(name)")
    }
    guard let time = LogTime.of(value) else {
      throw CreditError(
        .invalidRequest,
        "\(name) is no time: \(quoted(String(decoding: value.raw, as: UTF8.self)))")
    }
    return time
  }

  /// Returns an object; nil if it is absent.
  /// - Throws: if it is not an object.
  func billObject(_ name: StaticString) throws(CreditError) -> JSONValue? {
    guard let value = billMember(name) else { return nil }
    guard value.isObject else { throw CreditError(.invalidRequest, "\(name) is no object") }
    return value
  }
}
