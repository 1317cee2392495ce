import Testing

@testable import CreditModel

@Suite struct NameTableTests {
  @Test func numbersNamesInTheirOrder() {
    var table = NameTable()
    #expect(table.number(of: "0") == nil)
    for number in 0..<1000 {
      #expect(table.add(Name(trusted: "\(number)")))
      #expect(!table.add(Name(trusted: "\(number / 2)")))
    }
    for number in 0..<1000 {
      #expect(table.number(of: Name(trusted: "\(number)")) == number)
    }
    #expect(table.number(of: "1000") == nil)
  }

  @Test func tellsSpellingsApart() {
    var table = NameTable()
    #expect(table.add("\u{e9}"))
    #expect(table.number(of: "e\u{301}") == nil)
    #expect(table.add("e\u{301}"))
  }
}
