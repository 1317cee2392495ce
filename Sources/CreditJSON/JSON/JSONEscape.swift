import CreditModel

extension JSONInput {
  /// Reads the escape whose backslash is at `offset`; a surrogate pair is one escape.
  func escape(at offset: Int) -> JSONPiece {
    guard offset + 1 < count else { return .cut }
    switch self[offset + 1] {
    case UInt8(ascii: "u"): return unicodeEscape(at: offset)
    case let byte where JSONEscape.byte(after: byte) != nil: return .whole(length: 2)
    default: return .malformed(.invalidEscape)
    }
  }

  private func unicodeEscape(at offset: Int) -> JSONPiece {
    switch codeUnit(at: offset) {
    case .none: return .malformed(.invalidEscape)
    case .cut: return .cut
    case .some(let unit) where UTF16.isTrailSurrogate(unit): return .malformed(.loneSurrogate)
    case .some(let unit) where !UTF16.isLeadSurrogate(unit): return .whole(length: 6)
    case .some: break
    }
    guard offset + 6 < count else { return .cut }
    guard self[offset + 6] == .backslash else { return .malformed(.loneSurrogate) }
    switch codeUnit(at: offset + 6) {
    case .none: return .malformed(.loneSurrogate)
    case .cut: return .cut
    case .some(let unit):
      return UTF16.isTrailSurrogate(unit) ? .whole(length: 12) : .malformed(.loneSurrogate)
    }
  }

  private enum CodeUnit {
    case none
    case cut
    case some(UInt16)
  }

  /// Reads `\uXXXX`, as far as it is there.
  private func codeUnit(at offset: Int) -> CodeUnit {
    guard offset + 1 < count else { return .cut }
    guard self[offset + 1] == UInt8(ascii: "u") else { return .none }
    var unit: UInt16 = 0
    for index in offset + 2..<offset + 6 {
      guard index < count else { return .cut }
      guard let digit = Hexadecimal.value(of: self[index]) else { return .none }
      unit = unit << 4 | UInt16(digit)
    }
    return .some(unit)
  }
}

/// The escapes of a JSON string.
enum JSONEscape {
  /// What a backslash and `letter` stand for; nil for `u` and for letters that JSON does not know.
  static func byte(after letter: UInt8) -> UInt8? {
    switch letter {
    case .quote, .backslash, UInt8(ascii: "/"): letter
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0c
    case UInt8(ascii: "n"): 0x0a
    case UInt8(ascii: "r"): 0x0d
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }

  /// Returns the letter that stands for `byte` after a backslash. Nil if there is no short form.
  static func letter(for byte: UInt8) -> UInt8? {
    switch byte {
    case .quote, .backslash: byte
    case 0x08: UInt8(ascii: "b")
    case 0x0c: UInt8(ascii: "f")
    case 0x0a: UInt8(ascii: "n")
    case 0x0d: UInt8(ascii: "r")
    case 0x09: UInt8(ascii: "t")
    default: nil
    }
  }
}
