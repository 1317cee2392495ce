import Foundation
import Testing

@testable import TestSupport

/// How large the sources are, against `budgets.txt`.
@Suite(.slow) struct BudgetTests {
  /// Modules that sell, bill, report or serve, apart from the heart: they may grow beside it.
  private static let siblings = [
    "Payments", "Finance", "Logs", "Server", "Postgres", "Manual",
  ].map { "Credit\($0)" }

  /// The modules that may use pointers.
  private static let pointerModules = ["CreditBytes", "CreditSystem"]

  /// Phrases for which English has other words.
  private static let idioms = [
    "nil where", "so many", "is none", "are none", "another than", "another one than",
  ]

  /// Beginnings of documentation comments that are no sentence, if a comma follows.
  private static let openings = ["what", "whether", "where"].map { "/// \($0) " }

  /// Conditions of documentation comments, which have to begin with "if".
  private static let conditions = ["that", "there", "it", "one"].flatMap { subject in
    ["where \(subject) is", "where \(subject) has"]
  }

  /// Words that mostly replace a noun, or "if".
  private static let phrases = [
    "where", "what", "whatever", "nobody", "somebody", "nothing", "whoever",
  ]

  private static func isStilted(_ comment: String) -> Bool {
    idioms.contains(where: comment.hasWords)
      || comment.hasPrefix("/// ") && conditions.contains(where: comment.hasWords)
      || openings.contains(where: comment.hasPrefix)
        && comment.prefix { $0 != "." }.contains(",")
  }

  private static func measures() throws -> [String: Int] {
    let texts = try Source.all(in: "Sources")
    let files =
      try texts + Source.all(in: "Sources", ending: ".c")
      + Source.all(in: "Sources", ending: ".h")
    let heart = files.filter { !siblings.contains(String($0.module)) }
    let pointers = texts.filter { source in
      !pointerModules.contains(String(source.module))
        && source.lines.contains { $0.contains("Unsafe") }
    }
    let comments = try (texts + Source.all(in: "Tests")).flatMap(\.comments)
    return [
      "lines": files.map(\.lineCount).reduce(0, +), "files": files.count,
      "heart-lines": heart.map(\.lineCount).reduce(0, +), "heart-files": heart.count,
      "short-files": texts.count { $0.lineCount < 60 },
      "pointer-files": pointers.count, "idioms": comments.count(where: Self.isStilted),
      "phrases": comments.count { Self.phrases.contains(where: $0.hasWords) },
    ]
  }

  @Test func measuresKeepTheirBudgets() throws {
    let measures = try Self.measures()
    let rows = try Source.list("budgets.txt").map { $0.split(separator: " ") }
    #expect(Set(rows.map { String($0[0]) }) == Set(measures.keys))
    for row in rows where row.count == 3 {
      let name = String(row[0])
      guard let value = measures[name], let budget = Int(row[1]), let slack = Int(row[2]) else {
        Issue.record("no row of a measure: \(row)")
        continue
      }
      #expect(value <= budget, "\(name): make it smaller")
      #expect(value + slack >= budget, "\(name): lower the budget in Tests/TidyTests/budgets.txt")
    }
  }
}

extension Source {
  /// Number of lines; an empty text after the last newline does not count.
  fileprivate var lineCount: Int { lines.count - (lines.last == "" ? 1 : 0) }

  /// The comment of each line that has one, in lower case.
  fileprivate var comments: [String] {
    lines.compactMap { line in
      line.withCString { strstr($0, "//").map { String(cString: $0).lowercased() } }
    }
  }
}

extension String {
  /// Whether the text has some words without letters before or after them.
  fileprivate func hasWords(_ words: String) -> Bool {
    withCString { start in
      var place = start
      while let found = strstr(place, words) {
        let end = UnsafePointer(found + strlen(words))
        if found == start || isalpha(Int32(found[-1])) == 0, isalpha(Int32(end[0])) == 0 {
          return true
        }
        place = end
      }
      return false
    }
  }
}
