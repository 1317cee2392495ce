internal import CreditSystem

/// The first bytes of a catalog's index. Numbers have the machine's byte order: the file never
/// leaves it.
struct CatalogIndexHeader {
  static let byteCount = 128

  /// What the file begins with; another version or byte order begins otherwise.
  private static let magic: UInt64 = 0x3249_7443_6472_4378
  private static let wordCount = 8

  /// The file's first bytes.
  static var beginning: [UInt8] { [magic].bytes }

  /// The catalog's identity, length and time of change.
  private let catalog: [UInt64]
  private let seed: (UInt64, UInt64)
  /// A power of two.
  let slotCount: Int

  var hasher: KeyHasher { KeyHasher(seed: seed) }

  /// The header of a new index that at most half fills.
  init(of status: FileStatus, names: Int, seed: (UInt64, UInt64)) {
    catalog = status.words
    self.seed = seed
    var slotCount = 16
    while slotCount < 2 * names { slotCount *= 2 }
    self.slotCount = slotCount
  }

  /// Reads a header; nil unless it is one.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount, bytes.word(0) == Self.magic,
      bytes.word(Self.wordCount) == Self.checksum(bytes),
      let slotCount = Int(exactly: bytes.word(7)), slotCount > 0, slotCount <= 1 << 24,
      slotCount.nonzeroBitCount == 1
    else { return nil }
    catalog = (1...4).map { bytes.word($0) }
    seed = (bytes.word(5), bytes.word(6))
    self.slotCount = slotCount
  }

  /// Whether it is that of the catalog file as it is.
  func isOf(_ status: FileStatus) -> Bool { catalog == status.words }

  var bytes: [UInt8] {
    let words = [Self.magic] + catalog + [seed.0, seed.1, UInt64(slotCount)]
    var bytes = words.bytes
    bytes += [Self.checksum(bytes)].bytes
    return bytes + [UInt8](repeating: 0, count: Self.byteCount - bytes.count)
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt64 {
    bytes[..<(8 * wordCount)].checksum
  }
}
