import Testing

@testable import CreditModel
@testable import TestSupport

@Suite struct NameTableTests {
  /// A table of names, and whether each was new.
  private func table(of names: [Name]) -> (NameTable, areNew: [Bool]) {
    var table = NameTable()
    let areNew = names.map { table.add($0) }
    return (table, areNew)
  }

  @Test func numbersNamesInTheirOrder() {
    let names = (0..<1000).map { Name(trusted: "\($0)") }
    let (table, areNew) = table(of: names + names)
    #expect(areNew == names.map { _ in true } + names.map { _ in false })
    for (number, name) in names.enumerated() { #expect(table.number(of: name) == number) }
    #expect(table.number(of: "1000") == nil)
    #expect(NameTable().number(of: "0") == nil && NameTable(capacity: 5).number(of: "0") == nil)
  }

  @Test func tellsSpellingsApart() {
    let (table, areNew) = table(of: ["\u{e9}", "e\u{301}"])
    #expect(areNew == [true, true])
    #expect(table.number(of: "e\u{301}") == 1)
  }

  /// Some users of the hash do not compare the names, with any seed of their process.
  @Test func lengthsDoNotMakeUpForLetters() {
    let names = ["", "1", "11", "111", "id-2", "id-22"] + (200..<300).map { "id-\($0)" }
    for seed in stride(from: UInt64(1), to: 512, by: 2) {
      let hashes = (names + (2200..<2300).map { "id-\($0)" }).map { name in
        name.withUTF8Bytes { NameTable.hash($0, seed) }
      }
      #expect(Set(hashes).count == hashes.count)
    }
  }
}
