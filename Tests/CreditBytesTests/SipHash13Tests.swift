import Testing

@testable import CreditBytes

struct SipHash13Tests {
  private let bytes = [UInt8](0..<64)

  /// Of the bytes 0, 1, 2, … under a key of zeros.
  @Test(
    arguments: [
      (1, 0x68A9_1412_8E01_E473), (2, 0x010B_AC45_C41E_3669), (7, 0x2F09_8AB0_C751_325A),
      (8, 0xEAD4_11E6_7EBE_2EEA), (9, 0x7592_7F9D_9512_4362), (15, 0xF30E_B725_BB91_C9EA),
      (16, 0x8972_1884_33A5_C5B7), (23, 0x3733_2B13_89DA_A4FF), (63, 0x385D_3E39_E5F3_7359),
    ] as [(Int, UInt64)])
  func knownAnswers(count: Int, hash: UInt64) {
    #expect(siphash([Array(bytes[..<count])]) == hash)
  }

  /// Of no bytes under the key 0, 1, … 15: the reference implementation's first vector.
  @Test func knownAnswerWithKey() {
    let hash = SipHash13(key: (0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908))
    #expect(hash.finalize() == 0xABAC_0158_050F_C4DC)
  }

  @Test func partsAddUpToTheWhole() {
    let whole = siphash([bytes])
    for first in 0...64 {
      for second in stride(from: first, through: 64, by: 3) {
        let parts = [bytes[..<first], bytes[first..<second], bytes[second...]].map { Array($0) }
        #expect(siphash(parts) == whole)
      }
    }
  }

  @Test func wordsAreTheirBytes() {
    for lead in 0..<8 {
      var hash = SipHash13(key: (1, 2))
      var other = hash
      bytes[..<lead].withBytes {
        hash.append($0)
        other.append($0)
      }
      hash.append(0x0706_0504_0302_0100)
      bytes[..<8].withBytes { other.append($0) }
      #expect(hash.finalize() == other.finalize())
    }
  }

  @Test func keysOfOtherKindsAndPartsDiffer() {
    let hasher = KeyHasher(seed: (3, 4))
    let hashes = [
      hasher.hash(domain: 1, "ab"), hasher.hash(domain: 2, "ab"), hasher.hash(domain: 1, "a", "b"),
      hasher.hash(domain: 1, "", "ab"), hasher.hash(domain: 1, "ab", "\0"),
      KeyHasher(seed: (4, 3)).hash(domain: 1, "ab"),
    ]
    #expect(Set(hashes).count == hashes.count)
    #expect(hasher.hash(domain: 1, "a", "b") == hasher.hash(domain: 1, "a", "b"))
  }

  private func siphash(_ parts: [[UInt8]]) -> UInt64 {
    var hash = SipHash13(key: (0, 0))
    for part in parts { part.withBytes { hash.append($0) } }
    return hash.finalize()
  }

  @Test func hashesAsFNVDoes() {
    var hash = FNV1a()
    #expect(hash.digits == "cbf29ce484222325")
    "foobar".withUTF8Bytes { hash.append($0) }
    #expect(hash.digits == "85944171f73967e8")
  }
}
