import CreditModel
import Testing

@testable import CreditFinance

@Suite struct FractionSumTests {
  private func sum(_ shares: [(price: String, part: Int128, whole: Int128)], places: Int = 12)
    throws -> String
  {
    var sum = FractionSum()
    for (price, part, whole) in shares {
      let amount = Array(price.utf8CString).withBytes {
        ExactDecimal(amount: Bytes(rebasing: $0.dropLast()))
      }
      try sum.add(#require(amount), times: part, over: whole)
    }
    return try sum.rounded(places: places).fullText
  }

  @Test func aShareIsRoundedHalfToEven() throws {
    #expect(try sum([("9.99", 1, 300)]) == "0.033300000000")
    #expect(try sum([("1", 1, 3)]) == "0.333333333333")
    #expect(try sum([("2", 1, 3)]) == "0.666666666667")
    #expect(try sum([("0.5", 1, 1)], places: 0) == "0")
    #expect(try sum([("1.5", 1, 1)], places: 0) == "2")
    #expect(try sum([("0.125", 1, 1)], places: 2) == "0.12")
    #expect(try sum([("0.375", 1, 1)], places: 2) == "0.38")
    #expect(try sum([("-0.125", 1, 1)], places: 2) == "-0.12")
    #expect(try sum([("-1", 1, 3)], places: 2) == "-0.33")
    // A half, and a little more.
    #expect(
      try sum([("0.5", 2_000_000_000_000_000_001, 2_000_000_000_000_000_000)], places: 0) == "1")
  }

  @Test func sumsAreOfExactValues() throws {
    #expect(try sum([("1", 1, 3), ("1", 1, 3), ("1", 1, 3)]) == "1.000000000000")
    #expect(try sum([("1", 1, 3), ("1", 1, 7), ("1", 11, 21)], places: 2) == "1.00")
    #expect(try sum([("1", 1, 3), ("1", 1, 6)], places: 0) == "0")
    // Rounded one by one they would be 0.
    #expect(try sum([("0.005", 1, 1), ("0.005", 1, 1), ("0.005", 1, 1)], places: 2) == "0.02")
  }

  @Test func anAmountWithTooManyDigitsIsAnError() {
    #expect(throws: CreditError.self) {
      try sum([("12345678901234567890123456789", .init(Int64.max), 3)])
    }
    #expect(throws: CreditError.self) {
      try sum([("0.00000000000000000000000000000000000001", 1, 1 << 53)])
    }
  }
}
