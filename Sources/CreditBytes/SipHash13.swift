/// SipHash-1-3 (Aumasson and Bernstein): a keyed 64-bit hash. So users cannot choose account names
/// or keys that all share one place of the index.
public struct SipHash13 {
  private var v0: UInt64
  private var v1: UInt64
  private var v2: UInt64
  private var v3: UInt64

  /// The bytes that do not make a whole word yet, lowest first.
  private var tail: UInt64 = 0
  private var byteCount = 0

  /// Starts a hash with a 128-bit key.
  public init(key: (UInt64, UInt64)) {
    v0 = key.0 ^ 0x736f_6d65_7073_6575
    v1 = key.1 ^ 0x646f_7261_6e64_6f6d
    v2 = key.0 ^ 0x6c79_6765_6e65_7261
    v3 = key.1 ^ 0x7465_6462_7974_6573
  }

  /// Takes 8 bytes, the lowest first; requires that the bytes so far are a multiple of 8.
  @inline(__always)
  mutating func compress(_ word: UInt64) {
    v3 ^= word
    round()
    v0 ^= word
  }

  /// Takes further bytes.
  @inline(__always)
  public mutating func append(_ bytes: Bytes) {
    guard var next = bytes.baseAddress else { return }
    let shift = UInt64(byteCount & 7) &* 8
    byteCount &+= bytes.count
    var count = bytes.count
    while count >= 8 {
      let word = UInt64(littleEndian: next.loadUnaligned(as: UInt64.self))
      compress(tail | word &<< shift)
      tail = shift == 0 ? 0 : word &>> (64 &- shift)
      next += 8
      count &-= 8
    }
    guard count > 0 else { return }
    let rest = Self.rest(of: bytes, count: count)
    tail |= rest &<< shift
    guard Int(shift) &+ 8 &* count >= 64 else { return }
    compress(tail)
    tail = shift == 0 ? 0 : rest &>> (64 &- shift)
  }

  /// Returns the last bytes, one to seven, as a word.
  @inline(__always)
  static func rest(of bytes: Bytes, count: Int) -> UInt64 {
    if bytes.count >= 8 {
      let last = bytes.loadUnaligned(fromByteOffset: bytes.count &- 8, as: UInt64.self)
      return UInt64(littleEndian: last) &>> UInt64(64 &- 8 &* count)
    }
    var rest: UInt64 = 0
    for index in 0..<count { rest |= UInt64(bytes[index]) &<< UInt64(8 &* index) }
    return rest
  }

  /// Takes one word as its 8 bytes, lowest first.
  @inline(__always)
  public mutating func append(_ word: UInt64) {
    let shift = UInt64(byteCount & 7) * 8
    byteCount &+= 8
    compress(tail | word &<< shift)
    tail = shift == 0 ? 0 : word &>> (64 &- shift)
  }

  /// Returns the hash of all bytes.
  @inline(__always)
  public consuming func finalize() -> UInt64 {
    compress(tail | UInt64(truncatingIfNeeded: byteCount) << 56)
    v2 ^= 0xFF
    round()
    round()
    round()
    return v0 ^ v1 ^ v2 ^ v3
  }

  @inline(__always)
  mutating func round() {
    v0 = v0 &+ v1
    v1 = rotated(v1, 13) ^ v0
    v0 = rotated(v0, 32)
    v2 = v2 &+ v3
    v3 = rotated(v3, 16) ^ v2
    v0 = v0 &+ v3
    v3 = rotated(v3, 21) ^ v0
    v2 = v2 &+ v1
    v1 = rotated(v1, 17) ^ v2
    v2 = rotated(v2, 32)
  }

  @inline(__always)
  func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 {
    word &<< count | word &>> (64 &- count)
  }
}

/// Hashes the keys of one index.
public struct KeyHasher: Sendable {
  private let seed0: UInt64
  private let seed1: UInt64

  public init(seed: (UInt64, UInt64)) {
    seed0 = seed.0
    seed1 = seed.1
  }

  /// Returns the hash of a key of one kind.
  ///
  /// The hashed bytes begin with the kind and the first part's length, so that keys of different
  /// kinds or parts never have the same bytes.
  /// - Parameters:
  ///   - domain: the kind of key.
  ///   - first: the key, or its first part.
  ///   - second: its second part, if any.
  public func hash(domain: UInt8, _ first: Bytes, _ second: Bytes = Bytes()) -> UInt64 {
    var hash = SipHash13(key: (seed0, seed1))
    hash.append(UInt64(domain) | UInt64(truncatingIfNeeded: first.count) << 8)
    hash.append(first)
    hash.append(second)
    return hash.finalize()
  }

  public func hash(domain: UInt8, _ text: String) -> UInt64 {
    text.withUTF8Bytes { hash(domain: domain, $0) }
  }

  /// Returns the hash of a key of two texts, by their UTF-8.
  public func hash(domain: UInt8, _ first: String, _ second: String) -> UInt64 {
    first.withUTF8Bytes { first in
      second.withUTF8Bytes { second in hash(domain: domain, first, second) }
    }
  }
}

/// The 64-bit hash FNV-1a: small, the same everywhere, and not safe against intentional collisions.
public struct FNV1a {
  public static let digitCount = 16

  public private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  public init() {}

  public mutating func append(_ bytes: Bytes) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
  }

  public var digits: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: Self.digitCount - digits.utf8.count) + digits
  }
}
