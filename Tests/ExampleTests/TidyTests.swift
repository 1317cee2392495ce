import Foundation
import Testing

@testable import TestSupport

/// What a reader of the source may rely on.
@Suite struct TidyTests {
  /// A Swift file of the package.
  struct Source {
    /// From the package's root.
    let path: String
    let lines: [Substring]

    /// What it imports, each with the number of the line.
    var imports: [(module: String, line: Int)] {
      zip(lines, 1...).compactMap { line, number in
        let words = line.split(separator: " ")
        guard let place = words.firstIndex(of: "import"), place + 1 < words.count,
          words[..<place].allSatisfy({ Self.wordsBeforeImport.contains($0) })
        else { return nil }
        return (String(words[place + 1]), number)
      }
    }

    private static let wordsBeforeImport: [Substring] = [
      "public", "package", "internal", "@testable", "@_exported",
    ]

    func report(_ problem: String, line: Int) {
      let place = SourceLocation(
        fileID: "Tidy/\(path)", filePath: Checkout.root.appending(path: path).path, line: line,
        column: 1)
      Issue.record("\(path):\(line) \(problem)", sourceLocation: place)
    }
  }

  private static func sources(in folders: String...) throws -> [Source] {
    try folders.flatMap { folder in
      let found = FileManager.default.enumerator(
        at: Checkout.root.appending(path: folder), includingPropertiesForKeys: nil)
      return try (found?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
        .map { file in
          let path = file.standardizedFileURL.path.dropFirst(Checkout.root.path.count + 1)
          let text = try String(contentsOf: file, encoding: .utf8)
          return Source(
            path: String(path), lines: text.split(separator: "\n", omittingEmptySubsequences: false)
          )
        }
    }
  }

  @Test func filesAndLinesAreShort() throws {
    let sources = try Self.sources(in: "Sources", "Tests")
    #expect(sources.count > 300)
    for source in sources {
      // Nothing comes after the last newline.
      let count = source.lines.count - 1
      // The standard policy is one text: data, in the order in which it is printed.
      if count > 400, !source.path.hasSuffix("/StandardPolicy.swift") {
        source.report("is one of \(count) lines; 400 are the most", line: count)
      }
      for (line, number) in zip(source.lines, 1...) where line.count > 100 {
        source.report("has \(line.count) columns; 100 are the most", line: number)
      }
    }
  }

  /// The modules from left to right: each imports only what stands left of it. The tools' own
  /// modules, which are one call each, come last.
  static let order: [[String]] = [
    ["CLibrary"], ["CreditModel"], ["CreditSystem"], ["CreditJSON"],
    ["CreditStore"], ["CreditServer", "CreditLogs", "CreditReport"], ["CPostgres"],
    ["CreditPostgres"], ["CreditCommand"], ["CreditManual"],
  ]

  static func rank(_ module: String) -> Int {
    order.firstIndex { $0.contains(module) } ?? order.count
  }

  private static func isOwn(_ module: String) -> Bool {
    module.hasPrefix("Credit") || module == "CPostgres"
  }

  @Test func modulesImportWhatStandsLeftOfThem() throws {
    for source in try Self.sources(in: "Sources") {
      let module = source.path.split(separator: "/")[1]
      for (imported, line) in source.imports
      where Self.isOwn(imported) && Self.rank(imported) >= Self.rank(String(module)) {
        source.report("imports \(imported), which stands right of \(module)", line: line)
      }
    }
  }

  /// One module calls the system, by way of one that imports the C library of each platform.
  @Test func oneModuleCallsTheSystem() throws {
    let libraries = ["Glibc", "Musl", "Darwin", "CLibrary"]
    var places: Set<Substring> = []
    for source in try Self.sources(in: "Sources") {
      let module = source.path.split(separator: "/")[1]
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
    for source in try Self.sources(in: "Sources") {
      for (imported, line) in source.imports
      where large.contains(imported) || imported == "_Concurrency" {
        source.report("imports \(imported)", line: line)
      }
    }
  }
}
