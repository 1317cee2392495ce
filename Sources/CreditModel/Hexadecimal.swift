/// Hexadecimal text of fixed length.
package enum Hexadecimal {
  /// The eight lowercase digits of 32 bits, the first one in the highest byte. All at once.
  package static func digits(_ bits: UInt32) -> UInt64 {
    // Each half byte moves into a byte of its own.
    var digits = UInt64(bits)
    digits = (digits << 16 | digits) & 0x0000_ffff_0000_ffff
    digits = (digits << 8 | digits) & 0x00ff_00ff_00ff_00ff
    digits = (digits << 4 | digits) & 0x0f0f_0f0f_0f0f_0f0f
    // The letters stand 39 places further than digits would.
    let letters = (digits &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return digits &+ 0x3030_3030_3030_3030 &+ letters &* 39
  }
}
