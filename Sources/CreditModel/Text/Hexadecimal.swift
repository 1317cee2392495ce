/// Hexadecimal digits.
package enum Hexadecimal {
  /// The value of a digit of either case; nil otherwise.
  package static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// The eight lowercase digits of 32 bits, the first one in the highest byte. All at once.
  package static func digits(_ bits: UInt32) -> UInt64 {
    // Each half byte moves into a byte of its own.
    var digits = UInt64(bits)
    digits = (digits << 16 | digits) & 0x0000_ffff_0000_ffff
    digits = (digits << 8 | digits) & 0x00ff_00ff_00ff_00ff
    digits = (digits << 4 | digits) & 0x0f0f_0f0f_0f0f_0f0f
    // The letters are 39 places further than digits would.
    let letters = (digits &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return digits &+ 0x3030_3030_3030_3030 &+ letters &* 39
  }
}
