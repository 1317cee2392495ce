import Foundation
import Testing

@testable import TestSupport

/// Which module imports which: `Package.swift` says it, in one place.
@Suite struct ImportTests {
  /// The targets that `Package.swift` declares, and the dependencies of each. The tools, which have
  /// one declaration, are `$0`.
  private static func targets() throws -> [String: Set<String>] {
    let file = Checkout.root.appending(path: "Package.swift")
    let text = try String(contentsOf: file, encoding: .utf8)
    let target = try Regex(
      #"(?:arget|ibrary)\(\s*name: (?:"([\w-]+)"|(\$0))(?:,\s*dependencies: \[([^\]]*)\])?"#,
      as: (Substring, Substring?, Substring?, Substring?).self)
    let word = try Regex(#""([\w-]+)""#, as: (Substring, Substring).self)
    return text.matches(of: target).reduce(into: [:]) { targets, match in
      let name = match.output.1 ?? match.output.2 ?? ""
      let listed = match.output.3?.matches(of: word).map { String($0.output.1) } ?? []
      targets[String(name)] = Set(listed)
    }
  }

  @Test func modulesImportTheirDependencies() throws {
    let targets = try Self.targets()
    #expect(targets["CreditStore"]?.contains("CreditJSON") == true)
    #expect(targets["$0"] == ["CreditCommand"])
    #expect(targets.count > 25)
    var unused = targets
    for source in try Source.all(in: "Sources", "Tests") {
      let module = String(source.module)
      let name = targets[module] == nil && module.hasPrefix("credit") ? "$0" : module
      guard let allowed = targets[name] else { continue }
      for (imported, line) in source.imports where targets[imported] != nil {
        unused[name]?.remove(imported)
        if !allowed.contains(imported) {
          source.report("imports \(imported), which \(module) does not depend on", line: line)
        }
      }
    }
    for (name, left) in unused where name != "credit-fuzz" {
      #expect(left.isEmpty, "\(name) depends on what none of its files imports")
    }
  }

  /// Values and rules import bytes and texts alone: no files, no clock.
  @Test func theModelImportsBytesAlone() throws {
    #expect(try Self.targets()["CreditModel"] == ["CreditBytes"])
    for source in try Source.all(in: "Sources/CreditModel") {
      for (imported, line) in source.imports
      where !["CreditBytes", "Synchronization"].contains(imported) {
        source.report("imports \(imported)", line: line)
      }
    }
  }

  /// The C of the package and of the system has few users.
  @Test(arguments: [
    ("CLibrary", ["CreditSystem"]), ("CShims", ["CreditBytes", "CreditSystem"]),
    ("CPostgres", ["CreditPostgres"]),
  ])
  func librariesOfCHaveFewUsers(_ library: String, _ users: [String]) throws {
    #expect(try Self.targets().filter { $0.value.contains(library) }.keys.sorted() == users)
  }
}
