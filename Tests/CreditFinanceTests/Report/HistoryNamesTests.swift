import CreditJSON
import Foundation
import Testing

@testable import TestSupport

/// Each name by which `CreditFinance` reads a line of the history is a member of such a line.
@Suite struct HistoryNamesTests {
  /// These read no lines: bills, other results, and a catalog's products.
  private static let others = [
    "Reconcile/Bills/", "Reconcile/Formats/", "Reconcile/Forms/", "Page/ProductPage.swift",
  ]

  @Test func namesAreMembersOfALine() throws {
    let members = Set(JSONShape.historyLine.paths.flatMap { $0.split(separator: ".") })
    let call = #/(?:[\w)\]?]\.|[ (!])(?:member|string|int64|timestamp|text|amount)\("(\w+)"\)/#
    let list = #/(?:\[StaticString\] = |changing \+ )\[[^\]]*\]/#
    var names: Set<Substring> = []
    let folder = Checkout.root.appending(path: "Sources/CreditFinance")
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    where path.hasSuffix(".swift") && !Self.others.contains(where: path.hasPrefix) {
      let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
      var read = text.matches(of: call).map(\.output.1)
      for match in text.matches(of: list) {
        read += match.output.matches(of: #/"(\w+)"/#).map(\.output.1)
      }
      for name in read where !members.contains(name) {
        Issue.record("\(path) reads \(name), which no line of the history has")
      }
      names.formUnion(read)
    }
    #expect(names.isSuperset(of: ["balance", "changed", "kind", "models", "paidBy", "quantity"]))
  }
}
