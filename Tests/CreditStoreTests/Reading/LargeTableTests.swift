import CreditBytes
import Testing

@testable import CreditStore

@Suite struct LargeTableTests {
  @Test(arguments: [(0, 0), (1, 1), (100, 60), (300_000, 300_000), (300_000, 0)])
  func aTableTakesTheMemoryOfAnother(count: Int, laterCount: Int) {
    let first = LargeTable<Int64>(count: count)
    let later = LargeTable<Int>(count: laterCount, inPlaceOf: first)
    #expect(later.elements.count == laterCount)
    #expect(
      MutableBytes(later.elements).baseAddress == MutableBytes(first.elements).baseAddress)
  }

  /// The memory lasts as long as the last table that has it.
  @Test func theMemoryStays() {
    weak var first: LargeTable<Int64>?
    var last: LargeTable<UInt32>?
    do {
      let made = LargeTable<Int64>(count: 300_000)
      first = made
      let second = LargeTable<Int>(count: 200_000, inPlaceOf: made)
      last = LargeTable<UInt32>(count: 400_000, inPlaceOf: second)
    }
    #expect(first != nil)
    if let last {
      for number in last.elements.indices { last.elements[number] = UInt32(number) }
      #expect(last.elements.reduce(0) { $0 + Int($1) } == 399_999 * 200_000)
    }
    last = nil
    #expect(first == nil)
  }
}
