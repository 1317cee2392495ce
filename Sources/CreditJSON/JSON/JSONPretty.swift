/// JSON laid out for people, as `jq .` does: a member or element a line, two spaces a level.
package enum JSONPretty {
  /// Writes a value laid out; its strings and numbers stay as they were written, but for hidden
  /// characters, which are escaped.
  package static func write(_ value: JSONValue, into writer: inout JSONWriter) {
    writer.beginLaidOut()
    layOut(value, level: 0, &writer)
    writer.endLaidOut()
  }

  /// Goes as deep as the value does, which its scan has limited.
  private static func layOut(_ value: JSONValue, level: Int, _ writer: inout JSONWriter) {
    var isFirst = true
    switch value.kind {
    case .object:
      writer.put(UInt8(ascii: "{"))
      for (name, member) in value.members {
        if !isFirst { writer.put(UInt8(ascii: ",")) }
        isFirst = false
        breakLine(level + 1, &writer)
        writer.append(name)
        writer.put(UInt8(ascii: ":"))
        writer.put(UInt8(ascii: " "))
        layOut(member, level: level + 1, &writer)
      }
      if !isFirst { breakLine(level, &writer) }
      writer.put(UInt8(ascii: "}"))
    case .array:
      writer.put(UInt8(ascii: "["))
      for element in value.elements {
        if !isFirst { writer.put(UInt8(ascii: ",")) }
        isFirst = false
        breakLine(level + 1, &writer)
        layOut(element, level: level + 1, &writer)
      }
      if !isFirst { breakLine(level, &writer) }
      writer.put(UInt8(ascii: "]"))
    case .string, .number, .true, .false, .null:
      writer.append(value)
    }
  }

  private static func breakLine(_ level: Int, _ writer: inout JSONWriter) {
    writer.put(.lineFeed)
    for _ in 0..<level { writer.append(UnsafeRawBufferPointer("  ")) }
  }
}
