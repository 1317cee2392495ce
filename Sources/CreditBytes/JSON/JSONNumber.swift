/// Progress of a scan in a number's grammar (RFC 8259, section 6).
enum JSONNumberPhase: UInt8 {
  case sign
  case zero
  case integer
  case point
  case fraction
  case exponentMark
  case exponentSign
  case exponent

  /// Whether a number may end here.
  var isWhole: Bool {
    switch self {
    case .zero, .integer, .fraction, .exponent: true
    case .sign, .point, .exponentMark, .exponentSign: false
    }
  }

  /// Whether only a sign and digits have been seen.
  var isPlain: Bool {
    switch self {
    case .sign, .zero, .integer: true
    case .point, .fraction, .exponentMark, .exponentSign, .exponent: false
    }
  }

  /// The phase that a number's first byte begins; nil for a byte that begins no number.
  static func first(_ byte: UInt8) -> JSONNumberPhase? {
    switch byte {
    case UInt8(ascii: "-"): .sign
    case UInt8(ascii: "0"): .zero
    case UInt8(ascii: "1")...UInt8(ascii: "9"): .integer
    default: nil
    }
  }

  /// Returns the phase after one more byte. Nil if the byte does not continue the number.
  func after(_ byte: UInt8) -> JSONNumberPhase? {
    switch (self, byte) {
    case (.sign, UInt8(ascii: "0")): .zero
    case (.sign, _) where byte.isDigit: .integer
    case (.integer, _) where byte.isDigit: .integer
    case (.point, _) where byte.isDigit: .fraction
    case (.fraction, _) where byte.isDigit: .fraction
    case (.exponentMark, _) where byte.isDigit: .exponent
    case (.exponentSign, _) where byte.isDigit: .exponent
    case (.exponent, _) where byte.isDigit: .exponent
    case (.zero, UInt8(ascii: ".")), (.integer, UInt8(ascii: ".")): .point
    case (.zero, _) where byte | 0x20 == UInt8(ascii: "e"): .exponentMark
    case (.integer, _) where byte | 0x20 == UInt8(ascii: "e"): .exponentMark
    case (.fraction, _) where byte | 0x20 == UInt8(ascii: "e"): .exponentMark
    case (.exponentMark, UInt8(ascii: "+")), (.exponentMark, UInt8(ascii: "-")): .exponentSign
    default: nil
    }
  }
}

/// Tokens that are read slowly: few numbers have a fraction or more than seven digits.
extension JSONScanner {
  /// Goes on with a number. One outside of a container ends at white space or at the end.
  mutating func scanNumber(_ input: JSONInput) -> Progress {
    while place.offset < input.count, let next = numberPhase.after(input[place.offset]) {
      numberPhase = next
      place.offset &+= 1
    }
    if place.offset < input.count {
      let byte = input[place.offset]
      guard numberPhase.isWhole, !byte.isDigit, place.depth > 0 || byte.isJSONSpace else {
        return stumble(.invalidNumber)
      }
    } else {
      guard input.isFinal, numberPhase.isWhole, place.depth == 0 else { return .starved }
    }
    addScalar(.number, numberPhase.isPlain ? .plain : .escaped, place.tokenStart, place.offset)
    return .endsValue
  }

  /// Goes past `true`, `false`, `null` or a number.
  @inline(never)
  mutating func scanWord(_ byte: UInt8, _ input: JSONInput) -> Progress {
    if let first = JSONNumberPhase.first(byte) {
      numberPhase = first
      place.phase = .number
      place.tokenStart = place.offset
      place.offset &+= 1
      return scanNumber(input)
    }
    let (literal, kind): (StaticString, JSONKind)
    switch byte {
    case UInt8(ascii: "t"): (literal, kind) = ("true", .true)
    case UInt8(ascii: "f"): (literal, kind) = ("false", .false)
    case UInt8(ascii: "n"): (literal, kind) = ("null", .null)
    default: return stopWithoutValue(input)
    }
    switch input.comparison(with: literal, at: place.offset) {
    case .same: break
    case .cut: return .starved
    case .different: return stumble(.valueExpected)
    }
    let end = place.offset &+ literal.utf8CodeUnitCount
    // Outside of containers, as with a number, something has to show that the word ends here.
    if place.depth == 0 {
      guard end < input.count || input.isFinal else { return .starved }
      if end < input.count, !input[end].isJSONSpace { return stumble(.valueExpected) }
    }
    addScalar(kind, .plain, place.offset, end)
    place.offset = end
    return .endsValue
  }

  /// Stops if no value begins; distinguishes a byte order mark from other text.
  private mutating func stopWithoutValue(_ input: JSONInput) -> Progress {
    switch input.comparison(with: "\u{feff}", at: place.offset) {
    case .same: stumble(.byteOrderMark)
    case .cut where !input.isFinal: .starved
    case .cut, .different: stumble(.valueExpected)
    }
  }
}

extension Int64 {
  /// Reads an integer's sign and digits, as a scan has checked them; nil if it is out of range.
  public init?(digits bytes: Bytes) {
    let isNegative = bytes.first == UInt8(ascii: "-")
    var magnitude: UInt64 = 0
    // Twenty digits or more are out of range, as a longer number does not begin with a zero.
    guard bytes.count <= 20 else { return nil }
    for index in (isNegative ? 1 : 0)..<bytes.count {
      let digit = UInt64(bytes[index] &- UInt8(ascii: "0"))
      // Nineteen digits fit; the twentieth is caught.
      let (tens, overflow) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.addingReportingOverflow(digit)
      if overflow || carry { return nil }
      magnitude = sum
    }
    if isNegative {
      guard magnitude <= Int64.min.magnitude else { return nil }
      self = Int64(truncatingIfNeeded: 0 &- magnitude)
    } else {
      guard let value = Int64(exactly: magnitude) else { return nil }
      self = value
    }
  }
}
