import Testing

@testable import TestSupport

/// Memory that the compiler does not watch.
@Suite(.slow) struct UnsafeTests {
  /// The modules for it: system calls, and bytes.
  private static let places = ["Sources/CreditSystem/", "Sources/CreditBytes/"]

  /// Elsewhere bytes are spans, arrays or strings. The files that still name a pointer are listed
  /// in unsafe-files.txt, which may only shrink.
  @Test func pointersAreWhereTheyBelong() throws {
    let words = try Regex(
      #"\bUnsafe\w*Pointer\b|\bwithUnsafe\w+|\bunsafe[A-Z]\w+|\bUnmanaged\b|\bunsafe\b"#
    ).wordBoundaryKind(.simple)
    let sources = try Source.all(in: "Sources").filter { source in
      !Self.places.contains { source.path.hasPrefix($0) }
    }
    #expect(sources.count > 300)
    try Source.check(sources, except: "unsafe-files.txt") { source in
      source.codeLines.first { line, _ in
        (line.contains("nsafe") || line.contains("Unmanaged")) && line.contains(words)
      }.map { line, number in
        ("uses unsafe memory outside \(Self.places.joined(separator: " and ")): \(line)", number)
      }
    }
  }
}
