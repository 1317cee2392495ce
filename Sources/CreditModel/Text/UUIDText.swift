/// UUIDs of version 7 (RFC 9562) as text: 48 bits of milliseconds, then other bits, so that ids
/// sort by time.
package enum UUIDText {
  /// Returns the lowercase text of a UUID.
  /// - Parameters:
  ///   - high: its last 12 bits follow the time.
  ///   - low: its last 62 bits are the rest.
  package static func name(at time: Timestamp, _ high: UInt64, _ low: UInt64) -> Name {
    let milliseconds = UInt64(clamping: time.milliseconds) & 0xffff_ffff_ffff
    return Name(
      trusted: text(
        milliseconds << 16 | 0x7000 | (high & 0x0fff),
        0x8000_0000_0000_0000 | (low & 0x3fff_ffff_ffff_ffff)))
  }

  private static func text(_ high: UInt64, _ low: UInt64) -> String {
    withUnsafeTemporaryAllocation(byteCount: 36, alignment: 8) { text in
      // Eight digits at a time; the last four may be shifted behind a dash.
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

package enum Hexadecimal {
  /// Returns the value of a digit of either case; nil otherwise.
  package static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Returns the eight lowercase digits of 32 bits, the first in the highest byte.
  package static func digits(_ bits: UInt32) -> UInt64 {
    // Each half byte moves into a byte of its own.
    var digits = UInt64(bits)
    digits = (digits << 16 | digits) & 0x0000_ffff_0000_ffff
    digits = (digits << 8 | digits) & 0x00ff_00ff_00ff_00ff
    digits = (digits << 4 | digits) & 0x0f0f_0f0f_0f0f_0f0f
    // The letters are 39 places further than digits would be.
    let letters = (digits &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return digits &+ 0x3030_3030_3030_3030 &+ letters &* 39
  }
}
