/// Writes a value without the white space it was written with, and hidden characters escaped.
package enum JSONCompact {
  /// Writes the value. Its depth is the scanner's limit at most.
  package static func write(_ value: JSONValue, into writer: inout JSONWriter) {
    // Most values come compact already.
    if value.raw.contains(where: \.isJSONSpace) {
      rewrite(value, into: &writer)
    } else {
      writer.raw(value)
    }
  }

  private static func rewrite(_ value: JSONValue, into writer: inout JSONWriter) {
    switch value.kind {
    case .object:
      writer.beginObject()
      for (name, value) in value.members {
        name.withUTF8 { writer.key(utf8: $0) }
        rewrite(value, into: &writer)
      }
      writer.endObject()
    case .array:
      writer.beginArray()
      for element in value.elements { rewrite(element, into: &writer) }
      writer.endArray()
    default:
      writer.raw(value)
    }
  }
}
