/// Texts in the manual's markup as lines for a terminal.
enum PlainText {
  /// The widest line that help prints.
  static let width = 79

  /// The text filled into lines, none wider than the width unless a word alone is.
  static func fill(_ text: String, width: Int = width) -> [String] {
    fill(words: Markup.chunks(text).map(plain), width: width)
  }

  /// A description in two columns: the label, then the text wrapped beside it, or below it where
  /// the label is too wide.
  static func columns(_ label: String, _ text: String, indent: Int) -> [String] {
    let lines = fill(text, width: width - indent)
    let blank = String(repeating: " ", count: indent)
    let start = "  " + label
    guard let first = lines.first else { return [start] }
    if start.utf8.count + 2 > indent {
      return [start] + lines.map { blank + $0 }
    }
    let padding = String(repeating: " ", count: indent - start.utf8.count)
    return [start + padding + first] + lines.dropFirst().map { blank + $0 }
  }

  /// The words filled into lines.
  static func fill(words: [String], width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in words {
      if !line.isEmpty && line.utf8.count + 1 + word.utf8.count > width {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? word : " " + word
    }
    return line.isEmpty ? lines : lines + [line]
  }

  private static func plain(_ chunk: Markup.Chunk) -> String {
    let core =
      switch chunk.core {
      case .word(let text), .placeholder(let text): text
      case .literal(let text): text.contains(" ") ? "'\(text)'" : text
      case .page(let name, let section): "\(name)(\(section))"
      }
    return chunk.opening + core + chunk.closing
  }
}
