internal import CreditCommand

extension MdocWriter {
  /// A form of the synopsis in mdoc, each part a line of its own.
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
