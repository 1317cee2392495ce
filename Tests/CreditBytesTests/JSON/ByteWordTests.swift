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

  @Test func findsTheFirstByteThatIsNotPrintable() {
    let expected: [UInt8] = Array(0..<0x20) + [0x22, 0x5C] + Array(0x7F...0xFF)
    for place in 0..<8 {
      let stops = (UInt8.min...UInt8.max).filter { byte in
        var text = Array(" abc~!#[".utf8)
        text[place] = byte
        let bits = text.withBytes { $0.baseAddress.map { ByteWord($0).unprintable } ?? 0 }
        return ByteWord.firstIndex(in: bits) == place
      }
      #expect(stops == expected)
    }
  }

  @Test func tellsPrintableTextOfAnyLength() {
    for count in 0...20 {
      var text = [UInt8](repeating: 0x7E, count: count)
      #expect(text.withBytes { $0.isPrintable })
      for place in text.indices {
        for byte: UInt8 in [0, 0x1F, 0x7F, 0x80, 0xFF] {
          text[place] = byte
          #expect(!text.withBytes { $0.isPrintable })
        }
        text[place] = 0x20
        #expect(text.withBytes { $0.isPrintable })
      }
    }
  }
}
