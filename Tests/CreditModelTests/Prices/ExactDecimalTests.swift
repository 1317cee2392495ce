import Testing

@testable import CreditModel
@testable import TestSupport

@Suite struct ExactDecimalTests {
  @Test(arguments: [
    ("0", "0"), ("00", "0"), ("0.000", "0"), ("0e99999", "0"), ("0e-99999", "0"),
    ("1", "1"), ("007", "7"), ("10", "10"), ("0.003", "0.003"), ("0.0030", "0.003"),
    ("3e-06", "0.000003"), ("3E-6", "0.000003"), ("3e+2", "300"), ("3e2", "300"),
    ("1.5e1", "15"), ("1.5e0", "1.5"), ("1.5e-1", "0.15"), ("120e-1", "12"),
    ("3750000.5", "3750000.5"), ("1000000e-6", "1"),
    ("99999999999999999999999999999999999999", "99999999999999999999999999999999999999"),
    ("0.99999999999999999999999999999999999999", "0.99999999999999999999999999999999999999"),
    ("1e37", "10000000000000000000000000000000000000"),
    ("1e-38", "0.00000000000000000000000000000000000001"),
    ("10e-39", "0.00000000000000000000000000000000000001"),
    ("1.2345678901234567890123456789012345678", "1.2345678901234567890123456789012345678"),
    ("0.000000000000000000000000000000000000000000", "0"),
  ])
  func readsDecimalTextExactly(text: String, plain: String) {
    #expect(ExactDecimal(text: text)?.text == plain)
  }

  @Test(arguments: [
    "", " ", ".", ".5", "5.", "5.e1", "-1", "-0", "+1", "1e", "1e+", "1e-", "e1", "1e1.5", "1e1e1",
    "1.2.3", "1,5", "1 ", " 1", "0x10", "Infinity", "NaN", "1_000", "١", "1e99999999999999999999",
    "100000000000000000000000000000000000000", "1e38", "1e-39", "1.1e-38",
    "0.123456789012345678901234567890123456789", "340282366920938463463374607431768211456",
    "999999999999999999999999999999999999999999",
  ])
  func refusesJunkAndWhatHasMoreThan38Digits(text: String) {
    #expect(ExactDecimal(text: text) == nil)
  }

  @Test func equalNumbersAreEqual() {
    #expect(decimal("1.50") == decimal("15e-1"))
    #expect(ExactDecimal(coefficient: 1500, scale: 3) == decimal("1.5"))
    #expect(decimal("1.5") != decimal("15"))
    #expect(ExactDecimal(coefficient: 0, scale: 20) == .zero)
  }

  @Test func bringsTheCoefficientToALargerScale() {
    #expect(decimal("1.5").coefficient(atScale: 1) == 15)
    #expect(decimal("1.5").coefficient(atScale: 4) == 15_000)
    #expect(decimal("1.55").coefficient(atScale: 1) == nil)
    #expect(decimal("1").coefficient(atScale: 38) == Int128.tenToThe38th)
    #expect(decimal("4").coefficient(atScale: 38) == nil)
    #expect(decimal("0").coefficient(atScale: 38) == 0)
  }

  @Test func shiftsWithinItsDigits() {
    #expect(decimal("3000000").shifted(right: 12) == decimal("0.000003"))
    #expect(decimal("3750000.5").shifted(right: 12) == decimal("0.0000037500005"))
    #expect(decimal("0.00000000000000000000000001").shifted(right: 12)?.scale == 38)
    #expect(decimal("0.000000000000000000000000001").shifted(right: 12) == nil)
  }

  @Test func powersOfTen() {
    #expect(Int128.powerOfTen(0) == 1)
    #expect(Int128.powerOfTen(38) == Int128.tenToThe38th)
    #expect(Int128.powerOfTen(39) == nil)
    #expect(Int128.powerOfTen(-1) == nil)
  }

  /// The digits are kept: coefficient and scale back to text, at random.
  @Test func textAndBack() {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<2000 {
      let digits = Int.random(in: 1...38, using: &random)
      let scale = Int.random(in: 0...digits, using: &random)
      var text = ""
      for index in 0..<digits {
        if index == digits - scale { text += index == 0 ? "0." : "." }
        text += String(Int.random(in: 0...9, using: &random))
      }
      var plain = Substring(text)
      while plain.count > 1, plain.hasPrefix("0"), !plain.hasPrefix("0.") { plain.removeFirst() }
      if plain.contains(".") {
        while plain.hasSuffix("0") { plain.removeLast() }
        if plain.hasSuffix(".") { plain.removeLast() }
      }
      #expect(ExactDecimal(text: text)?.text == String(plain), "from \(text)")
    }
  }
}
