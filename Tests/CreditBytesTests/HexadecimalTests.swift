import CreditModel
import Testing

struct HexadecimalTests {
  @Test(arguments: [
    (0, "00000000"), (0x0123_4567, "01234567"), (0x89ab_cdef, "89abcdef"),
    (0xffff_ffff, "ffffffff"), (0x9a0f_f0a9, "9a0ff0a9"),
  ])
  func writesEightDigits(_ bits: UInt32, _ text: String) {
    #expect(Array(text.utf8) == bytes(Hexadecimal.digits(bits)))
  }

  @Test func agreesWithTheStandardLibrary() {
    var bits: UInt32 = 1
    for _ in 0..<1000 {
      bits = bits &* 1_664_525 &+ 1_013_904_223
      let digits = String(bits, radix: 16)
      let text = String(repeating: "0", count: 8 - digits.count) + digits
      #expect(bytes(Hexadecimal.digits(bits)) == Array(text.utf8))
    }
  }

  /// From the highest byte on.
  private func bytes(_ word: UInt64) -> [UInt8] {
    withBytes(of: word.bigEndian) { Array($0) }
  }
}
