internal import CreditModel
internal import CreditSystem

extension IndexFile {
  /// Below this number of slots (1 MiB) an index grows eightfold, as every growth copies it. Above
  /// it, its pages cost more than that, and it doubles.
  private static var smallSlotCapacity: Int { 1 << 16 }
  /// Below this number (4 MiB) it also grows eightfold if a stream fills it fast. Otherwise it
  /// would grow three times in a row.
  private static var fastSlotCapacity: Int { 1 << 18 }

  /// Ensures that a number of accounts and slots fits, by a larger file if necessary. No entry
  /// changes, so that this can fail before the journal is written.
  /// - Parameter fillsFast: true if as much again is likely to follow soon.
  /// - Throws: ``StoreFault/system(_:)``, for example if the disk is full.
  func reserve(
    accountCount more: Int, slotCount moreSlots: Int, fillsFast: Bool = false
  ) throws(StoreFault) {
    let limit = fillsFast ? Self.fastSlotCapacity : Self.smallSlotCapacity
    var target = layout
    while accountCount + more > target.accountCapacity { target.accountCapacity *= 2 }
    // At most three fifths of the slots are in use, so that a search ends soon.
    while tables.slotCount + moreSlots > target.slotCapacity / 5 * 3 {
      target.slotCapacity *= target.slotCapacity < limit ? 8 : 2
    }
    if target == layout { return }
    guard target.accountCapacity <= IndexLayout.capacityLimit,
      target.slotCapacity <= IndexLayout.capacityLimit
    else { throw .indexUnusable("it is full") }
    guard tables.checkAll() else { throw .indexUnusable("it is damaged") }
    // The new file is not on disk yet, even if the old one was.
    header.checkpoint = .none
    let header = self.header
    let larger = try Self.replace(
      fileName, in: directory, target, isPopulated: !sparesMemory || !target.isLarge
    ) { memory in
      let larger = IndexTables(in: memory, target)
      larger.startSums()
      larger.slotCount = tables.copyEntries(accountCount: accountCount, to: larger)
      header.store(into: memory)
    }
    adopt(larger, target)
    tables.trust(areMade: true)
  }

  /// Starts again with an empty index. Requires the exclusive lock.
  public func reset() throws(StoreFault) {
    let layout = Self.freshLayout(directory.system)
    let empty = IndexHeader.nothing(bootID)
    let mapping = try Self.replace(fileName, in: directory, layout) { memory in
      IndexTables(in: memory, layout).startSums()
      empty.store(into: memory)
    }
    header = empty
    accountCount = 0
    adopt(mapping, layout)
  }

  /// Opens the existing index.
  /// - Throws: ``StoreFault/indexUnusable(_:)`` if it is missing, or may not be used.
  static func open(
    _ name: String, in directory: StoreDirectory, writable: Bool
  ) throws(StoreFault) -> MappedFile {
    do throws(StoreFault) {
      let file = try directory.open(name, writable ? .update : .read)
      let byteCount = file.opened.byteCount
      guard byteCount > 0 else { throw .indexUnusable("it is empty") }
      return try MappedFile(file, byteCount, writable: writable)
    } catch {
      guard case .system(let reason) = error, error.isIgnorable else { throw error }
      throw .indexUnusable(reason.isMissing ? "there is none" : "\(reason)")
    }
  }

  /// Opens the existing index if it is usable, else makes an empty one.
  static func openOrCreate(in directory: StoreDirectory) throws(StoreFault) -> MappedFile {
    do throws(StoreFault) {
      let mapping = try open(name, in: directory, writable: true)
      if IndexLayout(of: mapping.memory) != nil { return mapping }
    } catch {
      guard case .indexUnusable = error else { throw error }
    }
    return try create(name, in: directory)
  }

  static func create(_ name: String?, in directory: StoreDirectory) throws(StoreFault)
    -> MappedFile
  {
    let layout = freshLayout(directory.system)
    return try replace(name, in: directory, layout) { memory in
      IndexTables(in: memory, layout).startSums()
      IndexHeader.nothing(BootID(high: 0, low: 0)).store(into: memory)
    }
  }

  private static func freshLayout(_ system: any SystemCalls) -> IndexLayout {
    IndexLayout(seed: (system.randomWord(), system.randomWord()))
  }

  /// Makes a file of a layout, fills it and gives it the index's name. It is not synced: if a power
  /// cut leaves it incomplete, it is rebuilt.
  private static func replace(
    _ name: String?, in directory: StoreDirectory, _ layout: IndexLayout,
    isPopulated: Bool = true, _ fill: (MutableBytes) -> Void
  ) throws(StoreFault) -> MappedFile {
    guard let name else { return try map(directory.openNameless(), layout, isPopulated, fill) }
    let temporaryName = name + ".new"
    // A killed process may have left one.
    try directory.removeFile(temporaryName)
    do throws(StoreFault) {
      let mapping = try map(directory.open(temporaryName, .create), layout, isPopulated, fill)
      try directory.rename(temporaryName, to: name)
      return mapping
    } catch {
      try? directory.removeFile(temporaryName)
      throw error
    }
  }

  private static func map(
    _ file: consuming FileDescriptor, _ layout: IndexLayout, _ isPopulated: Bool,
    _ fill: (MutableBytes) -> Void
  ) throws(StoreFault) -> MappedFile {
    let number = file.number
    let system = file.system
    try file.naming { () throws(SystemError) in try system.allocate(number, layout.byteCount) }
    let mapping = try MappedFile(file, layout.byteCount, writable: true)
    if isPopulated { system.prepareToWrite(number, mapping.memory) }
    fill(mapping.memory)
    layout.store(into: mapping.memory)
    return mapping
  }
}

struct MappedFile: ~Copyable {
  let file: FileDescriptor

  /// The file's bytes; read-only unless it was mapped for writing.
  let memory: MutableBytes

  var identity: FileStatus.Identity { file.opened.identity }

  /// Maps all of a file.
  /// - Throws: ``StoreFault/system(_:)``.
  init(_ file: consuming FileDescriptor, _ byteCount: Int, writable: Bool) throws(StoreFault) {
    let number = file.number
    let system = file.system
    memory = try file.naming { () throws(SystemError) in
      try system.map(number, byteCount, writable: writable)
    }
    self.file = file
  }

  deinit {
    file.system.unmap(memory)
  }

  func sync(byteCount: Int) throws(StoreFault) {
    let part = MutableBytes(rebasing: memory[..<byteCount])
    try file.naming { () throws(SystemError) in try file.system.syncMapping(part) }
  }
}
