internal import CreditSystem

/// How much of the journal an index holds.
struct IndexCoverage: Equatable {
  /// The first bytes of the journal, in whole lines.
  var length: Int

  /// The accounts that these lines registered.
  var accountCount: Int

  /// The records in these lines.
  var recordCount: Int

  /// The checksum of the last of these lines, to know the journal by.
  var anchor: UInt32

  /// Nothing at all.
  static let none = IndexCoverage(length: 0, accountCount: 0, recordCount: 0, anchor: 0)

  /// Whether the journal begins with these lines.
  func isOf(_ journal: JournalFile) throws(StoreFault) -> Bool {
    guard length <= journal.length else { return false }
    return try journal.anchor(at: length) == anchor
  }
}

/// What an index says of itself. The header has two copies, written in turn, so that one of them is
/// whole whenever a process is killed.
struct IndexRecord: Equatable {
  /// Counts the records written: of two whole copies the higher one holds.
  var sequence: UInt64

  /// The start of the machine during which the record was written. After another one what the
  /// file's pages hold is any mixture of old and new, and only the checkpoint can be relied on.
  var boot: BootID

  /// What the index holds as long as the machine runs.
  var covered: IndexCoverage

  /// What of it is on disk.
  var checkpoint: IndexCoverage

  /// The file of which that is true. A copy of it has the same bytes, and may be on no disk yet.
  var checkpointInode: UInt64 = 0

  private static let coverageWordCount = 4
  private static let wordCount = 4 + 2 * coverageWordCount

  /// Reads the newer one of the copies that are whole and possible.
  static func newest(
    in memory: UnsafeMutableRawBufferPointer, _ layout: IndexLayout
  ) -> IndexRecord? {
    let records = IndexLayout.recordOffsets.compactMap { offset in
      IndexRecord(UnsafeMutableRawBufferPointer(rebasing: memory[offset...]), layout)
    }
    return records.max { $0.sequence < $1.sequence }
  }

  /// Writes the record over the older copy.
  func store(into memory: UnsafeMutableRawBufferPointer) {
    let offset = IndexLayout.recordOffsets[Int(sequence & 1)]
    let part = UnsafeMutableRawBufferPointer(rebasing: memory[offset...])
    for (index, word) in words.enumerated() {
      part.storeBytes(of: word, toByteOffset: 8 * index, as: UInt64.self)
    }
    part.storeBytes(of: Self.checksum(of: part), toByteOffset: 8 * Self.wordCount, as: UInt64.self)
  }

  private var words: [UInt64] {
    var words = [sequence, boot.high, boot.low]
    words += covered.words
    words += checkpoint.words
    words.append(checkpointInode)
    return words
  }

  private static func checksum(of part: UnsafeMutableRawBufferPointer) -> UInt64 {
    // A record of zeros is none: its checksum is not 0.
    UInt64(CRC32C.checksum(UnsafeRawBufferPointer(rebasing: part[..<(8 * wordCount)])))
  }

  private init?(_ part: UnsafeMutableRawBufferPointer, _ layout: IndexLayout) {
    let words = (0...Self.wordCount).map { part.load(fromByteOffset: 8 * $0, as: UInt64.self) }
    guard words[Self.wordCount] == Self.checksum(of: part),
      let covered = IndexCoverage(words[3...].prefix(Self.coverageWordCount), layout),
      let checkpoint = IndexCoverage(
        words[3...].dropFirst(Self.coverageWordCount).prefix(Self.coverageWordCount), layout)
    else { return nil }
    self.init(
      sequence: words[0], boot: BootID(high: words[1], low: words[2]), covered: covered,
      checkpoint: checkpoint)
    checkpointInode = words[Self.wordCount - 1]
  }

  init(sequence: UInt64, boot: BootID, covered: IndexCoverage, checkpoint: IndexCoverage) {
    self.sequence = sequence
    self.boot = boot
    self.covered = covered
    self.checkpoint = checkpoint
  }
}

extension IndexCoverage {
  fileprivate var words: [UInt64] {
    [UInt64(length), UInt64(accountCount), UInt64(recordCount), UInt64(anchor)]
  }

  fileprivate init?(_ words: ArraySlice<UInt64>, _ layout: IndexLayout) {
    let words = Array(words)
    guard let length = Int(exactly: words[0]), let accountCount = Int(exactly: words[1]),
      let recordCount = Int(exactly: words[2]), let anchor = UInt32(exactly: words[3]),
      accountCount <= layout.accountCapacity
    else { return nil }
    self.init(
      length: length, accountCount: accountCount, recordCount: recordCount, anchor: anchor)
  }
}
