import Foundation
import Testing

@testable import TestSupport

/// Rules that a reader of the source may rely on.
@Suite(.slow) struct TidyTests {
  @Test func filesAndLinesAreShort() throws {
    let sources = try Source.all(in: "Sources", "Tests")
    #expect(sources.count > 300)
    for source in sources {
      // The text after the last newline is empty.
      let count = source.lines.count - 1
      if count > 400 {
        source.report("is one of \(count) lines; 400 are the most", line: count)
      }
      for (line, number) in zip(source.lines, 1...) where line.count > 100 {
        source.report("has \(line.count) columns; 100 are the most", line: number)
      }
    }
  }

  /// One module calls the system, by way of one that imports the C library of each platform.
  @Test func oneModuleCallsTheSystem() throws {
    let libraries = ["Glibc", "Musl", "Darwin", "CLibrary"]
    var places: Set<Substring> = []
    for source in try Source.all(in: "Sources") {
      let module = source.module
      for (imported, line) in source.imports where libraries.contains(imported) {
        places.insert(module)
        if imported == "CLibrary" ? module != "CreditSystem" : module != "CLibrary" {
          source.report("imports \(imported) outside CreditSystem", line: line)
        }
      }
    }
    #expect(places == ["CLibrary", "CreditSystem"])
  }

  /// They would make the tools larger and slower to start.
  @Test func toolsDoWithoutLargeLibraries() throws {
    let large = ["Foundation", "FoundationEssentials", "RegexBuilder", "_StringProcessing"]
    for source in try Source.all(in: "Sources") {
      for (imported, line) in source.imports
      where large.contains(imported) || imported == "_Concurrency" {
        source.report("imports \(imported)", line: line)
      }
    }
  }

  /// Functions fit on a screen. Texts, which have as many lines as they have, do not count.
  @Test func functionsAreShort() throws {
    // A table of all counts, a row each.
    let tables = ["UsageCount.swift": 100]
    for source in try Source.all(in: "Sources") {
      for function in source.functions where function.count > tables["\(source.name)"] ?? 70 {
        source.report("begins a function of \(function.count) lines", line: function.line)
      }
    }
  }

  @Test func functionsAreFound() {
    let text = """
      struct Table {
        var first: Int { 1 }
        func second(
          of it: Int
        ) -> Int {
          it
        }

        static func third() {
          print(
            \"\"\"
            four
            lines
            \"\"\")
        }
      }
      """
    let source = Source(path: "Sources/A/Table.swift", text: text)
    #expect(source.functions.map(\.line) == [3, 9])
    #expect(source.functions.map(\.count) == [5, 3])
  }

  /// Optional values are checked, never forced.
  @Test func noValueIsForced() throws {
    let forced = try Regex(#"[A-Za-z0-9_)\]]!(?:$|[\s.,;:)\]\[(?])|\btry!|\bas!"#)
    let text = try Regex(#""(?:[^"\\]|\\.)*""#)
    #expect("let a = b!.c".contains(forced) && !"if a != b".contains(forced))
    for source in try Source.all(in: "Sources") {
      for (line, number) in source.codeLines
      where line.utf8.contains(UInt8(ascii: "!"))
        && line.replacing(text, with: "").contains(forced)
      {
        source.report("forces a value: \(line)", line: number)
      }
    }
  }
}

extension Source {
  /// Its imports, each with the number of the line.
  var imports: [(module: String, line: Int)] {
    let before = ["public", "package", "internal", "@testable", "@_exported"]
    return zip(lines, 1...).compactMap { line, number in
      let words = line.split(separator: " ")
      guard let place = words.firstIndex(of: "import"), place + 1 < words.count,
        words[..<place].allSatisfy({ before.contains(String($0)) })
      else { return nil }
      return (String(words[place + 1]), number)
    }
  }

  /// The lines that are code, without comments and the lines of longer texts.
  var codeLines: [(Substring, Int)] {
    var isText = false
    return zip(lines, 1...).filter { line, _ in
      let marks = line.components(separatedBy: #"""""#).count - 1
      defer { if marks % 2 == 1 { isText.toggle() } }
      let isComment = line.drop { $0 == " " }.hasPrefix("//")
      return !isComment && !isText && marks == 0
    }
  }

  /// The functions of several lines, and how many lines of code each has. In formatted code one
  /// ends at the first brace below its beginning.
  fileprivate var functions: [(line: Int, count: Int)] {
    let words: Set<Substring> = ["func", "init", "deinit", "subscript", "var"]
    let code = codeLines.filter { !$0.0.isEmpty }
    return code.indices.compactMap { place in
      let line = code[place].0
      let indent = line.prefix { $0 == " " }
      let isFunction = line.split(whereSeparator: { " (?<".contains($0) }).contains(
        where: words.contains)
      guard isFunction, !line.hasSuffix("}") else { return nil }
      let rest = code[(place + 1)...]
      let isEdge = { (line: Substring) in line.prefix { $0 == " " } == indent }
      var opening = line.hasSuffix("{") ? place : nil
      if opening == nil {
        guard let edge = rest.firstIndex(where: { isEdge($0.0) }), code[edge].0.hasSuffix("{")
        else {
          return nil
        }
        opening = edge
      }
      guard let opening,
        let end = code[(opening + 1)...].firstIndex(where: { $0.0 == indent + "}" })
      else { return nil }
      return (code[place].1, end - place + 1)
    }
  }
}
