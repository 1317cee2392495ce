internal import CreditModel

/// Where things are in an index file: a header of 4096 bytes, a sum for each page of what follows
/// (8 bytes each), the table of accounts (8 bytes each), the slots (16 bytes each). Numbers have
/// the machine's byte order: the file never leaves it.
struct IndexLayout: Equatable {
  /// What the file begins with; another version or byte order begins otherwise.
  private static let magic: UInt64 = 0x3564_6943_7264_7843

  /// The file's first bytes.
  static var beginning: [UInt8] { [magic].span.withUnsafeBytes { [UInt8]($0) } }

  static let headerByteCount = 4096
  static let capacityLimit = 1 << 32

  /// Where the header's two copies of ``IndexRecord`` start.
  static let recordOffsets = [128, 256]

  /// Where the header counts the slots in use.
  static let slotCountOffset = 384

  /// Where the header says, by a number that is not 0, that entries and their pages' sums may
  /// differ: a process is changing them, or was killed while it did.
  static let changingOffset = 392

  private static let pageByteCount = 4096

  /// How many accounts the file has room for.
  var accountCapacity: Int

  /// How many slots there are, a power of two.
  var slotCapacity: Int

  /// The key that keys are hashed with.
  var seed: (UInt64, UInt64)

  /// The journal that the index is of; nil as long as the file does not say so. Earlier versions
  /// have it say nothing.
  var journal: JournalIdentity?

  /// The layout of a fresh index.
  init(seed: (UInt64, UInt64)) {
    accountCapacity = IndexTables.accountsPerPage
    slotCapacity = 1024
    self.seed = seed
  }

  /// The pages of the table of accounts.
  var accountPageCount: Int {
    (accountCapacity + IndexTables.accountsPerPage - 1) / IndexTables.accountsPerPage
  }

  /// The pages of both tables.
  var pageCount: Int {
    accountPageCount + (slotCapacity + IndexTables.slotsPerPage - 1) / IndexTables.slotsPerPage
  }

  /// Where the accounts start, behind the sums, which fill whole pages.
  var accountsOffset: Int {
    let sumsByteCount = (8 * pageCount + Self.pageByteCount - 1) / Self.pageByteCount
    return Self.headerByteCount + sumsByteCount * Self.pageByteCount
  }

  /// Where the slots start.
  var slotsOffset: Int { accountsOffset + accountPageCount * Self.pageByteCount }

  /// The file's length.
  var byteCount: Int { slotsOffset + 16 * slotCapacity }

  /// How many slots may be in use: three fifths, so that a search ends soon.
  var slotLimit: Int { slotCapacity / 5 * 3 }

  /// Reads the layout from a file's bytes.
  /// - Returns: nil unless it is that of a file of exactly this length.
  init?(of memory: UnsafeMutableRawBufferPointer) {
    guard memory.count >= Self.headerByteCount else { return nil }
    let words = HeaderWords(memory)
    guard words[0] == Self.magic, words[5] == words.checksum(ofFirst: 5),
      words[1] <= Self.capacityLimit, words[2] <= Self.capacityLimit,
      words[1] >= 1, words[2] >= 16, words[2].nonzeroBitCount == 1
    else { return nil }
    accountCapacity = Int(words[1])
    slotCapacity = Int(words[2])
    seed = (words[3], words[4])
    // Behind the checksum of what earlier versions write, with one of its own.
    if words[8] == words.checksum(ofFirst: 8) {
      journal = JournalIdentity(
        createdAt: Timestamp(milliseconds: Int64(bitPattern: words[6])),
        first: words[7] == 0 ? nil : UInt32(truncatingIfNeeded: words[7]))
    }
    guard byteCount == memory.count else { return nil }
  }

  /// Writes the layout into a file's bytes.
  func store(into memory: UnsafeMutableRawBufferPointer) {
    let words = HeaderWords(memory)
    words[0] = Self.magic
    words[1] = UInt64(accountCapacity)
    words[2] = UInt64(slotCapacity)
    words[3] = seed.0
    words[4] = seed.1
    words[5] = words.checksum(ofFirst: 5)
    guard let journal else { return }
    words[6] = UInt64(bitPattern: journal.createdAt.milliseconds)
    words[7] = journal.first.map { 1 << 32 | UInt64($0) } ?? 0
    words[8] = words.checksum(ofFirst: 8)
  }

  static func == (left: IndexLayout, right: IndexLayout) -> Bool {
    left.accountCapacity == right.accountCapacity && left.slotCapacity == right.slotCapacity
      && left.seed == right.seed
  }
}

/// One place for a key.
struct IndexSlot {
  /// The key's hash.
  var hash: UInt64

  /// The key's value plus one; 0 where the slot is free.
  var stored: UInt64
}
