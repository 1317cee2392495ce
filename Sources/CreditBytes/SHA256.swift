/// The hash SHA-256 (FIPS 180-4) of bytes that arrive piece by piece.
public struct SHA256: Sendable {
  /// Length of a digest in bytes.
  public static let digestCount = 32
  /// Number of bytes that are hashed at once.
  public static let blockCount = 64

  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
    0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  /// The bytes of a block that is not complete yet.
  private var pending: [UInt8] = []
  private var byteCount: UInt64 = 0
  private var schedule = [UInt32](repeating: 0, count: 64)

  public init() {}

  public static func digest(_ bytes: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    bytes.withBytes { hash.update($0) }
    return hash.finish()
  }

  public mutating func update(_ bytes: Bytes) {
    byteCount &+= UInt64(bytes.count)
    var rest = bytes[...]
    if !pending.isEmpty {
      let missing = rest.prefix(Self.blockCount - pending.count)
      pending.append(contentsOf: missing)
      rest = rest.dropFirst(missing.count)
      guard pending.count == Self.blockCount else { return }
      let block = pending
      block.withBytes { hash($0) }
      pending.removeAll(keepingCapacity: true)
    }
    while rest.count >= Self.blockCount {
      hash(Bytes(rebasing: rest.prefix(Self.blockCount)))
      rest = rest.dropFirst(Self.blockCount)
    }
    pending.append(contentsOf: rest)
  }

  /// The digest of all that was taken in.
  public consuming func finish() -> [UInt8] {
    let bitCount = byteCount &* 8
    let zeroCount = (2 * Self.blockCount - 9 - pending.count) % Self.blockCount
    var end: [UInt8] = [0x80] + [UInt8](repeating: 0, count: zeroCount)
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
      end.append(UInt8(truncatingIfNeeded: bitCount >> shift))
    }
    end.withBytes { update($0) }
    return state.flatMap { word in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
    }
  }

  /// Returns a digest in lower-case hexadecimal digits.
  public static func text(_ digest: [UInt8]) -> String {
    var text: [UInt8] = []
    for byte in digest {
      text.append(JSONDigits.hexadecimal(byte >> 4))
      text.append(JSONDigits.hexadecimal(byte & 0xf))
    }
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func hash(_ block: Bytes) {
    for place in 0..<16 {
      schedule[place] = UInt32(
        bigEndian: block.loadUnaligned(fromByteOffset: place * 4, as: UInt32.self))
    }
    for place in 16..<64 {
      let (early, late) = (schedule[place - 15], schedule[place - 2])
      let first = early.rotated(7) ^ early.rotated(18) ^ early >> 3
      let second = late.rotated(17) ^ late.rotated(19) ^ late >> 10
      schedule[place] = schedule[place - 16] &+ first &+ schedule[place - 7] &+ second
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for place in 0..<64 {
      let choice = (e & f) ^ (~e & g)
      let high = e.rotated(6) ^ e.rotated(11) ^ e.rotated(25)
      let first = h &+ high &+ choice &+ Self.constants[place] &+ schedule[place]
      let majority = (a & b) ^ (a & c) ^ (b & c)
      let second = (a.rotated(2) ^ a.rotated(13) ^ a.rotated(22)) &+ majority
      (h, g, f, e) = (g, f, e, d &+ first)
      (d, c, b, a) = (c, b, a, first &+ second)
    }
    for (place, word) in [a, b, c, d, e, f, g, h].enumerated() { state[place] &+= word }
  }

  /// The first 32 bits of the fractions of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
    0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
    0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
    0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
    0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
    0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
    0xc671_78f2,
  ]
}

extension UInt32 {
  /// The bits rotated to the right.
  fileprivate func rotated(_ count: UInt32) -> UInt32 { self >> count | self << (32 - count) }
}

/// A message authentication code (RFC 2104, with SHA-256).
public enum HMACSHA256 {
  /// The code of some bytes.
  /// - Parameter pieces: the bytes, one after the other.
  public static func code(of pieces: [[UInt8]], key: [UInt8]) -> [UInt8] {
    var key = key.count > SHA256.blockCount ? SHA256.digest(key) : key
    key += [UInt8](repeating: 0, count: SHA256.blockCount - key.count)
    let inner = SHA256.digest(key.map { $0 ^ 0x36 } + pieces.joined())
    return SHA256.digest(key.map { $0 ^ 0x5c } + inner)
  }

  /// Whether two codes are the same. Its time does not reveal the first difference.
  public static func isSame(_ code: [UInt8], as other: [UInt8]) -> Bool {
    guard code.count == other.count else { return false }
    var difference: UInt8 = 0
    for (left, right) in zip(code, other) { difference |= left ^ right }
    return difference == 0
  }
}
