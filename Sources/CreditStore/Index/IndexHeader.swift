internal import CreditModel
internal import CreditSystem

struct IndexCoverage: Equatable {
  /// Length of that part, in bytes: whole lines from the journal's start.
  var length: Int

  var accountCount: Int

  var recordCount: Int

  /// Checksum of the last of these lines, which identifies the journal.
  var anchor: UInt32

  static let none = IndexCoverage(length: 0, accountCount: 0, recordCount: 0, anchor: 0)

  /// Returns the part of these lines that the journal lacks; nil if it is as long, or has all
  /// records. Lines of an incomplete batch that can be read are not missing.
  func shortened(_ journal: JournalFile) throws(StoreFault) -> ShortenedJournal? {
    guard length > journal.length else { return nil }
    let headerCount = journal.length == 0 ? 0 : 1
    let whole = try journal.lineCount(from: 0, to: journal.length) - headerCount
    let (sound, soundEnd) = try journal.soundLines(from: journal.length, to: length)
    let lost = recordCount - whole - sound
    guard lost > 0 else { return nil }
    return ShortenedJournal(
      offset: journal.length, soundEnd: soundEnd, indexedLength: length, lost: lost)
  }

  /// Whether the journal begins with these lines.
  func isOf(_ journal: JournalFile) throws(StoreFault) -> Bool {
    guard length <= journal.length else { return false }
    return try journal.anchor(at: length) == anchor
  }
}

/// State of an index. It has two copies, written in turn, so that one is whole if a process is
/// killed.
struct IndexHeader: Equatable {
  /// Counts the copies written: of two whole ones the higher is valid.
  var sequence: UInt64

  /// Boot of the machine during which the copy was written. After a restart the file's pages are
  /// a mixture of old and new, and only the checkpoint is reliable.
  var boot: BootID

  /// The lines covered as long as the machine runs.
  var covered: IndexCoverage

  /// The lines whose entries are on disk.
  var checkpoint: IndexCoverage

  /// The file for which that is true. A copy of it has the same bytes, and may not be on disk yet.
  var checkpointInode: UInt64 = 0

  /// Positions of the members, in words. The last one is the checksum.
  private enum Place {
    static let sequence = 0
    static let boot = 1
    static let covered = 3
    static let checkpoint = 7
    static let checkpointInode = 11
    static let checksum = 12
  }

  /// Reads the newer of the copies that are whole and possible.
  static func newest(in memory: MutableBytes, _ layout: IndexLayout) -> IndexHeader? {
    var newest: IndexHeader?
    for offset in IndexLayout.headerOffsets {
      guard let header = IndexHeader(HeaderWords(memory, from: offset), layout) else { continue }
      if let other = newest, other.sequence >= header.sequence { continue }
      newest = header
    }
    return newest
  }

  func store(into memory: MutableBytes) {
    let words = HeaderWords(memory, from: IndexLayout.headerOffsets[Int(sequence & 1)])
    words[Place.sequence] = sequence
    words[Place.boot] = boot.high
    words[Place.boot + 1] = boot.low
    covered.store(into: words, at: Place.covered)
    checkpoint.store(into: words, at: Place.checkpoint)
    words[Place.checkpointInode] = checkpointInode
    words[Place.checksum] = words.checksum(ofFirst: Place.checksum)
  }
}

extension IndexHeader {
  private init?(_ words: HeaderWords, _ layout: IndexLayout) {
    guard words[Place.checksum] == words.checksum(ofFirst: Place.checksum),
      let covered = IndexCoverage(words, at: Place.covered, layout),
      let checkpoint = IndexCoverage(words, at: Place.checkpoint, layout)
    else { return nil }
    self.init(
      sequence: words[Place.sequence],
      boot: BootID(high: words[Place.boot], low: words[Place.boot + 1]), covered: covered,
      checkpoint: checkpoint, checkpointInode: words[Place.checkpointInode])
  }
}

extension IndexCoverage {
  fileprivate func store(into words: HeaderWords, at place: Int) {
    words[place] = UInt64(length)
    words[place + 1] = UInt64(accountCount)
    words[place + 2] = UInt64(recordCount)
    words[place + 3] = UInt64(anchor)
  }

  fileprivate init?(_ words: HeaderWords, at place: Int, _ layout: IndexLayout) {
    guard let length = Int(exactly: words[place]),
      let accountCount = Int(exactly: words[place + 1]),
      let recordCount = Int(exactly: words[place + 2]),
      let anchor = UInt32(exactly: words[place + 3]),
      accountCount <= layout.accountCapacity
    else { return nil }
    self.init(length: length, accountCount: accountCount, recordCount: recordCount, anchor: anchor)
  }
}

/// Numbers of 64 bits in the header of an index file. Not an array of them: the runtime would make
/// a type for that at its first use, which costs 12,000 instructions in each run.
struct HeaderWords {
  private let memory: MutableBytes

  /// - Parameter offset: offset of the first number in the file's bytes.
  init(_ memory: MutableBytes, from offset: Int = 0) {
    self.memory = MutableBytes(rebasing: memory[offset...])
  }

  subscript(place: Int) -> UInt64 {
    get { Bytes(memory).loadUnaligned(fromByteOffset: 8 * place, as: UInt64.self) }
    nonmutating set { memory.storeBytes(of: newValue, toByteOffset: 8 * place, as: UInt64.self) }
  }

  /// Returns the checksum of the first numbers. Zeros do not match their checksum.
  func checksum(ofFirst count: Int) -> UInt64 {
    UInt64(CRC32C.checksum(Bytes(rebasing: memory[..<(8 * count)])))
  }
}
