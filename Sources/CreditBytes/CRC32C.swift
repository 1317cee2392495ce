internal import CShims

/// CRC-32C (Castagnoli, as in iSCSI and ext4): reflected polynomial 0x82F63B78. The value is
/// inverted before and after.
public enum CRC32C {
  /// Sixteen tables of 256: table k advances a byte's remainder by k further zero bytes. So 16
  /// bytes are taken at a time with independent look-ups. Made at first use, in a few microseconds.
  private nonisolated(unsafe) static let tables: UnsafePointer<UInt32> = {
    let tables = UnsafeMutablePointer<UInt32>.allocate(capacity: 16 * 256)
    var remainder: UInt32 = 0x82F6_3B78
    for number in 0..<16 {
      let table = tables + 256 * number
      var bit = 128
      while bit > 0 {
        table[bit] = remainder
        remainder = remainder >> 1 ^ (0 &- (remainder & 1)) & 0x82F6_3B78
        bit >>= 1
      }
      // The remainder of a byte is the sum of those of its bits. Short loops without look-ups: each
      // process makes the tables.
      table[0] = 0
      bit = 1
      while bit < 256 {
        let last = table[bit]
        for byte in 0..<bit { table[bit + byte] = last ^ table[byte] }
        bit <<= 1
      }
    }
    return UnsafePointer(tables)
  }()

  /// Returns the checksum of the bytes. The processor's instructions take a tenth of the tables'
  /// time.
  public static func checksum(_ bytes: Bytes) -> UInt32 {
    if crc32c_has_instructions() { return ~crc32c_advance(~0, bytes.baseAddress, bytes.count) }
    return checksumByTables(bytes)
  }

  /// The same, for a processor without these instructions.
  static func checksumByTables(_ bytes: Bytes) -> UInt32 {
    guard var next = bytes.baseAddress else { return 0 }
    let tables = Self.tables
    var remainder = ~UInt32(0)
    var count = bytes.count
    while count >= 16 {
      let low = UInt64(littleEndian: next.loadUnaligned(as: UInt64.self)) ^ UInt64(remainder)
      let high = UInt64(littleEndian: (next + 8).loadUnaligned(as: UInt64.self))
      remainder = advance(low, tables + 8 * 256) ^ advance(high, tables)
      next += 16
      count -= 16
    }
    if count >= 8 {
      let word = UInt64(littleEndian: next.loadUnaligned(as: UInt64.self)) ^ UInt64(remainder)
      remainder = advance(word, tables)
      next += 8
      count -= 8
    }
    while count > 0 {
      let index = (remainder ^ UInt32(next.load(as: UInt8.self))) & 0xFF
      remainder = remainder >> 8 ^ tables[Int(index)]
      next += 1
      count -= 1
    }
    return ~remainder
  }

  /// Returns the remainder of 8 bytes, the first of which has `tables[7 * 256...]`.
  @inline(__always)
  static func advance(_ word: UInt64, _ tables: UnsafePointer<UInt32>) -> UInt32 {
    let first =
      tables[7 * 256 + Int(word & 0xFF)] ^ tables[6 * 256 + Int(word >> 8 & 0xFF)]
      ^ tables[5 * 256 + Int(word >> 16 & 0xFF)] ^ tables[4 * 256 + Int(word >> 24 & 0xFF)]
    let second =
      tables[3 * 256 + Int(word >> 32 & 0xFF)] ^ tables[2 * 256 + Int(word >> 40 & 0xFF)]
      ^ tables[256 + Int(word >> 48 & 0xFF)] ^ tables[Int(word >> 56)]
    return first ^ second
  }
}
