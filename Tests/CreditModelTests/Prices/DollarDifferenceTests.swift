import Testing

@testable import CreditModel
@testable import TestSupport

/// The difference of two prices.
@Suite struct DollarDifferenceTests {
  @Test(arguments: [
    ("0.0111", "0.002", "0.0091"), ("0.002", "0.0111", "-0.0091"), ("1", "1", "0"),
    ("10", "9.5", "0.5"), ("9.5", "10", "-0.5"), ("100", "0.01", "99.99"), ("0.1", "0", "0.1"),
    ("123456789012345678901234567890.5", "0.25", "123456789012345678901234567890.25"),
    ("5", "0.00000000000000000000000000000000000001", "4.99999999999999999999999999999999999999"),
  ])
  func isExact(_ left: String, _ right: String, _ difference: String) {
    #expect(PriceParts.difference(left, right) == difference)
  }

  @Test func nothingIsZero() {
    #expect(PriceParts.difference(nil, nil) == nil)
    #expect(PriceParts.difference(nil, "0.5") == "-0.5")
    #expect(PriceParts.difference("0.5", nil) == "0.5")
  }

  @Test(arguments: UInt64(1)...50) func isTheInverseOfAdding(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func amount() -> UInt64 {
      .random(in: 0...1 << UInt64.random(in: 1...60, using: &random), using: &random)
    }
    let (first, second) = (amount(), amount())
    let scale = Int.random(in: 0...30, using: &random)
    func text(_ number: UInt64) -> String {
      ExactDecimal(coefficient: Int128(number), scale: scale).text
    }
    let expected = first < second ? "-" + text(second - first) : text(first - second)
    #expect(PriceParts.difference(text(first), text(second)) == expected)
  }
}
