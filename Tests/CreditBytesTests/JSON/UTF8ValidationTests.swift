import CreditBytes
import Testing

struct UTF8ValidationTests {
  private func quoted(_ bytes: [UInt8]) -> [UInt8] { [0x22] + bytes + [0x22] }

  /// The standard library repairs malformed text, so unchanged text is well formed.
  private func isWellFormed(_ bytes: [UInt8]) -> Bool {
    Array(String(decoding: bytes, as: UTF8.self).utf8) == bytes
  }

  @Test func agreesWithTheStandardLibraryOnEveryPair() {
    for first in UInt8(0x80)...0xff {
      for second in UInt8(0x80)...0xff {
        let bytes = [first, second]
        #expect(isAccepted(quoted(bytes)) == isWellFormed(bytes), "\(bytes)")
      }
    }
  }

  @Test func agreesWithTheStandardLibraryOnLongerSequences() {
    let edges: [UInt8] = [0x22 + 1, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff]
    for first in [UInt8(0xe0), 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5] {
      for second in edges {
        for third in edges {
          for bytes in [[first, second, third]] + edges.map({ [first, second, third, $0] }) {
            let verdict = isAccepted(quoted(bytes))
            #expect(verdict == isWellFormed(bytes), "\(bytes)")
          }
        }
      }
    }
  }

  @Test func pointsAtTheSequence() {
    #expect(
      failure(quoted([0x61, 0xe2, 0x82]))
        == JSONError(.invalidUTF8, line: 1, offset: 2))
    #expect(failure([0x22, 0x61, 0xe2, 0x82])?.reason == .truncated)
    #expect(failure([0x7b, 0xff])?.reason == .nameExpected)
  }

  @Test func findsBadBytesAtEveryPlaceOfAWord() {
    for length in 0..<20 {
      for bad in [UInt8(0x80), 0x1f, 0x00, 0xff] {
        let plain = [UInt8](repeating: 0x61, count: length)
        let text = quoted(plain + [bad] + plain)
        #expect(failure(text)?.offset == length + 1)
      }
      for good: [UInt8] in [[0xc3, 0xa9], [0x5c, 0x6e], [0x7f], [0x20], [0x21], [0x23]] {
        let plain = [UInt8](repeating: 0x61, count: length)
        #expect(isAccepted(quoted(plain + good + plain)))
      }
    }
  }
}
