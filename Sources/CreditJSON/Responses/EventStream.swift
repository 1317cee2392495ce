/// The text of server-sent events (WHATWG HTML, section 9.2), as JSON values one after another.
struct EventStream {
  /// The word that closes OpenAI's streams appears as this string among the values.
  static let closingWord: StaticString = "DONE"

  /// The start of the first event named as an error; nil without one.
  private(set) var errorStart: Int?

  /// Overwrites with spaces all that is no data, so that each byte of the data keeps its place: a
  /// byte order mark, the names of fields, comments. The word that ends OpenAI's streams becomes a
  /// string.
  /// - Returns: nil for text that is no event stream, which stays as it is but for a byte order
  ///   mark.
  init?(blanking text: UnsafeMutableRawBufferPointer) {
    if text.starts(with: [0xef, 0xbb, 0xbf]) { text[..<3].blank() }
    guard let start = text.firstIndex(where: { !$0.isJSONSpace }), Self.isField(text[start...])
    else { return nil }
    var lineStart = start
    while lineStart < text.count {
      let rest = text[lineStart...]
      let lineEnd = rest.firstIndex { $0 == .lineFeed || $0 == .carriageReturn } ?? text.count
      let line = text[lineStart..<lineEnd]
      if errorStart == nil, Self.namesError(line) { errorStart = lineStart }
      Self.blankLine(line)
      // A carriage return ends a line, too, but lines are counted by their line feeds.
      if lineEnd < text.count, text[lineEnd] == .carriageReturn,
        lineEnd + 1 == text.count || text[lineEnd + 1] != .lineFeed
      {
        text[lineEnd] = .lineFeed
      }
      lineStart = lineEnd + 1
    }
  }

  /// Whether a line has a field or a comment. A line that has neither is left for the scanner.
  private static func isField(_ line: Slice<UnsafeMutableRawBufferPointer>) -> Bool {
    let name = line.prefix { $0.isFieldName }
    if name.endIndex < line.endIndex, line[name.endIndex] == UInt8(ascii: ":") { return true }
    return isData(name)
      && (name.endIndex == line.endIndex || line[name.endIndex] == .lineFeed
        || line[name.endIndex] == .carriageReturn)
  }

  /// Returns true if text begins with a known field's name or a comment.
  static func beginsField(_ text: [UInt8]) -> Bool {
    let name = text.prefix { $0.isFieldName }
    guard name.endIndex < text.count, text[name.endIndex] == UInt8(ascii: ":") else { return false }
    let names: [StaticString] = ["", "data", "event", "id", "retry"]
    return names.contains { UnsafeRawBufferPointer($0).elementsEqual(name) }
  }

  private static func isData(_ name: Slice<UnsafeMutableRawBufferPointer>) -> Bool {
    name.elementsEqual("data".utf8)
  }

  /// Whether a line says that the event is an error.
  static func namesError(_ line: Slice<UnsafeMutableRawBufferPointer>) -> Bool {
    line.starts(with: "event:".utf8)
      && line.dropFirst(6).drop { $0.isJSONSpace }.elementsEqual("error".utf8)
  }

  /// Overwrites with spaces what of a line, given without its end, is no data.
  static func blankLine(_ line: Slice<UnsafeMutableRawBufferPointer>) {
    guard isField(line) else { return }
    let name = line.prefix { $0.isFieldName }
    guard isData(name), name.endIndex < line.endIndex else { return line.blank() }
    let value = line[(name.endIndex + 1)...].drop { $0.isJSONSpace }
    let word = value.starts(with: "[DONE]".utf8) ? value.prefix(6) : nil
    if let word {
      line.blank()
      let closingWord = UnsafeRawBufferPointer(closingWord)
      let quotes = UnsafeMutableRawBufferPointer(rebasing: word)
      quotes[0] = UInt8(ascii: "\"")
      UnsafeMutableRawBufferPointer(rebasing: quotes[1...]).copyMemory(from: closingWord)
      quotes[5] = UInt8(ascii: "\"")
    } else {
      line[...name.endIndex].blank()
    }
  }
}

extension Slice<UnsafeMutableRawBufferPointer> {
  fileprivate func blank() {
    UnsafeMutableRawBufferPointer(rebasing: self).initializeMemory(
      as: UInt8.self, repeating: UInt8(ascii: " "))
  }
}

extension UInt8 {
  static let carriageReturn = UInt8(ascii: "\r")

  /// Whether the byte is an ASCII letter. The names of fields are made of these.
  fileprivate var isFieldName: Bool {
    (self | 0x20) >= UInt8(ascii: "a") && (self | 0x20) <= UInt8(ascii: "z")
  }
}
