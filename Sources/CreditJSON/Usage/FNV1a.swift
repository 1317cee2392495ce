/// The 64-bit hash FNV-1a: small, the same everywhere, and no defence against somebody who looks
/// for two texts that have the same.
struct FNV1a {
  static let digitCount = 16

  private var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
  }

  var digits: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: Self.digitCount - digits.utf8.count) + digits
  }
}
