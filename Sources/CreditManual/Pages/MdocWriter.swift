internal import CreditCommand
internal import CreditModel

/// Writes mdoc source: one sentence a line at most, nothing wider than 80 bytes of running text.
struct MdocWriter {
  private(set) var lines: [String] = []
  private static let width = 78
  /// Marks that mdoc separates if they are single arguments.
  private static let closingMarks = ".,:;)]?!"

  /// A line as it is: a macro and its arguments.
  mutating func line(_ line: String) { lines.append(line) }

  /// A section's heading.
  mutating func section(_ title: String) { line(".Sh \(title.uppercased())") }

  /// The blocks. Displays and lists set themselves apart; running text after another block doesn't.
  mutating func blocks(_ blocks: [Block]) {
    for (index, block) in blocks.enumerated() {
      switch block {
      case .text(let text):
        if index > 0 { line(".Pp") }
        self.text(text)
      case .code(let code): display(code)
      case .terms(let terms): list(terms)
      case .table(let rows): table(rows)
      }
    }
  }

  /// A tagged list.
  mutating func list(_ terms: [Term]) {
    line(".Bl -tag -width Ds")
    for term in terms {
      line(".It " + Self.tag(term.term))
      text(term.text)
    }
    line(".El")
  }

  /// Lines that are shown as they are.
  mutating func display(_ code: String) {
    line(".Bd -literal -offset indent")
    for codeLine in code.split(separator: "\n", omittingEmptySubsequences: false) {
      line(Self.protected(Self.escaped(String(codeLine))))
    }
    line(".Ed")
  }

  /// Columns as wide as their widest cell.
  private mutating func table(_ rows: [[String]]) {
    guard let header = rows.first else { return }
    let widest = header.indices.map { column in
      rows.map { $0[column] }.max { $0.utf8.count < $1.utf8.count } ?? ""
    }
    line(".Bl -column " + widest.map { "\"\($0)\"" }.joined(separator: " "))
    for (index, row) in rows.enumerated() {
      let cells = row.map { (index == 0 ? "Sy " : "Li ") + Self.escaped($0) }
      line(".It " + cells.joined(separator: " Ta "))
    }
    line(".El")
  }

  /// Running text.
  mutating func text(_ text: String) {
    var words = ""
    func flush(_ lines: inout [String]) {
      if !words.isEmpty { lines.append(Self.protected(words)) }
      words = ""
    }
    for chunk in Markup.chunks(text) {
      guard case .word(let word) = chunk.core else {
        flush(&lines)
        lines.append("." + Self.macro([chunk]))
        continue
      }
      let escaped = word.replacing("\\", with: "\\e")
      if !words.isEmpty && words.utf8.count + 1 + escaped.utf8.count > Self.width { flush(&lines) }
      words += words.isEmpty ? escaped : " " + escaped
      if Self.endsSentence(word) { flush(&lines) }
    }
    flush(&lines)
  }

  /// Chunks as the arguments of one macro line, its leading dot left out.
  static func macro(_ chunks: [Markup.Chunk]) -> String {
    chunks.map { chunk in
      let (name, argument) = macroParts(chunk.core)
      var parts = [name]
      if !chunk.opening.isEmpty { parts.append(chunk.opening) }
      parts.append(argument)
      parts += closing(chunk.closing)
      return parts.joined(separator: " ")
    }.joined(separator: " ")
  }

  /// The tag of a list's entry: a literal needs no quotes there.
  private static func tag(_ text: String) -> String {
    Markup.chunks(text).map { chunk in
      guard case .literal(let literal) = chunk.core, literal.first != "-", literal.first != "$"
      else { return macro([chunk]) }
      return "Li " + argument(literal)
    }.joined(separator: " ")
  }

  private static func macroParts(_ core: Markup.Core) -> (name: String, argument: String) {
    switch core {
    case .word(let text): ("No", escaped(text))
    case .placeholder(let text): ("Ar", escaped(text))
    case .page(let name, let section): ("Xr", "\(name) \(section)")
    case .literal(let text):
      if text.utf8.first == UInt8(ascii: "-") && text.utf8.count > 1 && !text.contains(" ") {
        ("Fl", escaped(String(text.dropFirst())))
      } else if text.utf8.first == UInt8(ascii: "$") && !text.contains(" ") {
        ("Ev", escaped(String(text.dropFirst())))
      } else if CreditError.Code(rawValue: text) != nil {
        ("Er", text)
      } else {
        ("Ql", argument(text))
      }
    }
  }

  /// The closing marks, each an argument; anything else clings to the word before it.
  private static func closing(_ text: String) -> [String] {
    if text.isEmpty { return [] }
    if text.allSatisfy({ closingMarks.contains($0) }) { return text.map { String($0) } }
    return ["Ns", escaped(text)]
  }

  private static func endsSentence(_ word: String) -> Bool {
    let end = word.drop { $0 == "(" }.reversed().drop { $0 == ")" || $0 == "\"" }.first
    return end == "." || end == "?" || end == "!"
  }

  /// Returns text to type, with characters escaped that typesetting would replace.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "\\": escaped += "\\e"
      case "-": escaped += "\\-"
      case "'": escaped += "\\(aq"
      case "`": escaped += "\\(ga"
      case "^": escaped += "\\(ha"
      case "~": escaped += "\\(ti"
      default: escaped.append(character)
      }
    }
    return escaped
  }

  /// Text to type as one argument of a macro.
  private static func argument(_ text: String) -> String {
    let escaped = escaped(text).replacing("\"", with: "\\(dq")
    let isPlain = text.utf8.allSatisfy { isalnum($0) } && text.utf8.count > 3
    return isPlain ? escaped : "\"\(escaped)\""
  }

  private static func isalnum(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
  }

  /// A line of text that no formatter takes for a macro.
  private static func protected(_ line: String) -> String {
    line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
  }
}

extension MdocWriter {
  /// Writes a form of the synopsis in mdoc, each part on its own line.
  mutating func synopsis(_ form: String) {
    line(".Nm")
    for part in Synopsis.parts(form) {
      let words = part.split(separator: " ")
      var macros = part.hasPrefix("[") ? ["Op"] : []
      for (index, word) in words.enumerated() {
        let bare = word.drop { $0 == "[" }
        let isLast = word.hasSuffix("]")
        macros.append(Self.macro(String(isLast ? bare.dropLast() : bare), isFirst: index == 0))
      }
      line("." + macros.joined(separator: " "))
    }
  }

  private static func macro(_ word: String, isFirst: Bool) -> String {
    if word == "|" { return word }
    if word == "<" || word == ">" { return "No " + word }
    if word.hasPrefix("-") { return "Fl " + escaped(String(word.dropFirst())) }
    let isLower = word.utf8.allSatisfy { (0x61...0x7a).contains($0) }
    return (isFirst && isLower ? "Cm " : "Ar ") + escaped(word)
  }
}
