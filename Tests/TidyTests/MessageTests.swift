import Foundation
import Testing

@testable import TestSupport

/// All sentences of the program in one list, `messages.txt`, for a reader who wants to know whether
/// they are plain. `make messages` writes it again.
@Suite(.slow) struct MessageTests {
  /// The literals of a line of code that have words, with `…` for each interpolation.
  static func literals(in line: Substring) -> [String] {
    var found: [String] = []
    /// The texts of the open literals, the innermost last, and the open parentheses in each.
    var open: [(text: String, depth: Int)] = []
    var isEscaped = false
    for character in line {
      guard let last = open.indices.last else {
        if character == "\"" { open.append(("", 0)) }
        continue
      }
      switch (open[last].depth, character) {
      case (0, "(") where isEscaped:
        open[last].text.removeLast()
        open[last].text += "…"
        open[last].depth = 1
        isEscaped = false
      case (0, "\""), (0, "\\"):
        if character == "\"" && !isEscaped {
          let text = open.removeLast().text
          if open.isEmpty { found.append(text) }
        } else {
          open[last].text.append(character)
        }
        isEscaped = character == "\\" && !isEscaped
      case (0, _):
        open[last].text.append(character)
        isEscaped = false
      case (_, "\""): open.append(("", 0))
      case (_, "("): open[last].depth += 1
      case (_, ")"): open[last].depth -= 1
      default: break
      }
    }
    return found
  }

  /// The messages of a file, those of several literals put together.
  private static func messages(in source: Source) -> [String] {
    var messages: [String] = []
    var isText = false
    for line in source.lines {
      let code = line.trimmingPrefix { $0 == " " }
      if line.components(separatedBy: "\"\"\"").count == 2 { isText.toggle() }
      if isText || code.hasPrefix("//") { continue }
      var literals = literals(in: code[...])
      if code.hasPrefix("+ \""), !messages.isEmpty, !literals.isEmpty {
        messages[messages.count - 1] += literals.removeFirst()
      }
      messages += literals
    }
    return messages.filter(isSentence)
  }

  /// True if a literal has two words beside each other and is not SQL.
  private static func isSentence(_ text: String) -> Bool {
    let words = text.split(separator: " ").map { word in
      word.trimmingCharacters(in: CharacterSet(charactersIn: ",;:()")).allSatisfy {
        $0.isLowercase || $0 == "'"
      }
    }
    let isSQL = ["SELECT", "UPDATE", "INSERT"].contains(where: text.contains)
    return zip(words, words.dropFirst()).contains { $0 && $1 } && !isSQL
  }

  /// The list: a line for each message, after its file.
  private static func list() throws -> [String] {
    try Source.all(in: "Sources")
      .filter { $0.module != "CreditManual" && !$0.path.contains("/Tools/") }
      .sorted { $0.path < $1.path }
      .flatMap { source in
        messages(in: source).map { "\(source.path.dropFirst(8).dropLast(6)): \($0)" }
      }
  }

  @Test func literalsAreFound() {
    #expect(Self.literals(in: #"f("a b", "c")"#) == ["a b", "c"])
    #expect(Self.literals(in: #"f("a \(b) c")"#) == ["a … c"])
    #expect(Self.literals(in: #"f("a \(g(x ? "b" : "c \(d)")) e", 1)"#) == ["a … e"])
    #expect(Self.literals(in: ##"f("a \"b\" \\")"##) == [##"a \"b\" \\"##])
  }

  @Test func theListIsWhole() throws {
    let messages = try Self.list()
    #expect(messages.count > 900)
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "messages.txt")
    if ProcessInfo.processInfo.environment["CREDIT_WRITE_MESSAGES"] != nil {
      try Data(messages.map { $0 + "\n" }.joined().utf8).write(to: file)
    }
    let kept = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
    let difference = messages.difference(from: kept)
    #expect(difference.isEmpty, "make messages writes \(difference.map { "\($0)" })")
  }

  /// Sentences that a reader would stumble over.
  @Test func messagesArePlain() throws {
    let idioms = [
      " that is none", "are none", "another than", "so many", "not all there", " goes with ",
      "has not as", " is no ", " are no ",
    ]
    for message in try Self.list() {
      let text = message.replacing("there is no ", with: "").replacing("There are no ", with: "")
      let idiom = idioms.first(where: text.contains)
      #expect(idiom == nil, "\(message)")
    }
  }
}
