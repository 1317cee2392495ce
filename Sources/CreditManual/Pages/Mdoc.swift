internal import CreditCommand
internal import CreditModel

/// Writes texts in the markup of `Markup` as mdoc. A line has at most one sentence, and at most 80
/// bytes of running text.
enum Mdoc {
  private static let width = 78

  static func text(_ text: String) -> String {
    var lines: [String] = []
    var words = ""
    func flush() {
      if !words.isEmpty { lines.append(protected(words)) }
      words = ""
    }
    for chunk in Markup.chunks(text) {
      guard case .word(let word) = chunk.core else {
        flush()
        lines.append("." + macro(chunk))
        continue
      }
      let escaped = word.replacing("\\", with: "\\e")
      if !words.isEmpty && words.utf8.count + 1 + escaped.utf8.count > width { flush() }
      words += words.isEmpty ? escaped : " " + escaped
      let end = word.drop { $0 == "(" }.reversed().drop { $0 == ")" || $0 == "\"" }.first
      if end == "." || end == "?" || end == "!" { flush() }
    }
    flush()
    return lines.joined(separator: "\n")
  }

  /// A tagged list. The tags are macros.
  static func list(_ entries: [(tag: String, text: String)]) -> String {
    let lines = entries.map { ".It \($0.tag)\n\(text($0.text))\n" }
    return ".Bl -tag -width Ds\n" + lines.joined() + ".El"
  }

  /// The words of a tag, as macros. Each has its line: one that quotes takes the rest of it.
  static func tag(_ text: String) -> String {
    let chunks = Markup.chunks(text)
    if chunks.count == 1 { return macro(chunks[0]) }
    return "Xo\n" + chunks.map { ".\(macro($0))\n" }.joined() + ".Xc"
  }

  static func display(_ code: String) -> String {
    let lines = code.split(separator: "\n", omittingEmptySubsequences: false)
      .map { protected(escaped(String($0))) + "\n" }
    return ".Bd -literal -offset indent\n" + lines.joined() + ".Ed"
  }

  /// Columns as wide as their widest cell.
  ///
  /// A table that is too wide for a terminal becomes a list of its last column: groff prints the
  /// rest of a cell that is too long one word a line.
  static func table(_ header: [String], _ rows: [[String]]) -> String {
    let widest = header.indices.map { column in
      ([header] + rows).map { $0[column] }.max { $0.utf8.count < $1.utf8.count } ?? ""
    }
    // The columns of a terminal of 80, less the indentation.
    if widest.reduce(0, { $0 + $1.utf8.count + 2 }) > 72 {
      let names = header.map { $0.prefix(1).lowercased() + $0.dropFirst() }
      let entries = rows.map { row in
        (tag: tag(row.dropLast().joined(separator: ", ")), text: row.last ?? "")
      }
      return ".Pp\n" + text("By \(names.joined(separator: ", ")):") + "\n" + list(entries)
    }
    func line(_ row: [String], _ macro: String) -> String {
      ".It " + row.map { "\(macro) \(escaped($0))" }.joined(separator: " Ta ") + "\n"
    }
    return ".Bl -column " + widest.map { "\"\($0)\"" }.joined(separator: " ") + "\n"
      + line(header, "Sy") + rows.map { line($0, "Li") }.joined() + ".El"
  }

  /// A form of the synopsis, each part on its own line.
  static func synopsis(_ form: String) -> String {
    let lines = ToolHelp.parts(of: form).map { part in
      var macros = part.hasPrefix("[") ? ["Op"] : []
      for (index, word) in part.split(separator: " ").enumerated() {
        let bare = word.drop { $0 == "[" }
        let isLast = word.hasSuffix("]")
        macros.append(argument(String(isLast ? bare.dropLast() : bare), isFirst: index == 0))
      }
      return "\n." + macros.joined(separator: " ")
    }
    return ".Nm" + lines.joined()
  }

  private static func argument(_ word: String, isFirst: Bool) -> String {
    if word == "|" { return word }
    if word == "<" || word == ">" { return "No " + word }
    if word.hasPrefix("-") { return "Fl " + escaped(String(word.dropFirst())) }
    let isLower = word.utf8.allSatisfy { (0x61...0x7a).contains($0) }
    return (isFirst && isLower ? "Cm " : "Ar ") + escaped(word)
  }

  /// A chunk as a macro line, its leading dot left out.
  private static func macro(_ chunk: Markup.Chunk) -> String {
    let (name, argument) =
      switch chunk.core {
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
          ("Ql", quoted(text))
        }
      }
    let opening = chunk.opening.isEmpty ? [] : [chunk.opening]
    return ([name] + opening + [argument] + closing(chunk.closing)).joined(separator: " ")
  }

  /// The closing marks, each an argument; other text follows its word without a space.
  private static func closing(_ text: String) -> [String] {
    if text.isEmpty { return [] }
    // Marks that mdoc separates if they are single arguments.
    if text.allSatisfy({ ".,:;)]?!".contains($0) }) { return text.map { String($0) } }
    return ["Ns", escaped(text)]
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
  private static func quoted(_ text: String) -> String {
    let escaped = escaped(text).replacing("\"", with: "\\(dq")
    let isWord = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    return isWord && text.utf8.count > 3 ? escaped : "\"\(breakable(escaped))\""
  }

  /// Text in which a word that is too long for a line may be broken behind its marks.
  private static func breakable(_ text: String) -> String {
    text.split(separator: " ", omittingEmptySubsequences: false).map(String.init).map { word in
      let mark = word.utf8.count > 52 ? "/,.".first(where: word.contains) : nil
      return mark.map { word.replacing($0, with: "\($0)\\:") } ?? word
    }.joined(separator: " ")
  }

  /// A line of text that no formatter takes for a macro.
  private static func protected(_ line: String) -> String {
    line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
  }
}
