/// An array of chunks that was cut off.
enum ChunkArray {
  /// Overwrites with spaces what holds the elements of an array together, so that each stands for
  /// itself in its place.
  /// - Returns: whether the text begins as an array does. Otherwise it stays as it is.
  static func open(_ text: UnsafeMutableRawBufferPointer) -> Bool {
    guard let start = text.firstIndex(where: { !$0.isJSONSpace }),
      text[start] == UInt8(ascii: "[")
    else { return false }
    var elements = ChunkElements()
    elements.open(UnsafeMutableRawBufferPointer(rebasing: text[start...]))
    return true
  }
}

/// Overwrites with spaces what holds the elements of an array together, in any pieces.
struct ChunkElements {
  private var depth = 0
  private var isInString = false
  private var isEscaped = false

  /// Takes the next piece of the array's text.
  mutating func open(_ text: UnsafeMutableRawBufferPointer) {
    for index in text.indices {
      let byte = text[index]
      if isInString {
        takeInString(byte)
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        if depth == 0 { text[index] = UInt8(ascii: " ") }
        depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        depth -= 1
        if depth == 0 { text[index] = UInt8(ascii: " ") }
      case UInt8(ascii: ","):
        if depth == 1 { text[index] = UInt8(ascii: " ") }
      default: break
      }
    }
  }

  private mutating func takeInString(_ byte: UInt8) {
    if isEscaped {
      isEscaped = false
    } else {
      if byte == UInt8(ascii: "\\") { isEscaped = true }
      if byte == UInt8(ascii: "\"") { isInString = false }
    }
  }
}
