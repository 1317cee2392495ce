public import CreditBytes
internal import CreditSystem

/// The index, `index`: finds the line of a key and an account's newest line without the journal.
///
/// It is a cache of the journal; if there is any doubt about it, it is made again.
///
/// A key is a 64-bit hash (see ``hasher``). Its value is the offset of its newest line, or for an
/// account's name the account's number. Two keys can have one hash, and after a crash a slot can
/// point to a line that was never written, so a value counts only after a check with the journal.
/// Accounts are numbered from 0 in the order of their registration.
///
/// Requires the store's lock: exclusive to write, shared to read. A process calls ``prepare(for:)``
/// each time it has taken the lock, adds the journal's further lines, and only then looks keys up.
public final class IndexFile {
  public static let name = "index"

  /// The file's name: another one while it is being made, nil for a file without a name.
  private(set) var fileName: String?
  let directory: StoreDirectory
  let bootID: BootID

  let isWritable: Bool

  // Exclusivity is unchecked: one thread at a time, and no callee reaches back.
  @exclusivity(unchecked) private(set) var mapping: MappedFile
  private(set) var layout: IndexLayout
  @exclusivity(unchecked) var tables: IndexTables

  /// The hash of this index's keys. It changes if ``prepare(for:)`` has to start again.
  @exclusivity(unchecked) public private(set) var hasher: KeyHasher

  /// How much journal may come before the index is synced: after a restart of the machine it may
  /// have to be read again. Nil if that follows from the index's size.
  var checkpointByteCount: Int?

  /// True to set many keys in the order of their slots: only a few pages of a large file are then
  /// in memory at a time.
  var sparesMemory = false

  /// Whether it was opened under the lock that this process still has.
  var isNew = true

  /// Whether restarts of the machine can be detected.
  let knowsBoot: Bool

  /// Accounts and slots may hold more that the header does not cover yet.
  var header: IndexHeader

  public internal(set) var accountCount = 0

  /// Opens the index of a store for writing, or makes one if no usable one exists.
  /// Requires the exclusive lock.
  /// - Throws: ``StoreFault/system(_:)``, ``StoreFault/unexpectedFile(name:kind:)``.
  public convenience init(updatingIn directory: StoreDirectory) throws(StoreFault) {
    try self.init(Self.openOrCreate(in: directory), Self.name, directory, isWritable: true)
  }

  /// Makes an empty index under a name of its own, beside the store's index.
  convenience init(making name: String, in directory: StoreDirectory) throws(StoreFault) {
    try self.init(Self.create(name, in: directory), name, directory, isWritable: true)
  }

  /// Makes an empty index for this process alone, in a file without a name.
  convenience init(namelessIn directory: StoreDirectory) throws(StoreFault) {
    try self.init(Self.create(nil, in: directory), nil, directory, isWritable: true)
  }

  /// Opens the index of a store for reading. Requires the lock.
  /// - Throws: ``StoreFault/indexUnusable(_:)`` if the caller has to do without;
  ///   ``StoreFault/system(_:)``, ``StoreFault/unexpectedFile(name:kind:)``.
  public convenience init(
    readingIn directory: StoreDirectory, named name: String = IndexFile.name
  ) throws(StoreFault) {
    let mapping = try Self.open(name, in: directory, writable: false)
    try self.init(mapping, name, directory, isWritable: false)
  }

  private init(
    _ mapping: consuming MappedFile, _ name: String?, _ directory: StoreDirectory, isWritable: Bool
  ) throws(StoreFault) {
    let memory = mapping.memory
    guard let layout = IndexLayout(of: memory) else { throw .indexUnusable("it is not an index") }
    fileName = name
    self.directory = directory
    self.isWritable = isWritable
    let system = directory.system
    let knownBoot = system.bootID()
    knowsBoot = knownBoot != nil
    // An unknown boot differs from every other: entries that are not on disk are read again.
    bootID = knownBoot ?? BootID(high: system.randomWord(), low: system.randomWord())
    tables = IndexTables(in: memory, layout)
    hasher = KeyHasher(seed: layout.seed)
    header = IndexHeader.newest(in: memory, layout) ?? .nothing(bootID)
    self.layout = layout
    self.mapping = mapping
  }

  func claim(_ journal: JournalFile) throws(StoreFault) {
    if layout.journal?.first != nil { return }
    layout.journal = try journal.fullIdentity()
    layout.store(into: mapping.memory)
  }

  func adopt(_ mapping: consuming MappedFile, _ layout: IndexLayout) {
    tables = IndexTables(in: mapping.memory, layout)
    hasher = KeyHasher(seed: layout.seed)
    self.layout = layout
    self.mapping = mapping
  }

  struct Version: Equatable {
    let identity: FileStatus.Identity
    let sequence: UInt64
  }

  var version: Version { Version(identity: mapping.identity, sequence: header.sequence) }

  /// Whether the file still has its name.
  func isNamed() throws(StoreFault) -> Bool {
    guard let fileName else { return false }
    return try directory.status(of: fileName)?.identity == mapping.identity
  }

  func rename(to name: String) throws(StoreFault) {
    guard let fileName else { return }
    try directory.rename(fileName, to: name)
    self.fileName = name
  }

  var recordCount: Int { header.covered.recordCount }

  /// Whether a damaged page was found. Look-ups since ``prepare(for:)`` are invalid then;
  /// ``reset()`` repairs it.
  public var isDamaged: Bool { tables.isDamaged }

  /// Looks a key up.
  /// - Parameter matches: whether the journal has the key at a value, which can be any number.
  /// - Returns: the key's value; nil if the index has none, or if ``isDamaged``.
  @inline(__always)
  public func lookup<Failure>(
    _ hash: UInt64, where matches: (Int) throws(Failure) -> Bool
  ) throws(Failure) -> Int? {
    var run = SlotRun(hash)
    while let value = tables.next(of: &run) {
      if try matches(value) { return value }
    }
    return nil
  }

  /// Returns the offset of an account's newest line; nil if no account has the number, or if
  /// ``isDamaged``.
  public func accountOffset(_ number: Int) -> Int? {
    guard number >= 0, number < accountCount else { return nil }
    return tables.account(number).map { Int(truncatingIfNeeded: $0) }
  }

  /// Whether the index may belong to a journal that may be shortened. An index without an identity
  /// may be any journal's: that loses nothing.
  func mayBelong(to journal: JournalFile) throws(StoreFault) -> Bool {
    guard let known = layout.journal, let identity = try journal.fullIdentity() else { return true }
    if known.createdAt != identity.createdAt { return false }
    return known.first == nil || identity.first == nil || known.first == identity.first
  }

  /// Returns the offset of an account's newest line by the hash of its name, or nil. The journal
  /// may have lost that line.
  func newestOffset(ofAccount hash: UInt64) -> Int? {
    let number = lookup(hash) { $0 < header.covered.accountCount }
    return number.flatMap { tables.account($0) }.map { Int(truncatingIfNeeded: $0) }
  }

  /// Calls `body` with the offsets of accounts' newest lines, up to damage.
  @inline(__always)
  func forEachAccountOffset(from first: Int, _ body: (Int) -> Void) {
    for number in first..<accountCount {
      guard let value = tables.account(number) else { return }
      body(Int(truncatingIfNeeded: value))
    }
  }

  /// Adds an account, for which there must be room.
  func appendAccount(_ offset: Int) {
    tables.setAccount(accountCount, UInt64(offset))
    accountCount += 1
  }

  /// Sets the offset of an account's newest line.
  func setAccountOffset(_ number: Int, _ offset: Int) {
    guard number >= 0, number < accountCount else { return }
    tables.setAccount(number, UInt64(offset))
  }

  /// Whether the entries and their pages' sums may differ. It is in the file, so that it survives a
  /// killed process.
  var isChanging: Bool {
    get {
      Bytes(mapping.memory).loadUnaligned(
        fromByteOffset: IndexLayout.changingOffset, as: UInt64.self) != 0
    }
    set {
      mapping.memory.storeBytes(
        of: newValue ? 1 : 0, toByteOffset: IndexLayout.changingOffset, as: UInt64.self)
    }
  }

  private static let partBits = 12
  /// Number of slots after which their memory is released: 16 MiB of them.
  private static let blockSlotCount = 1 << 20

  /// Sets many keys, part by part of the slots; within a part in their own order.
  /// - Parameter isOlder: see ``commit(_:of:to:isSynced:isOlder:)``.
  func setInOrder(
    _ keys: borrowing Rows<PendingIndex.KeyChange>,
    isOlder: (Int, PendingIndex.KeyChange) throws(StoreFault) -> Bool
  ) throws(StoreFault) {
    let mask = UInt64(tables.mask)
    let shift = UInt64(max(0, mask.bitWidth - mask.leadingZeroBitCount - Self.partBits))
    var order = ContiguousArray<UInt32>(repeating: 0, count: keys.count)
    PartOrder.forEach(of: keys.count, partCount: 1 << Self.partBits) {
      Int((keys[$0].hash & mask) >> shift)
    } _: {
      order[$1] = UInt32($0)
    }
    var released = 0
    for number in order {
      let key = keys[Int(number)]
      let place = Int(key.hash & mask)
      if layout.isLarge && place - released >= 2 * Self.blockSlotCount {
        release(slots: released..<released + Self.blockSlotCount)
        released += Self.blockSlotCount
      }
      let isSet = try tables.set(key) { (value) throws(StoreFault) in try isOlder(value, key) }
      if !isSet { throw .indexUnusable("it is full") }
    }
    releaseMemory()
  }

  /// Releases the memory of look-ups, each of which can make the system map 2 MiB.
  func releaseMemory() {
    if sparesMemory && layout.isLarge { release(slots: 0..<layout.slotCapacity) }
  }

  /// Releases the memory of slots, which counts as this process's while they are mapped.
  func release(slots: Range<Int>) {
    let start = layout.slotsOffset + MemoryLayout<IndexSlot>.stride * slots.lowerBound
    let end = start + MemoryLayout<IndexSlot>.stride * slots.count
    mapping.file.system.release(MutableBytes(rebasing: mapping.memory[start..<end]))
  }
}

extension IndexHeader {
  static func nothing(_ boot: BootID) -> IndexHeader {
    IndexHeader(sequence: 1, boot: boot, covered: .none, checkpoint: .none)
  }
}

/// Sorts elements by the parts that they are in; within a part they keep their order. It counts,
/// because comparing takes longer.
enum PartOrder {
  /// Calls `body` with the number of each element and its place in the order.
  /// - Parameter part: the part of an element by its number, below `partCount`.
  @inline(__always)
  static func forEach(
    of count: Int, partCount: Int, part: (Int) -> Int, _ body: (_ number: Int, _ place: Int) -> Void
  ) {
    var starts = ContiguousArray(repeating: 0, count: partCount + 1)
    for number in 0..<count { starts[part(number) + 1] += 1 }
    for part in starts.indices.dropFirst() { starts[part] += starts[part - 1] }
    for number in 0..<count {
      let part = part(number)
      body(number, starts[part])
      starts[part] += 1
    }
  }
}
