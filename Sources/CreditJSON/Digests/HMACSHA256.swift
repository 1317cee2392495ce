/// A code that only those can make who know a secret (RFC 2104, with SHA-256).
package enum HMACSHA256 {
  /// The code of some bytes.
  /// - Parameter pieces: the bytes, one after the other.
  package static func code(of pieces: [[UInt8]], key: [UInt8]) -> [UInt8] {
    var key = key.count > SHA256.blockCount ? SHA256.digest(key) : key
    key += [UInt8](repeating: 0, count: SHA256.blockCount - key.count)
    let inner = SHA256.digest(key.map { $0 ^ 0x36 } + pieces.joined())
    return SHA256.digest(key.map { $0 ^ 0x5c } + inner)
  }

  /// Whether two codes are the same. How long it takes says nothing of where they differ.
  package static func isSame(_ code: [UInt8], as other: [UInt8]) -> Bool {
    guard code.count == other.count else { return false }
    var difference: UInt8 = 0
    for (left, right) in zip(code, other) { difference |= left ^ right }
    return difference == 0
  }
}
