internal import CreditModel

/// Layout of an index file: header, sums of pages, table of accounts, slots.
///
/// The header has 4096 bytes. Each further page has a sum of 8 bytes, each account 8 bytes, each
/// slot 16 bytes. Numbers have the machine's byte order: the file never leaves it.
struct IndexLayout: Equatable {
  /// The beginning of the file; it differs for another version or byte order.
  private static let magic: UInt64 = 0x3564_6943_7264_7843

  static var beginning: [UInt8] { [magic].span.withBytes { [UInt8]($0) } }

  static let headerByteCount = 4096
  static let capacityLimit = 1 << 32

  static let headerOffsets = [128, 256]

  /// Offset of the number of slots in use in the header.
  static let slotCountOffset = 384

  /// Offset of a number that is not 0 while entries and their pages' sums may differ: a process is
  /// changing them, or was killed while it did.
  static let changingOffset = 392

  private static let pageByteCount = 4096

  /// The most accounts that fit into the file.
  var accountCapacity: Int

  /// Number of slots, a power of two.
  var slotCapacity: Int

  /// The secret with which keys are hashed.
  var seed: (UInt64, UInt64)

  /// The journal of the index; nil until the file names it. Earlier versions erase it.
  var journal: JournalIdentity?

  init(seed: (UInt64, UInt64)) {
    accountCapacity = IndexTables.accountsPerPage
    slotCapacity = 1024
    self.seed = seed
  }

  var accountPageCount: Int {
    (accountCapacity + IndexTables.accountsPerPage - 1) / IndexTables.accountsPerPage
  }

  var pageCount: Int {
    accountPageCount + (slotCapacity + IndexTables.slotsPerPage - 1) / IndexTables.slotsPerPage
  }

  var accountsOffset: Int {
    let sumsByteCount = (8 * pageCount + Self.pageByteCount - 1) / Self.pageByteCount
    return Self.headerByteCount + sumsByteCount * Self.pageByteCount
  }

  var slotsOffset: Int { accountsOffset + accountPageCount * Self.pageByteCount }

  var byteCount: Int { slotsOffset + 16 * slotCapacity }

  /// True if the slots take more than 64 MiB: too much at once, if memory is to be spared.
  var isLarge: Bool { slotCapacity > 1 << 22 }

  /// Reads the layout from a file's bytes.
  /// - Returns: nil unless it is that of a file of exactly this length.
  init?(of memory: MutableBytes) {
    guard memory.count >= Self.headerByteCount else { return nil }
    let words = HeaderWords(memory)
    guard words[0] == Self.magic, words[5] == words.checksum(ofFirst: 5),
      words[1] <= Self.capacityLimit, words[2] <= Self.capacityLimit,
      words[1] >= 1, words[2] >= 16, words[2].nonzeroBitCount == 1
    else { return nil }
    accountCapacity = Int(words[1])
    slotCapacity = Int(words[2])
    seed = (words[3], words[4])
    // It is behind the checksum that earlier versions write, with one of its own.
    if words[8] == words.checksum(ofFirst: 8) {
      journal = JournalIdentity(
        createdAt: Timestamp(milliseconds: Int64(bitPattern: words[6])),
        first: words[7] == 0 ? nil : UInt32(truncatingIfNeeded: words[7]))
    }
    guard byteCount == memory.count else { return nil }
  }

  func store(into memory: MutableBytes) {
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

struct IndexSlot {
  var hash: UInt64

  /// The key's value plus one; 0 if the slot is free.
  var stored: UInt64
}
