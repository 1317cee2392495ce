import Foundation
import Testing

@testable import TestSupport

/// All sentences of the program in one list, `messages.txt`, for a reader who wants to know whether
/// they are plain. `make messages` writes it again.
@Suite(.slow) struct MessageTests {
  /// Literals, with `…` for each interpolation, and the literals inside these.
  struct Literals: Equatable {
    var outer: [String] = []
    var nested: [String] = []
  }

  /// The literals of a line of code.
  static func literals(in line: Substring) -> Literals {
    var found = Literals()
    /// The open literals, the innermost last, and the open parentheses in each.
    var open: [(text: String, depth: Int, isRaw: Bool)] = []
    var (rest, previous) = (line, Character(" "))
    while let character = rest.popFirst() {
      guard let last = open.last, last.depth == 0 else {
        switch character {
        case "\"": open.append(("", 0, previous == "#"))
        case "(" where !open.isEmpty: open[open.count - 1].depth += 1
        case ")" where !open.isEmpty: open[open.count - 1].depth -= 1
        default: break
        }
        previous = character
        continue
      }
      let sign = last.isRaw ? "#" : ""
      if character == "\\", rest.hasPrefix(sign) {
        rest = rest.dropFirst(sign.count)
        let isInterpolation = rest.first == "("
        open[open.count - 1].text += isInterpolation ? "…" : "\\\(rest.prefix(1))"
        open[open.count - 1].depth = isInterpolation ? 1 : 0
        rest = rest.dropFirst()
      } else if character == "\"", rest.hasPrefix(sign) {
        rest = rest.dropFirst(sign.count)
        open.removeLast()
        if open.isEmpty { found.outer.append(last.text) } else { found.nested.append(last.text) }
      } else {
        open[open.count - 1].text.append(character)
      }
    }
    return found
  }

  /// The messages of a file, those of several literals put together.
  static func messages(in source: Source) -> [String] {
    var messages = Literals()
    var isText = false
    for line in source.lines {
      var code = line.trimmingPrefix { $0 == " " }
      if line.components(separatedBy: "\"\"\"").count == 2 {
        isText.toggle()
        continue
      }
      if isText || code.hasPrefix("//") { continue }
      // No user reads the text of an assertion.
      for call in ["precondition(", "preconditionFailure(", "assert(", "assertionFailure("] {
        if let place = code.firstRange(of: call) { code = code[..<place.lowerBound] }
      }
      var found = literals(in: code)
      let isRest = code.hasPrefix("+ \"") || code.hasPrefix("+ #\"")
      if isRest, !messages.outer.isEmpty, !found.outer.isEmpty {
        messages.outer[messages.outer.count - 1] += found.outer.removeFirst()
      }
      messages.outer += found.outer
      messages.nested += found.nested
    }
    return (messages.outer + messages.nested).filter(isSentence)
  }

  /// True if a literal has a word and a space, and is not SQL.
  private static func isSentence(_ text: String) -> Bool {
    let words = text.split(separator: " ").map { word in
      word.trimmingCharacters(in: CharacterSet(charactersIn: ",;:()…"))
    }
    let hasWord = words.contains { word in
      word.count > 1 && word.first?.isLowercase == true
        && word.allSatisfy { $0.isLowercase || $0 == "'" || $0 == "-" }
    }
    let sql = ["SELECT", "UPDATE", "INSERT", "CREATE", "ALTER", "GRANT", "pg_catalog"]
    return hasWord && text.contains(" ") && !sql.contains(where: text.contains)
  }

  /// The list: a line for each message, after its file.
  private static func list() throws -> [String] {
    try Source.all(in: "Sources")
      .filter { $0.module != "CreditManual" }
      .sorted { $0.path < $1.path }
      .flatMap { source in
        messages(in: source).map { "\(source.path.dropFirst(8).dropLast(6)): \($0)" }
      }
  }

  @Test func literalsAreFound() {
    #expect(Self.literals(in: #"f("a b", "c")"#).outer == ["a b", "c"])
    #expect(Self.literals(in: #"f("a \(b) c")"#).outer == ["a … c"])
    let nested = Self.literals(in: #"f("a \(g(x ? "b" : "c \(d)")) e", 1)"#)
    #expect(nested == .init(outer: ["a … e"], nested: ["b", "c …"]))
    #expect(Self.literals(in: ##"f("a \"b\" \\")"##).outer == [##"a \"b\" \\"##])
    #expect(Self.literals(in: ###"f(#"a "\#(b)" \c"#, "d")"###).outer == [#"a "…" \c"#, "d"])
  }

  @Test func messagesAreFound() {
    let code = #"""
      throw UsageError("unknown \(noun) \(quoted(text))")
      let all = "a top-up needs --key, "
        + "so that a \(isCharge ? "charge is" : "repeat") counts once"
      guard let first else { preconditionFailure("no list") }
      text("note", .note)
      """#
    #expect(
      Self.messages(in: Source(path: "Sources/A/Tools/B.swift", text: code)) == [
        "unknown … …", "a top-up needs --key, so that a … counts once", "charge is",
      ])
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
      "has not as", " is no ", " are no ", ", where ", " parted by ", " like that", " any more",
    ]
    for message in try Self.list() {
      let text = message.replacing("there is no ", with: "").replacing("There are no ", with: "")
      let idiom = idioms.first(where: text.contains)
      #expect(idiom == nil, "\(message)")
    }
  }
}
