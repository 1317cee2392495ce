import Testing

@testable import CreditBytes

struct CRC32CTests {
  /// The vectors of RFC 3720, B.4, and the usual check value.
  @Test func knownAnswers() {
    #expect(checksum(Array("123456789".utf8)) == 0xE306_9283)
    #expect(checksum([]) == 0)
    #expect(checksum([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
    #expect(checksum([UInt8](repeating: 0xFF, count: 32)) == 0x62A8_AB43)
    #expect(checksum(Array(0..<32)) == 0x46DD_794E)
    #expect(checksum(Array((0..<32).reversed())) == 0x113F_DB5C)
  }

  @Test func everyLengthAndAlignmentAgreesWithTheDefinition() {
    let bytes = (0..<900).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ $0 / 7) }
    for start in 0..<9 {
      for end in start...(start == 0 ? 800 : 100 + start) {
        let part = Array(bytes[start..<end])
        let (whole, byTables) = bytes.withBytes {
          let part = Bytes(rebasing: $0[start..<end])
          return (CRC32C.checksum(part), CRC32C.checksumByTables(part))
        }
        #expect(whole == bitByBit(part))
        #expect(byTables == bitByBit(part))
      }
    }
    #expect(checksum(bytes) == bitByBit(bytes))
  }

  private func checksum(_ bytes: [UInt8]) -> UInt32 {
    bytes.withBytes { CRC32C.checksum($0) }
  }

  private func bitByBit(_ bytes: [UInt8]) -> UInt32 {
    var remainder = ~UInt32(0)
    for byte in bytes {
      remainder ^= UInt32(byte)
      for _ in 0..<8 {
        remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0x82F6_3B78 : remainder >> 1
      }
    }
    return ~remainder
  }
}
