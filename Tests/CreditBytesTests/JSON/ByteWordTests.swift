import Testing

@testable import CreditBytes

struct ByteWordTests {
  /// Any byte may end the digits.
  @Test func leadingDigitsHaveTheirValue() {
    for count in 0...8 {
      let digits = String("90817263".prefix(count))
      let wrong = (UInt8.min...UInt8.max).filter { byte in
        let text = Array(digits.utf8) + [byte] + Array("1234567".utf8)
        let (value, found) = text.withBytes { bytes in
          bytes.baseAddress.map { ByteWord($0).leadingDigits } ?? (0, 0)
        }
        return found != count || value != Int64(digits) ?? 0
      }
      // Behind eight digits the next byte is outside of the word.
      #expect(wrong == (count == 8 ? [] : Array(48...57)))
    }
  }
}
