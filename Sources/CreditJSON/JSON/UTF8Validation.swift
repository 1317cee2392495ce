/// A piece of a string that takes more than one byte - a character above ASCII, an escape - as far
/// as the bytes at hand show it. Bytes that come later never change a verdict but `cut`.
enum JSONPiece: Equatable {
  case whole(length: Int)
  /// All right so far, and not all there.
  case cut
  case malformed(JSONError.Reason)
}

extension JSONInput {
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

extension Unicode.Scalar {
  /// The character whose UTF-8, of two bytes or more, is given.
  @inline(__always)
  init?(wellFormed bytes: UnsafeRawBufferPointer) {
    var value = UInt32(bytes[0]) & (0x7F >> UInt32(bytes.count))
    for byte in bytes.dropFirst() { value = value << 6 | UInt32(byte & 0x3F) }
    self.init(value)
  }
}
