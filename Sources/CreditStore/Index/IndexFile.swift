internal import CreditSystem

/// The index, `index`: finds the journal line of a key, and the newest line of an account, without
/// reading the journal. It holds nothing that the journal does not; any doubt about it ends in a
/// new one.
///
/// A key is a 64-bit hash (see ``hasher``) and has a value: the offset of its newest line, or for
/// an account's name the account's number. Two keys can have one hash, and after a crash a slot can
/// say what never came about, so a value counts only after it was held against the journal.
/// Accounts are numbered from 0 in the order they were registered in.
///
/// Under the store's lock: exclusive to write, shared to read. A process calls
/// ``prepare(for:)`` each time it has taken the lock, adds what the journal has beyond that, and
/// only then looks keys up.
package final class IndexFile {
  package static let name = "index"

  /// What the file is called: another name while it is being made, nil for one that goes with this
  /// process.
  private(set) var fileName: String?
  let directory: StoreDirectory
  let bootID: BootID

  /// Whether this process may write the index.
  let isWritable: Bool

  private(set) var mapping: MappedFile
  private(set) var layout: IndexLayout
  var tables: IndexTables

  /// The hash of this index's keys. It is another one after ``prepare(for:)`` had to start again.
  package private(set) var hasher: KeyHasher

  /// After how much journal the index is brought to disk, which is what may have to be read again
  /// after a start of the machine; nil for what becomes its size.
  var checkpointByteCount: Int?

  /// Whether keys are set in the order of their slots, so that a few pages of the file are in
  /// memory at a time: for many keys at once.
  var sparesMemory = false

  /// Whether the system tells one start of the machine from another.
  let knowsBoot: Bool

  /// What the header says; accounts and slots may hold more that is not recorded yet.
  var record: IndexRecord

  /// The number of accounts.
  package internal(set) var accountCount = 0

  /// Opens the index of a store, for a process that may write it: makes one where there is none, or
  /// none that can be used. Under the exclusive lock.
  /// - Throws: ``StoreFault/system(_:)``, ``StoreFault/unexpectedFile(name:kind:)``.
  package convenience init(updatingIn directory: StoreDirectory) throws(StoreFault) {
    try self.init(Self.openOrCreate(in: directory), Self.name, directory, isWritable: true)
  }

  /// Makes an index that holds nothing, under a name of its own, beside that of the store.
  /// - Throws: ``StoreFault/system(_:)``.
  convenience init(making name: String, in directory: StoreDirectory) throws(StoreFault) {
    try self.init(Self.create(name, in: directory), name, directory, isWritable: true)
  }

  /// Makes an index that holds nothing, for this process alone: the file has no name, and goes with
  /// the process.
  /// - Throws: ``StoreFault/system(_:)``.
  convenience init(namelessIn directory: StoreDirectory) throws(StoreFault) {
    try self.init(Self.create(nil, in: directory), nil, directory, isWritable: true)
  }

  /// Opens the index of a store, to look up in only. Under the lock.
  /// - Throws: ``StoreFault/indexUnusable(_:)`` where the caller has to do without;
  ///   ``StoreFault/system(_:)``, ``StoreFault/unexpectedFile(name:kind:)``.
  package convenience init(
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
    // An unknown start of the machine is like no other: what is not on disk is read again.
    bootID = knownBoot ?? BootID(high: system.randomWord(), low: system.randomWord())
    tables = IndexTables(in: memory, layout)
    hasher = KeyHasher(seed: layout.seed)
    record = IndexRecord.newest(in: memory, layout) ?? .nothing(bootID)
    self.layout = layout
    self.mapping = mapping
  }

  /// Says in the file whose index it is. The file is of one journal from its first commit on.
  func claim(_ journal: JournalFile) throws(StoreFault) {
    if layout.journal?.first != nil { return }
    layout.journal = try journal.fullIdentity()
    layout.store(into: mapping.memory)
  }

  /// Goes over to another file.
  func adopt(_ mapping: consuming MappedFile, _ layout: IndexLayout) {
    tables = IndexTables(in: mapping.memory, layout)
    hasher = KeyHasher(seed: layout.seed)
    self.layout = layout
    self.mapping = mapping
  }

  /// Which state of which file this is.
  struct Version: Equatable {
    let identity: FileStatus.Identity
    let sequence: UInt64
  }

  var version: Version { Version(identity: mapping.identity, sequence: record.sequence) }

  /// Whether the file still has its name.
  var isNamed: Bool {
    get throws(StoreFault) {
      guard let fileName else { return false }
      return try directory.status(of: fileName)?.identity == mapping.identity
    }
  }

  /// Gives the file another name.
  func rename(to name: String) throws(StoreFault) {
    guard let fileName else { return }
    try directory.rename(fileName, to: name)
    self.fileName = name
  }

  /// How many records there are in what the index holds.
  var recordCount: Int { record.covered.recordCount }

  /// Whether a damaged page was met with. What has been looked up since the index was prepared does
  /// not hold then; ``reset()`` is the way on.
  package var isDamaged: Bool { tables.isDamaged }

  /// Looks a key up.
  /// - Parameter matches: whether the key of a value, read from the journal, is the one looked for.
  ///   A value can be any number.
  /// - Returns: the key's value; nil where the index has none, or ``isDamaged``.
  /// - Throws: what `matches` throws.
  @inline(__always)
  package func lookup<Failure>(
    _ hash: UInt64, where matches: (Int) throws(Failure) -> Bool
  ) throws(Failure) -> Int? {
    var run = SlotRun(hash)
    while let value = tables.next(of: &run) {
      if try matches(value) { return value }
    }
    return nil
  }

  /// The offset of an account's newest line; nil where there is no account of that number, or
  /// ``isDamaged``.
  package func accountOffset(_ number: Int) -> Int? {
    guard number >= 0, number < accountCount else { return nil }
    return tables.account(number).map { Int(truncatingIfNeeded: $0) }
  }

  /// Whether a journal may be that of the index, however much of it is left. An index that does not
  /// say whose it is may be any journal's: nothing is lost by that.
  func mayBe(of journal: JournalFile) throws(StoreFault) -> Bool {
    guard let known = layout.journal, let identity = try journal.fullIdentity() else { return true }
    if known.createdAt != identity.createdAt { return false }
    return known.first == nil || identity.first == nil || known.first == identity.first
  }

  /// Where an account's newest line was, by the hash of its name, in a journal that may have lost
  /// it; nil where the index has no such account.
  func newestOffset(ofAccount hash: UInt64) -> Int? {
    let number = lookup(hash) { $0 < record.covered.accountCount }
    return number.flatMap { tables.account($0) }.map { Int(truncatingIfNeeded: $0) }
  }

  /// Calls `body` with the offsets of accounts' newest lines from a number on, up to damage.
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

  /// Whether the entries and their pages' sums may differ, said in the file, so that a killed
  /// process leaves word of it.
  var isChanging: Bool {
    get { mapping.memory.load(fromByteOffset: IndexLayout.changingOffset, as: UInt64.self) != 0 }
    set {
      mapping.memory.storeBytes(
        of: newValue ? 1 : 0, toByteOffset: IndexLayout.changingOffset, as: UInt64.self)
    }
  }
}

extension IndexRecord {
  /// The record of an index that holds nothing.
  static func nothing(_ boot: BootID) -> IndexRecord {
    IndexRecord(sequence: 1, boot: boot, covered: .none, checkpoint: .none)
  }
}

extension IndexFile {
  /// Into how many parts the slots are divided.
  private static let partBits = 12
  /// How many slots are passed before their memory is given back: 16 MiB of them.
  private static let blockSlotCount = 1 << 20

  /// Sets many keys, part by part of the slots, those of one part in their order.
  func setInOrder(_ keys: ContiguousArray<PendingIndex.KeyChange>) throws(StoreFault) {
    let mask = UInt64(tables.mask)
    let shift = UInt64(max(0, mask.bitWidth - mask.leadingZeroBitCount - Self.partBits))
    let order = PartOrder.numbers(of: keys.count, partCount: 1 << Self.partBits) {
      Int((keys[$0].hash & mask) >> shift)
    }
    var released = 0
    for number in order {
      let key = keys[Int(number)]
      let place = Int(key.hash & mask)
      if place - released >= 2 * Self.blockSlotCount {
        release(slots: released..<released + Self.blockSlotCount)
        released += Self.blockSlotCount
      }
      guard tables.set(key) else { throw .indexUnusable("it is full") }
    }
  }

  /// Gives back the memory of look-ups, each of which can have the system map 2 MiB.
  func spareMemory() {
    if sparesMemory { release(slots: 0..<layout.slotCapacity) }
  }

  /// Gives back the memory of slots, which counts as this process's while they are mapped.
  func release(slots: Range<Int>) {
    let start = layout.slotsOffset + MemoryLayout<IndexSlot>.stride * slots.lowerBound
    let end = start + MemoryLayout<IndexSlot>.stride * slots.count
    mapping.file.system.release(
      UnsafeMutableRawBufferPointer(rebasing: mapping.memory[start..<end]))
  }
}

/// Puts things in the order of the parts that they are in, those of one part in their own order:
/// counted, as to compare them takes longer.
enum PartOrder {
  /// The numbers of the things.
  /// - Parameter part: the part of a thing by its number, below `partCount`.
  @inline(__always)
  static func numbers(of count: Int, partCount: Int, part: (Int) -> Int)
    -> ContiguousArray<UInt32>
  {
    var order = ContiguousArray<UInt32>(repeating: 0, count: count)
    forEach(of: count, partCount: partCount, part: part) { order[$1] = UInt32($0) }
    return order
  }

  /// Calls `body` with the number of each thing and its place in the order.
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
