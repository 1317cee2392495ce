import CreditJSON
import Foundation
import Testing

@testable import CreditCommand
@testable import TestSupport

/// The tables that `credit schema` prints.
@Suite struct SchemaTests {
  /// The names of members that the readers of requests ask for, as they stand in their source.
  private static func namesRead() throws -> Set<String> {
    let readers = "member|text|name|integer|truth|time|span|choice|moment|given|foreignText"
    let calls = try Regex(#"\b(?:\#(readers))\(\s*"([A-Za-z_]+)""#)
    var names: Set<String> = []
    for folder in ["CreditCommand/Requests", "CreditCommand/Tools"] {
      let url = Checkout.root.appending(path: "Sources/\(folder)")
      for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
        let text = try String(contentsOf: url.appending(path: name), encoding: .utf8)
        for match in text.matches(of: calls) {
          if let name = match.output[1].substring { names.insert(String(name)) }
        }
      }
    }
    return names
  }

  @Test func everyMemberThatIsReadIsDeclared() throws {
    let members = SchemaCommand.tools(with: .request).compactMap(\.tool.requestMembers)
    let declared = Set(members.flatMap { $0 }.map(\.name))
    let read = try Self.namesRead()
    #expect(read.count > 20)
    #expect(read.subtracting(declared).isEmpty)
  }

  @Test func eachSchemaIsJSON() throws {
    for noun in ["policy", "history", "record", "result"] {
      let text = try SchemaCommand([noun]).text
      #expect(text.hasSuffix("}\n"))
      #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) is [String: Any])
    }
  }

  @Test(arguments: [
    [], ["polcy"], ["request"], ["request", "report"], ["result", "repot"], ["policy", "x"],
    ["result", "charge", "x"],
  ])
  func refuses(words: [String]) {
    #expect(throws: UsageError.self) { try SchemaCommand(words) }
  }
}
