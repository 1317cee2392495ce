internal import CreditModel

/// SipHash-1-3 (Aumasson and Bernstein): a keyed 64-bit hash. So users cannot choose account names
/// or keys that all share one place of the index.
package struct SipHash13 {
  private var v0: UInt64
  private var v1: UInt64
  private var v2: UInt64
  private var v3: UInt64

  /// The bytes that do not make a whole word yet, lowest first.
  private var tail: UInt64 = 0
  private var byteCount = 0

  /// Starts a hash with a 128-bit key.
  package init(key: (UInt64, UInt64)) {
    v0 = key.0 ^ 0x736f_6d65_7073_6575
    v1 = key.1 ^ 0x646f_7261_6e64_6f6d
    v2 = key.0 ^ 0x6c79_6765_6e65_7261
    v3 = key.1 ^ 0x7465_6462_7974_6573
  }

  /// Takes 8 bytes, the lowest first; requires that the bytes so far are a multiple of 8.
  @inline(__always)
  private mutating func compress(_ word: UInt64) {
    v3 ^= word
    round()
    v0 ^= word
  }

  /// Takes further bytes.
  @inline(__always)
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
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
  private static func rest(of bytes: UnsafeRawBufferPointer, count: Int) -> UInt64 {
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
  package mutating func append(_ word: UInt64) {
    let shift = UInt64(byteCount & 7) * 8
    byteCount &+= 8
    compress(tail | word &<< shift)
    tail = shift == 0 ? 0 : word &>> (64 &- shift)
  }

  /// Returns the hash of all bytes.
  @inline(__always)
  package consuming func finalize() -> UInt64 {
    compress(tail | UInt64(truncatingIfNeeded: byteCount) << 56)
    v2 ^= 0xFF
    round()
    round()
    round()
    return v0 ^ v1 ^ v2 ^ v3
  }

  @inline(__always)
  private mutating func round() {
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
  private func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 {
    word &<< count | word &>> (64 &- count)
  }
}

/// Hashes the keys of one index.
package struct KeyHasher: Sendable {
  private let seed0: UInt64
  private let seed1: UInt64

  package init(seed: (UInt64, UInt64)) {
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
  package func hash(
    domain: UInt8, _ first: UnsafeRawBufferPointer,
    _ second: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
  ) -> UInt64 {
    var hash = SipHash13(key: (seed0, seed1))
    hash.append(UInt64(domain) | UInt64(truncatingIfNeeded: first.count) << 8)
    hash.append(first)
    hash.append(second)
    return hash.finalize()
  }

  package func hash(domain: UInt8, _ text: String) -> UInt64 {
    text.withUTF8Bytes { hash(domain: domain, $0) }
  }

  /// Returns the hash of a key of two texts, by their UTF-8.
  package func hash(domain: UInt8, _ first: String, _ second: String) -> UInt64 {
    first.withUTF8Bytes { first in
      second.withUTF8Bytes { second in hash(domain: domain, first, second) }
    }
  }
}

extension RecordKey {
  /// A number that identifies the kind of key.
  var kind: UInt8 {
    switch self {
    case .account: 1
    case .authorization: 2
    case .transaction: 3
    case .chargeKey: 4
    case .topUpKey: 5
    case .transferKey: 6
    case .payment: 7
    }
  }

  /// Returns the hash by which the index finds it.
  func hash(_ hasher: KeyHasher) -> UInt64 {
    switch self {
    case .account(let name): name.text.withUTF8Bytes { hasher.account($0) }
    case .authorization(let id): id.text.withUTF8Bytes { hasher.authorization($0) }
    case .transaction(let id): id.text.withUTF8Bytes { hasher.transaction($0) }
    case .chargeKey(let account, let key):
      account.text.withUTF8Bytes { account in
        key.text.withUTF8Bytes { hasher.chargeKey($0, of: account) }
      }
    case .topUpKey(let account, let key):
      account.text.withUTF8Bytes { account in
        key.text.withUTF8Bytes { hasher.topUpKey($0, of: account) }
      }
    case .transferKey(let account, let key): hasher.hash(domain: 6, account.text, key.text)
    case .payment(let id): hasher.hash(domain: 7, id.text)
    }
  }
}

// The hashes of keys that are given as their bytes.
extension KeyHasher {
  @inline(__always)
  func account(_ name: UnsafeRawBufferPointer) -> UInt64 { hash(domain: 1, name) }

  @inline(__always)
  func authorization(_ id: UnsafeRawBufferPointer) -> UInt64 { hash(domain: 2, id) }

  @inline(__always)
  func transaction(_ id: UnsafeRawBufferPointer) -> UInt64 { hash(domain: 3, id) }

  @inline(__always)
  func topUpKey(_ key: UnsafeRawBufferPointer, of account: UnsafeRawBufferPointer) -> UInt64 {
    hash(domain: 5, account, key)
  }

  @inline(__always)
  func chargeKey(_ key: UnsafeRawBufferPointer, of account: UnsafeRawBufferPointer) -> UInt64 {
    hash(domain: 4, account, key)
  }
}
