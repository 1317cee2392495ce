import Testing

@testable import CreditModel

@Suite struct UInt256Tests {
  @Test func multipliesFullWidth() {
    let product = UInt256(.max, times: .max)
    #expect(product.high == UInt128(UInt64.max) - 1)
    #expect(product.low == UInt128.max - UInt128(UInt64.max) + 1)
    #expect(UInt256(0, times: .max) == UInt256(0))
    #expect(UInt256(3, times: 4) == UInt256(12))
  }

  @Test func addsWithCarry() {
    #expect(UInt256(.max) + UInt256(1) == UInt256(high: 1, 0))
    #expect(UInt256(high: 1, .max) + UInt256(high: 2, .max) == UInt256(high: 4, .max - 1))
  }

  @Test func dividesRoundingUp() {
    #expect(UInt256(0).dividedRoundingUp(by: 7) == 0)
    #expect(UInt256(7).dividedRoundingUp(by: 7) == 1)
    #expect(UInt256(8).dividedRoundingUp(by: 7) == 2)
    #expect(UInt256(UInt128(Int64.max)).dividedRoundingUp(by: 1) == .max)
    #expect(UInt256(UInt128(Int64.max) + 1).dividedRoundingUp(by: 1) == nil)
    #expect(UInt256(UInt128(Int64.max) * 2).dividedRoundingUp(by: 2) == .max)
    #expect(UInt256(UInt128(Int64.max) * 2 + 1).dividedRoundingUp(by: 2) == nil)
    #expect(UInt256(high: 1, 0).dividedRoundingUp(by: 1) == nil)
    #expect(UInt256(high: 6, 0).dividedRoundingUp(by: 6) == nil)
    let wide = UInt256(UInt64(Int64.max), times: .max)
    #expect(wide.dividedRoundingUp(by: .max) == .max)
  }

  @Test(arguments: [
    (UInt128(0), 0, "0"), (0, 9, "0"), (1, 0, "1"), (100, 0, "100"), (100, 2, "1"),
    (105, 2, "1.05"), (110, 2, "1.1"), (5, 3, "0.005"), (50, 3, "0.05"), (11_100, 6, "0.0111"),
    (UInt128.max, 0, "340282366920938463463374607431768211455"),
    (UInt128.max, 38, "3.40282366920938463463374607431768211455"),
  ])
  func writesPlainText(coefficient: UInt128, scale: Int, text: String) {
    #expect(WideDecimal(UInt256(coefficient), scale: scale).text == text)
  }

  @Test func writesWideText() {
    #expect(
      WideDecimal(UInt256(high: 1, 0), scale: 0).text == "340282366920938463463374607431768211456")
    #expect(
      WideDecimal(UInt256(high: .max, .max), scale: 40).text
        == "11579208923731619542357098500868790785"
        + ".3269984665640564039457584007913129639935")
  }
}
