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
    /// The same as far as the bytes go, which is not far enough.
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

  /// Returns the offset, from `start` on, of the first byte outside plain ASCII text. That is a
  /// quote, a backslash, a control character or a byte above ASCII; `count` if none of them
  /// follows.
  @inline(__always)
  func endOfPlainText(from start: Int) -> Int {
    var offset = start
    while offset &+ 8 <= count {
      let word = ByteWord(base + offset)
      let stops = word.escapable | word.nonASCII
      if stops != 0 { return offset &+ ByteWord.firstIndex(in: stops) }
      offset &+= 8
    }
    while offset < count {
      let byte = self[offset]
      if byte < 0x20 || byte >= 0x80 || byte == .quote || byte == .backslash { break }
      offset &+= 1
    }
    return offset
  }
}

extension UInt8 {
  static let quote = UInt8(ascii: "\"")
  static let backslash = UInt8(ascii: "\\")
  static let lineFeed = UInt8(ascii: "\n")

  /// Whether JSON allows the byte between its tokens.
  @inline(__always)
  var isJSONSpace: Bool {
    self == 0x20 || self == .lineFeed || self == 0x0d || self == 0x09
  }

  /// Whether a token may have the byte. Tokens are base64url parts with points between them.
  var isWordByte: Bool {
    switch self {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }

  @inline(__always)
  var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }
}
