import Foundation
import Testing

@testable import TestSupport

/// A text file of the package.
struct Source {
  /// From the package's root.
  let path: String
  let lines: [Substring]

  /// The module of a file in `Sources`.
  var module: Substring { path.split(separator: "/")[1] }

  var name: Substring { path.split(separator: "/").last ?? "" }

  func report(_ problem: String, line: Int = 1) {
    let place = SourceLocation(
      fileID: "Tidy/\(path)", filePath: Checkout.root.appending(path: path).path, line: line,
      column: 1)
    Issue.record("\(path):\(line) \(problem)", sourceLocation: place)
  }

  /// The files in some folders of the package, or those of one kind.
  static func all(in folders: String..., ending suffix: String = ".swift") throws -> [Source] {
    try folders.flatMap { folder in
      let found = FileManager.default.enumerator(
        at: Checkout.root.appending(path: folder), includingPropertiesForKeys: [.isRegularFileKey])
      return try (found?.compactMap { $0 as? URL } ?? [])
        .filter { $0.path.hasSuffix(suffix) }
        .filter { try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true }
        .map(Source.init(file:))
    }
  }

  /// The documents in the package's root.
  static func documents() throws -> [Source] {
    try FileManager.default.contentsOfDirectory(atPath: Checkout.root.path)
      .filter { $0.hasSuffix(".md") }
      .map { try Source(file: Checkout.root.appending(path: $0)) }
  }

  private init(file: URL) throws {
    path = String(file.standardizedFileURL.path.dropFirst(Checkout.root.path.count + 1))
    // Other data than text has no lines.
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The names in a list beside the tests: one a line, sorted.
  static func list(_ name: String) throws -> [String] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: name)
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }.map(String.init)
    #expect(lines == lines.sorted(), "\(name) is sorted")
    return lines
  }

  /// Checks files by a rule that those of a list do not keep yet. The list may only shrink.
  static func check(
    _ sources: [Source], except list: String, _ firstFault: (Source) -> (String, line: Int)?
  ) throws {
    let exceptions = Set(try Source.list(list))
    for source in sources {
      switch (firstFault(source), exceptions.contains(source.path)) {
      case (let fault?, false): source.report(fault.0, line: fault.line)
      case (nil, true): source.report("keeps the rule now: take it off Tests/TidyTests/\(list)")
      case (nil, false), (_?, true): break
      }
    }
  }
}
