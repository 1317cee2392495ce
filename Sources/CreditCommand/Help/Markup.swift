/// The light markup of the manual's texts, read into chunks.
///
/// Words wrap. `` `literal` `` is something to type or a member, `<NAME>` stands for a value, and
/// `credit-charge(1)` is another page.
package enum Markup {
  /// The text between two blanks, with the punctuation that clings to it.
  package struct Chunk: Equatable {
    package let opening: String
    package let core: Core
    package let closing: String
  }

  package enum Core: Equatable {
    case word(String)
    case literal(String)
    case placeholder(String)
    case page(name: String, section: String)
  }

  /// The chunks of a text, blanks and line breaks between them left out.
  package static func chunks(_ text: String) -> [Chunk] {
    var chunks: [Chunk] = []
    var current = ""
    var inLiteral = false
    for character in text {
      if character == "`" { inLiteral.toggle() }
      if character.isWhitespace && !inLiteral {
        if !current.isEmpty { chunks.append(chunk(current)) }
        current = ""
      } else {
        current.append(character.isWhitespace ? " " : character)
      }
    }
    if !current.isEmpty { chunks.append(chunk(current)) }
    return chunks
  }

  private static func chunk(_ text: String) -> Chunk {
    if let (opening, inner, closing) = split(text, from: "`", to: "`") {
      return Chunk(opening: opening, core: .literal(inner), closing: closing)
    }
    if let (opening, inner, closing) = split(text, from: "<", to: ">") {
      return Chunk(opening: opening, core: .placeholder(inner), closing: closing)
    }
    for section in ["1", "5", "7"] {
      guard let (name, _, closing) = split(text, from: "(", to: ")", around: section) else {
        continue
      }
      return Chunk(opening: "", core: .page(name: name, section: section), closing: closing)
    }
    return Chunk(opening: "", core: .word(text), closing: "")
  }

  /// Splits a text at two marks: before, between and after them. Returns nil if either mark is
  /// missing, or if the text between them is not `around`.
  private static func split(
    _ text: String, from start: Character, to end: Character, around: String? = nil
  ) -> (before: String, between: String, after: String)? {
    guard let first = text.firstIndex(of: start) else { return nil }
    let rest = text[text.index(after: first)...]
    guard let last = rest.firstIndex(of: end) else { return nil }
    let between = String(rest[..<last])
    if let around, between != around || first == text.startIndex { return nil }
    return (String(text[..<first]), between, String(rest[rest.index(after: last)...]))
  }
}
