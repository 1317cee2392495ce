import Testing

@testable import CreditBytes
@testable import CreditModel
@testable import TestSupport

@Suite struct HashTableTests {
  @Test func keysAreSetAndForgotten() {
    var random = SeededGenerator(seed: 6)
    var keys = HashTable()
    var model: [UInt64: Int] = [:]
    for step in 0..<20_000 {
      // Many hashes lead to one place.
      let hash = UInt64(random.number(below: 600)) | UInt64(random.number(below: 4)) << 40
      let number = random.once(in: 3) ? nil : step
      keys[hash] = number
      model[hash] = number
      let found = keys[hash]
      #expect(found == number)
    }
    var count = 0
    keys.visit { hash, offset in count += model[hash] == offset ? 1 : 0 }
    let keyCount = keys.count
    #expect(count == model.count && keyCount == model.count)
  }

  @Test func numbersOfOneHashAreToldApart() {
    var table = HashTable()
    for number in 0..<100 { table.insert(7, number) }
    for number in 0..<100 {
      let found = table.find(7) { $0 == number }
      #expect(found == number)
    }
    let missing = table.find(7) { $0 == 100 } ?? table.find(8) { _ in true }
    #expect(missing == nil)
  }

  @Test(arguments: [0, 1, 3, 40, 5000]) func itIsEmptyAfterAll(count: Int) {
    var table = HashTable()
    // A large table is given back, a small one is kept.
    for round in [5000, count, 3] {
      for number in 0..<round { table.insert(UInt64(number) &* 0x9E37_79B9_7F4A_7C15, number) }
      let filled = table.count
      #expect(filled == round)
      table.removeAll()
      let left = (0..<round).contains { table[UInt64($0) &* 0x9E37_79B9_7F4A_7C15] != nil }
      #expect(!left)
    }
  }

  @Test func numbersNamesInTheirOrder() {
    let names = (0..<1000).map { Name(trusted: "\($0)") }
    var table = NameTable()
    let areNew = (names + names).map { table.add($0) }
    #expect(areNew == names.map { _ in true } + names.map { _ in false })
    let numbers = names.map { table.number(of: $0) }
    #expect(numbers == Array(0..<1000))
    let missing = [
      table.number(of: "1000"), NameTable().number(of: "0"),
      NameTable(expecting: 5).number(of: "0"),
    ]
    #expect(missing == [nil, nil, nil])
  }

  @Test func tellsSpellingsApart() {
    var table = NameTable()
    let numbers = ["\u{e9}", "e\u{301}", "\u{e9}"].map { table.enter($0).number }
    #expect(numbers == [0, 1, 0])
  }

  /// Some of those who hash names do not compare them, whatever the seed of their process is.
  @Test func lengthsDoNotMakeUpForLetters() {
    let names = ["", "1", "11", "111", "id-2", "id-22"] + (200..<300).map { "id-\($0)" }
    for seed in stride(from: UInt64(1), to: 512, by: 2) {
      let hashes = (names + (2200..<2300).map { "id-\($0)" }).map { name in
        name.withUTF8Bytes { HashTable.hash($0, seed) }
      }
      #expect(Set(hashes).count == hashes.count)
    }
  }
}
