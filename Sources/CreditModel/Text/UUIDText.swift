/// UUIDs of version 7 (RFC 9562) as text: 48 bits of milliseconds, then bits of any other origin,
/// so that ids sort by time.
package enum UUIDText {
  /// The lowercase text of a UUID.
  /// - Parameters:
  ///   - high: of its bits the last 12 count, after the time.
  ///   - low: of its bits the last 62 count.
  package static func name(at time: Timestamp, _ high: UInt64, _ low: UInt64) -> Name {
    let milliseconds = UInt64(clamping: time.milliseconds) & 0xffff_ffff_ffff
    return Name(
      trusted: text(
        milliseconds << 16 | 0x7000 | (high & 0x0fff),
        0x8000_0000_0000_0000 | (low & 0x3fff_ffff_ffff_ffff)))
  }

  private static func text(_ high: UInt64, _ low: UInt64) -> String {
    withUnsafeTemporaryAllocation(byteCount: 36, alignment: 8) { text in
      // Eight digits at a time, of which the later four may be moved on behind a dash.
      func put(_ bits: UInt64, at first: Int, _ second: Int) {
        let digits = Hexadecimal.digits(UInt32(truncatingIfNeeded: bits))
        let (early, late) = (
          UInt32(truncatingIfNeeded: digits >> 32), UInt32(truncatingIfNeeded: digits)
        )
        text.storeBytes(of: early.bigEndian, toByteOffset: first, as: UInt32.self)
        text.storeBytes(of: late.bigEndian, toByteOffset: second, as: UInt32.self)
      }
      put(high >> 32, at: 0, 4)
      put(high, at: 9, 14)
      put(low >> 32, at: 19, 24)
      put(low, at: 28, 32)
      text[8] = UInt8(ascii: "-")
      text[13] = UInt8(ascii: "-")
      text[18] = UInt8(ascii: "-")
      text[23] = UInt8(ascii: "-")
      return String(decoding: text, as: UTF8.self)
    }
  }
}
