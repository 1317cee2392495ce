/// The bytes of a value that have arrived. Every read is of an offset below `count`.
struct JSONInput {
  let base: UnsafeRawPointer
  let count: Int
  /// Whether no more will come.
  let isFinal: Bool

  @inline(__always)
  subscript(offset: Int) -> UInt8 {
    assert(offset >= 0 && offset < count)
    return base.load(fromByteOffset: offset, as: UInt8.self)
  }

  /// How the text at a place compares with one that is expected there.
  enum Comparison {
    case same
    /// The bytes match, but are incomplete.
    case cut
    case different
  }

  func comparison(with text: StaticString, at offset: Int) -> Comparison {
    for index in 0..<text.utf8CodeUnitCount {
      guard offset &+ index < count else { return .cut }
      guard self[offset &+ index] == text.utf8Start[index] else { return .different }
    }
    return .same
  }

  /// Returns the offset of the first byte, from `start` on, that ends printable text. That is a
  /// quote, a backslash, or one that is not printable ASCII; `count` if none of them follows.
  @inline(__always)
  func endOfPrintableText(from start: Int) -> Int {
    var offset = start
    while offset &+ 8 <= count {
      let stops = ByteWord(base + offset).unprintable
      if stops != 0 { return offset &+ ByteWord.firstIndex(in: stops) }
      offset &+= 8
    }
    while offset < count {
      let byte = self[offset]
      if byte < 0x20 || byte >= 0x7F || byte == .quote || byte == .backslash { break }
      offset &+= 1
    }
    return offset
  }

  /// Returns the number of digits of an integer of at most seven; 0 for anything else, and for one
  /// that may go on.
  @inline(__always)
  func lengthOfShortInteger(at offset: Int) -> Int {
    guard offset &+ 8 <= count else { return 0 }
    let word = ByteWord(base + offset)
    let digits = word.leadingDigitCount
    guard digits < 8, digits < 2 || word.bits & 0xFF != UInt64(UInt8(ascii: "0")) else { return 0 }
    let next = UInt8(truncatingIfNeeded: word.bits >> UInt64(8 &* digits))
    return next == UInt8(ascii: ".") || next | 0x20 == UInt8(ascii: "e") ? 0 : digits
  }

  @inline(never)
  func hashOfEscapedName(from start: Int, to end: Int) -> UInt32 {
    let text = Bytes(start: base + start, count: end - start)
    return JSONText(bytes: text, isPlain: false).withDecoded { $0.nameHash }
  }
}

extension UInt8 {
  // Computed: another module reads a stored one by a call.
  @inlinable @inline(__always)
  public static var quote: UInt8 { UInt8(ascii: "\"") }
  @inlinable @inline(__always)
  public static var backslash: UInt8 { UInt8(ascii: "\\") }
  @inlinable @inline(__always)
  public static var lineFeed: UInt8 { UInt8(ascii: "\n") }

  /// Whether JSON allows the byte between its tokens.
  @inline(__always)
  public var isJSONSpace: Bool { self == 0x20 || self == .lineFeed || self == 0x0d || self == 0x09 }

  /// Whether a token may have the byte. Tokens are base64url parts with points between them.
  var isWordByte: Bool { isLetterOrDigit || "-_.".utf8.contains(self) }

  @inline(__always)
  public var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

  /// Whether it is a letter or a digit of ASCII.
  @inlinable @inline(__always)
  public var isLetterOrDigit: Bool { isDigit || (0x61...0x7a).contains(self | 0x20) }
}

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

  /// Reads `\uXXXX`, or the existing part of it.
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

  /// Reads the UTF-8 sequence of a character above ASCII (Unicode, table 3-7).
  func utf8Sequence(at offset: Int) -> JSONPiece {
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xbf
    switch self[offset] {
    case 0xc2...0xdf: length = 2
    case 0xe0: (length, second) = (3, 0xa0...0xbf)
    case 0xed: (length, second) = (3, 0x80...0x9f)
    case 0xe1...0xef: length = 3
    case 0xf0: (length, second) = (4, 0x90...0xbf)
    case 0xf1...0xf3: length = 4
    case 0xf4: (length, second) = (4, 0x80...0x8f)
    default: return .malformed(.invalidUTF8)
    }
    guard offset &+ 1 < count else { return .cut }
    guard second.contains(self[offset &+ 1]) else { return .malformed(.invalidUTF8) }
    var index = 2
    while index < length {
      guard offset &+ index < count else { return .cut }
      guard self[offset &+ index] & 0xc0 == 0x80 else { return .malformed(.invalidUTF8) }
      index &+= 1
    }
    return .whole(length: length)
  }
}

/// The escapes of a JSON string.
enum JSONEscape {
  /// Returns the byte of a backslash and `letter`; nil for `u` and for letters that JSON does not
  /// have.
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

  /// Returns the letter for `byte` after a backslash. Nil if there is no short form.
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

/// A part of a string with several bytes: a character above ASCII, or an escape.
///
/// It may be incomplete. Later bytes never change a verdict except `cut`.
enum JSONPiece: Equatable {
  case whole(length: Int)
  /// Correct so far, but incomplete.
  case cut
  case malformed(JSONError.Reason)
}

extension Unicode.Scalar {
  /// The character whose UTF-8, of two bytes or more, is given.
  @inline(__always)
  init?(wellFormed bytes: Bytes) {
    var value = UInt32(bytes[0]) & (0x7F >> UInt32(bytes.count))
    for byte in bytes.dropFirst() { value = value << 6 | UInt32(byte & 0x3F) }
    self.init(value)
  }
}
