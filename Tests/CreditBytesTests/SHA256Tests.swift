import Testing

@testable import CreditBytes

/// Examples of FIPS 180-4 (NIST, "Cryptographic Standards and Guidelines: Examples"), and pieces.
@Suite struct SHA256Tests {
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
        + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
  ])
  func hashesTheStandardsExamples(_ text: String, _ digest: String) {
    #expect(Self.hexadecimal(SHA256.digest(Array(text.utf8))) == digest)
  }

  @Test func hashesAMillionBytes() {
    var hash = SHA256()
    let block = [UInt8](repeating: UInt8(ascii: "a"), count: 1000)
    for _ in 0..<1000 { block.withBytes { hash.update($0) } }
    #expect(
      Self.hexadecimal(hash.finish())
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test func piecesDoNotMatter() {
    let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0 * 7) }
    for count in [1, 3, 55, 56, 63, 64, 65, 119, 120, 128, 300] {
      let whole = SHA256.digest(Array(bytes[..<count]))
      for cut in [0, 1, count / 2, count - 1] {
        var hash = SHA256()
        bytes[..<cut].withBytes { hash.update($0) }
        bytes[cut..<count].withBytes { hash.update($0) }
        #expect(hash.finish() == whole)
      }
    }
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}
