/// The text of a value without white space, which tells it from others however it was laid out.
///
/// A text that is too long to keep is told by its first bytes and a hash of the whole, in sixteen
/// hexadecimal digits: no JSON, and so the text of no other value.
struct CompactText {
  /// The most bytes of it that are kept.
  static let byteLimit = 1024
  private static let hashMark = "…"

  private var kept: [UInt8] = []
  private var hash = FNV1a()

  /// The compact text of a value.
  static func of(_ value: JSONValue) -> String {
    var text = CompactText()
    text.append(value)
    return text.string
  }

  private var string: String {
    if kept.count <= Self.byteLimit { return String(decoding: kept, as: UTF8.self) }
    var end = Self.byteLimit - Self.hashMark.utf8.count - FNV1a.digitCount
    // A scalar is kept whole or not at all.
    while end > 0, kept[end] & 0xc0 == 0x80 { end -= 1 }
    return String(decoding: kept[..<end], as: UTF8.self) + Self.hashMark + hash.digits
  }

  /// Goes as deep as the value does, which its scan has limited.
  private mutating func append(_ value: JSONValue) {
    var isFirst = true
    switch value.kind {
    case .object:
      append(UInt8(ascii: "{"))
      for (name, member) in value.members {
        if !isFirst { append(UInt8(ascii: ",")) }
        isFirst = false
        append(name.raw)
        append(UInt8(ascii: ":"))
        append(member)
      }
      append(UInt8(ascii: "}"))
    case .array:
      append(UInt8(ascii: "["))
      for element in value.elements {
        if !isFirst { append(UInt8(ascii: ",")) }
        isFirst = false
        append(element)
      }
      append(UInt8(ascii: "]"))
    case .string, .number, .true, .false, .null:
      append(value.raw)
    }
  }

  private mutating func append(_ byte: UInt8) {
    withUnsafeBytes(of: byte) { append($0) }
  }

  private mutating func append(_ bytes: UnsafeRawBufferPointer) {
    hash.append(bytes)
    // One byte beyond the limit shows that there are more.
    kept += bytes.prefix(Self.byteLimit + 1 - kept.count)
  }
}
