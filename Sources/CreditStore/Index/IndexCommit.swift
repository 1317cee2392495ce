internal import CreditModel
internal import CreditSystem

extension IndexFile {
  /// Takes over the index as other processes left it. Requires the lock and a refreshed journal.
  ///
  /// A ``PendingIndex`` over this index must be empty. An index that belongs to another journal, or
  /// that is unreliable, is replaced by an empty one.
  /// - Returns: the offset from which on the index lacks the journal's lines.
  /// - Throws: ``StoreFault/system(_:)``; for a reader also ``StoreFault/indexUnusable(_:)``.
  public func prepare(for journal: JournalFile) throws(StoreFault) -> Int {
    do throws(StoreFault) {
      try followFile()
      return try takeUp(journal)
    } catch {
      guard isWritable, case .indexUnusable = error else { throw error }
      try reset()
      return 0
    }
  }

  /// Switches to the file that has the index's name now.
  private func followFile() throws(StoreFault) {
    guard let fileName, !isNew else {
      isNew = false
      return tables.forgetChecks()
    }
    let identity = mapping.identity
    if let status = try directory.status(of: fileName), status.identity == identity,
      status.byteCount == mapping.memory.count
    {
      tables.forgetChecks()
      return
    }
    let newer = try Self.open(fileName, in: directory, writable: isWritable)
    guard let layout = IndexLayout(of: newer.memory) else {
      throw .indexUnusable("it is not an index")
    }
    adopt(newer, layout)
  }

  private func takeUp(_ journal: JournalFile) throws(StoreFault) -> Int {
    guard let newest = IndexHeader.newest(in: mapping.memory, layout) else {
      throw .indexUnusable("it does not say what it covers")
    }
    let isSameBoot = newest.boot == bootID
    let isOnDisk = newest.checkpointInode == mapping.identity.inode
    let coverage = isSameBoot ? newest.covered : isOnDisk ? newest.checkpoint : .none
    // Lines that were never synced may have left slots that hide older ones.
    if !isSameBoot && coverage == .none && newest.covered != .none {
      throw .indexUnusable("it was never brought to disk")
    }
    if coverage.length > journal.length, try mayBelong(to: journal),
      let shortened = try coverage.shortened(journal)
    {
      throw .shortened(shortened)
    }
    guard try coverage.isOf(journal) else { throw .indexUnusable("it belongs to another journal") }
    guard 0...layout.slotCapacity ~= tables.slotCount else { throw .indexUnusable("it is garbled") }
    header = newest
    accountCount = coverage.accountCount
    // After a killed writer or a restart of the machine the sums are unreliable: a writer makes
    // them again, a reader ignores them.
    if isWritable, !isSameBoot || isChanging {
      tables.makeSums()
      isChanging = false
    } else if !isSameBoot || isChanging {
      tables.trust()
    }
    if !sparesMemory, !tables.checkMore() { throw .indexUnusable("it is damaged") }
    if isSameBoot { return coverage.length }
    header.boot = bootID
    header.covered = coverage
    if isWritable { tables.slotCount = tables.countedSlots() }
    return coverage.length
  }

  /// Makes all pages be checked against their sums again. Requires the lock.
  func recheck() {
    tables = IndexTables(in: mapping.memory, layout)
    if isChanging { tables.trust() }
  }

  /// Makes room for a batch before the journal is written.
  /// - Throws: ``StoreFault/system(_:)``, for example if the disk is full; the index is unchanged.
  public func reserve(for pending: PendingIndex) throws(StoreFault) {
    try reserve(
      accountCount: pending.appendedAccounts.count, slotCount: pending.keys.count,
      fillsFast: 8 * pending.keys.count >= layout.slotCapacity)
  }

  /// Adds `pending` to the index, and empties it. Requires the exclusive lock.
  ///
  /// If this fails, the journal is complete nevertheless, and the next ``prepare(for:)`` returns
  /// the offset from which to read it again.
  /// - Parameters:
  ///   - pending: the keys and accounts of all lines from the last commit up to `length`.
  ///   - length: how much of the journal the index then has.
  ///   - isSynced: true if that part of the journal is on disk.
  ///   - isOlder: whether a value in the file is an older one of a key. It is asked only if
  ///     ``sparesMemory``, for keys that have not been looked up.
  func commit(
    _ pending: PendingIndex, of journal: JournalFile, to length: Int, isSynced: Bool,
    isOlder: (Int, PendingIndex.KeyChange) throws(StoreFault) -> Bool = { _, _ in false }
  ) throws(StoreFault) {
    try reserve(for: pending)
    // The index is not used after a restart of the machine: the lines that it will point to may be
    // lost by then.
    if !isSynced, header.checkpoint != .none {
      header.checkpoint = .none
      storeHeader()
      try mapping.sync(byteCount: IndexLayout.headerByteCount)
    }
    guard let anchor = try journal.anchor(at: length) else {
      throw .indexUnusable("no line ends at \(length)")
    }
    try claim(journal)
    isChanging = true
    do throws(StoreFault) {
      if sparesMemory {
        try setInOrder(pending.keys, isOlder: isOlder)
      } else if !tables.set(pending.keys) {
        throw .indexUnusable("it is full")
      }
    } catch {
      try reset()
      throw error
    }
    for (number, offset) in zip(pending.changedAccounts, pending.changedOffsets) {
      setAccountOffset(number, offset)
    }
    for offset in pending.appendedAccounts { appendAccount(offset) }
    header.covered = IndexCoverage(
      length: length, accountCount: accountCount,
      recordCount: header.covered.recordCount + pending.recordCount, anchor: anchor)
    storeHeader()
    isChanging = false
    pending.removeAll()
    if isSynced && fileName != nil && length - header.checkpoint.length >= checkpointDistance {
      // The index works without it; only the next restart of the machine costs more.
      try? syncToDisk()
    }
  }

  /// How much journal may come before the index is synced again.
  ///
  /// A sync takes time in proportion to the index, as keys are spread over all of it, and the page
  /// faults of later changes as much again. So the disk gets no more of the index than of the
  /// journal, and less of a small one. After a restart the rest is read again, 128 MiB in a third
  /// of a second. If the restart cannot be detected, each process reads it, so the distance is
  /// small then.
  private var checkpointDistance: Int {
    checkpointByteCount
      ?? (knowsBoot ? max(128 << 20, layout.byteCount) : max(4 << 20, layout.byteCount / 2))
  }

  /// Syncs the entries. Without the lock, changes made meanwhile may be missing.
  func flush() throws(StoreFault) { try mapping.sync(byteCount: layout.byteCount) }

  func syncToDisk() throws(StoreFault) {
    try flush()
    header.checkpoint = header.covered
    header.checkpointInode = mapping.identity.inode
    storeHeader()
    try mapping.sync(byteCount: IndexLayout.headerByteCount)
  }

  private func storeHeader() {
    header.sequence += 1
    header.boot = bootID
    header.store(into: mapping.memory)
  }
}
