/// The text of a value without white space, which tells it from others however it was laid out.
enum CompactText {
  /// The most bytes of it that are kept.
  static let byteLimit = 1024

  /// The compact text of a value, cut at the limit.
  static func of(_ value: JSONValue) -> String {
    var bytes: [UInt8] = []
    append(value, to: &bytes)
    guard bytes.count > byteLimit else { return String(decoding: bytes, as: UTF8.self) }
    var end = byteLimit
    // A scalar is kept whole or not at all.
    while end > 0, bytes[end] & 0xc0 == 0x80 { end -= 1 }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  /// Goes as deep as the value does, which its scan has limited, and little further than the limit.
  private static func append(_ value: JSONValue, to bytes: inout [UInt8]) {
    guard bytes.count <= byteLimit else { return }
    var isFirst = true
    switch value.kind {
    case .object:
      bytes.append(UInt8(ascii: "{"))
      for (name, member) in value.members where bytes.count <= byteLimit {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        bytes += name.raw.prefix(byteLimit + 4)
        bytes.append(UInt8(ascii: ":"))
        append(member, to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    case .array:
      bytes.append(UInt8(ascii: "["))
      for element in value.elements where bytes.count <= byteLimit {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        append(element, to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .string, .number, .true, .false, .null:
      // What is beyond the limit is cut, so that its first byte has to be there.
      bytes += value.raw.prefix(byteLimit + 4)
    }
  }
}
