/// Writes a value without its white space, with hidden characters escaped.
public enum JSONCompact {
  /// Writes the value. Its depth is the scanner's limit at most.
  public static func write(_ value: JSONValue, into writer: inout JSONWriter) {
    // Most values come compact already.
    if value.raw.contains(where: \.isJSONSpace) {
      rewrite(value, into: &writer)
    } else {
      writer.raw(value)
    }
  }

  public static func text(of value: JSONValue) -> [UInt8] {
    var writer = JSONWriter()
    write(value, into: &writer)
    return writer.withBytes { Array($0) }
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

/// JSON laid out for people, as `jq .` does: a member or element a line, two spaces a level.
public enum JSONPretty {
  /// Writes a value laid out; its strings and numbers stay as they were written, but for hidden
  /// characters, which are escaped.
  public static func write(_ value: JSONValue, into writer: inout JSONWriter) {
    writer.beginRawValue()
    layOut(value, level: 0, &writer)
    writer.endRawValue()
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
    for _ in 0..<level { writer.append(Bytes("  ")) }
  }
}

/// The text between the quotes of a well-formed scanned string.
@usableFromInline struct JSONText {
  @usableFromInline let bytes: Bytes
  @usableFromInline let isPlain: Bool

  /// The text with its escapes resolved.
  var string: String {
    if isPlain { return String(decoding: bytes, as: UTF8.self) }
    return String(unsafeUninitializedCapacity: bytes.count) {
      decode(into: MutableBytes($0))
    }
  }

  /// Calls `body` with the UTF-8 of the text, its escapes resolved.
  @inlinable func withDecoded<Result>(_ body: (Bytes) -> Result) -> Result {
    if isPlain { return body(bytes) }
    return withTemporaryBytes(byteCount: bytes.count, alignment: 1) { buffer in
      let count = decode(into: buffer)
      return body(Bytes(rebasing: buffer[..<count]))
    }
  }

  func equals(_ text: Bytes) -> Bool {
    if isPlain { return bytes.hasSameBytes(as: text) }
    return withDecoded { $0.hasSameBytes(as: text) }
  }

  func equals(_ other: JSONText) -> Bool {
    if isPlain { return other.equals(bytes) }
    return withDecoded { other.equals($0) }
  }

  /// Writes the text with its escapes resolved, which is never longer than the text.
  /// - Returns: the number of bytes written.
  @usableFromInline func decode(into buffer: MutableBytes) -> Int {
    var read = 0
    var written = 0
    while read < bytes.count {
      let byte = bytes[read]
      guard byte == .backslash else {
        buffer[written] = byte
        read += 1
        written += 1
        continue
      }
      if let plain = JSONEscape.byte(after: bytes[read + 1]) {
        buffer[written] = plain
        read += 2
        written += 1
        continue
      }
      let (scalar, length) = unicodeEscape(at: read)
      for byte in String(scalar).utf8 {
        buffer[written] = byte
        written += 1
      }
      read += length
    }
    return written
  }

  private func unicodeEscape(at offset: Int) -> (scalar: Unicode.Scalar, length: Int) {
    let unit = codeUnit(at: offset)
    if let scalar = Unicode.Scalar(unit) { return (scalar, 6) }
    let pair = [unit, codeUnit(at: offset + 6)]
    return (String(decoding: pair, as: UTF16.self).unicodeScalars.first ?? "\u{fffd}", 12)
  }

  private func codeUnit(at offset: Int) -> UInt16 {
    bytes[offset + 2..<offset + 6].reduce(0) { $0 << 4 | UInt16(Hexadecimal.value(of: $1) ?? 0) }
  }
}
