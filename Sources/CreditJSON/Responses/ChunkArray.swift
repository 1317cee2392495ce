/// An array of chunks that was cut off.
enum ChunkArray {
  /// Overwrites with spaces what holds the elements of an array together, so that each stands for
  /// itself in its place.
  /// - Returns: whether the text begins as an array does. Otherwise it stays as it is.
  static func open(_ text: UnsafeMutableRawBufferPointer) -> Bool {
    guard let start = text.firstIndex(where: { !$0.isJSONSpace }),
      text[start] == UInt8(ascii: "[")
    else { return false }
    var depth = 0
    var isInString = false
    var isEscaped = false
    for index in start..<text.count {
      let byte = text[index]
      if isInString {
        if isEscaped {
          isEscaped = false
        } else {
          if byte == UInt8(ascii: "\\") { isEscaped = true }
          if byte == UInt8(ascii: "\"") { isInString = false }
        }
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
    return true
  }
}
