import Testing

@testable import CreditModel

@Suite struct WideDecimalTests {
  private let most = WideDecimal(.max)

  @Test func multipliesAndAddsAtFullWidth() {
    #expect((most * most).text == (most * most + .zero).text)
    #expect(
      (most * WideDecimal(UInt128(UInt64.max))).text
        == "6277101735386680763495507056286727952620534092958556749825")
    #expect((WideDecimal(0) * most).isZero)
    #expect((WideDecimal(3) * WideDecimal(4)).text == "12")
    #expect((most + .one).text == "340282366920938463463374607431768211456")
    #expect((most + .one + most + .one).text == "680564733841876926926749214863536422912")
    #expect((WideDecimal(5, scale: 1) + WideDecimal(25, scale: 2)).text == "0.75")
  }

  @Test func dividesRoundingUp() {
    #expect(UInt128(0).dividedRoundingUp(by: 7) == 0)
    #expect(UInt128(7).dividedRoundingUp(by: 7) == 1)
    #expect(UInt128(8).dividedRoundingUp(by: 7) == 2)
    #expect(UInt128(Int64.max).dividedRoundingUp(by: 1) == .max)
    #expect((UInt128(Int64.max) + 1).dividedRoundingUp(by: 1) == nil)
    #expect((UInt128(Int64.max) * 2).dividedRoundingUp(by: 2) == .max)
    #expect((UInt128(Int64.max) * 2 + 1).dividedRoundingUp(by: 2) == nil)
    #expect(UInt128.max.dividedRoundingUp(by: 1) == nil)
    #expect((most + .one).dividedRoundingUp(byMillionths: 1_000_000) == nil)
    #expect((most * most).dividedRoundingUp(byMillionths: .max) == nil)
    let wide =
      WideDecimal(UInt128(Int64.max), scale: 30)
      * WideDecimal(Int128.powerOfTen(30)?.magnitude ?? 0)
    #expect(wide.dividedRoundingUp(byMillionths: 1_000_000) == .max)
  }

  @Test(arguments: [
    (UInt128(0), 0, "0"), (0, 9, "0"), (1, 0, "1"), (100, 0, "100"), (100, 2, "1"),
    (105, 2, "1.05"), (110, 2, "1.1"), (5, 3, "0.005"), (50, 3, "0.05"), (11_100, 6, "0.0111"),
    (UInt128.max, 0, "340282366920938463463374607431768211455"),
    (UInt128.max, 38, "3.40282366920938463463374607431768211455"),
  ])
  func writesPlainText(coefficient: UInt128, scale: Int, text: String) {
    #expect(WideDecimal(coefficient, scale: scale).text == text)
  }

  @Test func writesWideText() {
    #expect((most + .one).text == "340282366920938463463374607431768211456")
    // 2^256 - 1.
    let squared = (most + .one) * (most + .one)
    let largest = WideDecimal(text: squared.text(minus: .one))
    #expect(
      (largest * WideDecimal(1, scale: 40)).text
        == "11579208923731619542357098500868790785"
        + ".3269984665640564039457584007913129639935")
  }
}
