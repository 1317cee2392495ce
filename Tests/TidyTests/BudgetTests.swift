import Foundation
import Testing

@testable import TestSupport

/// How large the sources are, against `budgets.txt`.
@Suite(.slow) struct BudgetTests {
  /// What sells, bills, reports or serves, apart from the heart: it may grow beside it.
  private static let siblings = [
    "Payments", "Finance", "Logs", "Server", "Postgres", "Manual",
  ].map { "Credit\($0)" }

  /// The modules whose business pointers are.
  private static let pointerModules = ["CreditBytes", "CreditSystem"]

  /// Turns of phrase that English has other words for, and a text that each is cheap to find by.
  private static let idioms = [
    ("nil where", #"\bnil where\b"#), ("so many", #"\bso many\b"#),
    (" none", #"\b(is|are) none\b"#), ("another", #"\banother (one )?than\b"#),
    ("/// W", #"^\s*/// (What|Whether|Where) [^.]*,"#),
    ("where", #"///.*\bwhere (that|there|it|one) (is|has)\b"#),
  ]

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
    let phrases = try Self.idioms.map { mark, pattern in
      (mark, try Regex(pattern).wordBoundaryKind(.simple))
    }
    let stilted = texts.flatMap { source in
      source.lines.filter { line in
        line.contains("//") && phrases.contains { line.contains($0) && line.contains($1) }
      }
    }
    return [
      "lines": files.map(\.lineCount).reduce(0, +), "files": files.count,
      "heart-lines": heart.map(\.lineCount).reduce(0, +), "heart-files": heart.count,
      "short-files": texts.count { $0.lineCount < 60 },
      "pointer-files": pointers.count, "idioms": stilted.count,
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
  /// Nothing comes after the last newline.
  fileprivate var lineCount: Int { lines.count - (lines.last == "" ? 1 : 0) }
}
