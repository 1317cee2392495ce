/// The text of server-sent events (WHATWG HTML, section 9.2), as JSON values one after another.
enum EventStream {
  /// Overwrites with spaces all that is no data, so that each byte of the data keeps its place: a byte
  /// order mark, the names of fields, comments, and the word that ends OpenAI's streams. Text that is
  /// no event stream stays as it is, but for a byte order mark.
  static func blank(_ text: UnsafeMutableRawBufferPointer) {
    if text.starts(with: [0xef, 0xbb, 0xbf]) { text[..<3].blank() }
    guard let start = text.firstIndex(where: { !$0.isJSONSpace }), isField(text[start...]) else {
      return
    }
    var lineStart = start
    while lineStart < text.count {
      let rest = text[lineStart...]
      let lineEnd = rest.firstIndex { $0 == .lineFeed || $0 == .carriageReturn } ?? text.count
      blankLine(text[lineStart..<lineEnd])
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

  private static func isData(_ name: Slice<UnsafeMutableRawBufferPointer>) -> Bool {
    name.elementsEqual("data".utf8)
  }

  private static func blankLine(_ line: Slice<UnsafeMutableRawBufferPointer>) {
    guard isField(line) else { return }
    let name = line.prefix { $0.isFieldName }
    guard isData(name), name.endIndex < line.endIndex else { return line.blank() }
    let value = line[(name.endIndex + 1)...]
    let isEndMark = value.drop { $0.isJSONSpace }.starts(with: "[DONE]".utf8)
    if isEndMark { line.blank() } else { line[...name.endIndex].blank() }
  }
}

extension Slice<UnsafeMutableRawBufferPointer> {
  fileprivate func blank() {
    UnsafeMutableRawBufferPointer(rebasing: self).initializeMemory(
      as: UInt8.self, repeating: UInt8(ascii: " "))
  }
}

extension UInt8 {
  fileprivate static let carriageReturn = UInt8(ascii: "\r")

  /// Whether the byte is a lowercase or capital letter, as the names of fields are made of.
  fileprivate var isFieldName: Bool {
    (self | 0x20) >= UInt8(ascii: "a") && (self | 0x20) <= UInt8(ascii: "z")
  }
}
