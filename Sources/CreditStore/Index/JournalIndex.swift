internal import CreditModel
internal import CreditSystem

/// The index of a journal in one process: the file, if usable, and the entries that it lacks.
///
/// Requires the store's lock, exclusive to write, shared to read. If the file cannot be read,
/// written or made, the changes hold all entries.
final class JournalIndex {
  /// Entries that the file lacks: those of lines noted since, and of the batch being written.
  let changes: PendingIndex

  private let store: LocalStore
  private let journal: JournalFile
  private let mode: OpenMode

  private var file: IndexFile?
  /// Whether the file gets many keys at once: see ``IndexFile/sparesMemory``.
  var sparesMemory = false { didSet { file?.sparesMemory = sparesMemory } }
  /// Whether the file is damaged and this process cannot replace it.
  private var isFileBad = false
  /// Whether the file cannot take the changes.
  private var isFileFull = false
  /// Whether this process gave up on having even a file of its own.
  private var isWithoutFile = false
  /// Whether it has made a file that it has not used yet.
  private var hasMadeFile = false

  /// End of the lines in the file and in the kept changes.
  private var noted = JournalEnd(length: 0, anchor: 0)
  /// The file's version then; nil if there was none.
  private var notedVersion: IndexFile.Version?

  /// - Parameter mode: `.update`, or `.read` for a process that only reads.
  init(of journal: JournalFile, in store: LocalStore, _ mode: OpenMode) {
    self.store = store
    self.journal = journal
    self.mode = mode
    changes = PendingIndex(over: nil, store.system)
  }

  /// Number of the journal's records that were noted.
  var recordCount: Int { (file?.recordCount ?? 0) + changes.recordCount }

  // MARK: The file

  /// Takes over the index as other processes left it, after the journal was refreshed.
  /// - Returns: the offset from which on the journal's lines have to be noted.
  /// - Throws: ``StoreFault/system(_:)``, ``StoreFault/unexpectedFile(name:kind:)``.
  func prepare() throws(StoreFault) -> Int {
    let start = try prepareFile()
    if start > 0 { hasMadeFile = false }
    if file?.version != notedVersion {
      isFileFull = false
    } else if !changes.isEmpty, noted.length >= start,
      try journal.anchor(at: noted.length) == noted.anchor
    {
      return noted.length
    }
    notedVersion = file?.version
    changes.removeAll()
    return start
  }

  private func prepareFile() throws(StoreFault) -> Int {
    // An index that may not be rebuilt may still be readable.
    for _ in 0..<2 where !isFileBad && !isWithoutFile {
      if file == nil { use(try openFile()) }
      guard let file else { return 0 }
      do throws(StoreFault) {
        return try file.prepare(for: journal)
      } catch {
        guard error.isIgnorable else { throw error }
        use(nil)
      }
    }
    return 0
  }

  private func openFile() throws(StoreFault) -> IndexFile? {
    if mode != .read {
      do throws(StoreFault) {
        return try IndexFile(updatingIn: store.directory)
      } catch {
        guard error.isIgnorable else { throw error }
      }
    }
    do throws(StoreFault) {
      return try IndexFile(readingIn: store.directory)
    } catch {
      guard error.isIgnorable else { throw error }
      return nil
    }
  }

  private func use(_ file: IndexFile?) {
    self.file = file
    file?.sparesMemory = sparesMemory
    changes.begin(over: file)
    notedVersion = nil
  }

  /// Whether a look-up found damage in the file: all look-ups are invalid then.
  var isDamaged: Bool { file?.isDamaged ?? false }

  /// Gives up a damaged file.
  func bypass() throws(StoreFault) {
    guard let file else { return }
    if file.isWritable {
      do throws(StoreFault) {
        try file.reset()
        return changes.begin(over: file)
      } catch {
        guard error.isIgnorable else { throw error }
      }
    }
    isFileBad = true
    use(nil)
  }

  // MARK: Changes

  /// Makes room in the file for the changes, before the journal is written.
  /// - Throws: ``StoreFault/system(_:)``, for example if the disk is full.
  func reserve() throws(StoreFault) {
    guard let file, file.isWritable, !isFileFull else { return }
    do throws(StoreFault) {
      try file.reserve(for: changes)
    } catch {
      guard error.isIgnorable || file.fileName == nil, !file.isDamaged else { throw error }
      isFileFull = true
    }
  }

  /// Commits the changes to the file, or keeps them if it cannot take them. If that fails they are
  /// dropped, and the next ``prepare()`` returns where to start again.
  /// - Parameters:
  ///   - length: end of the journal's lines that the changes have.
  ///   - isSynced: true if these lines are on disk.
  func commit(to length: Int, isSynced: Bool) throws(StoreFault) {
    do throws(StoreFault) {
      guard let file, file.isWritable, !isFileFull else {
        guard let anchor = try journal.anchor(at: length) else {
          throw StoreFault.indexUnusable("no line ends at \(length)")
        }
        noted = JournalEnd(length: length, anchor: anchor)
        notedVersion = file?.version
        return
      }
      try file.commit(changes, of: journal, to: length, isSynced: isSynced)
    } catch {
      changes.removeAll()
      throw error
    }
  }

  // MARK: Outside of the lock

  /// Whether ``make(_:)`` has to make the index outside of the lock: if many lines have to be
  /// noted, or if a writer may not even open the existing one.
  func needsBuild(from start: Int) -> Bool {
    if start > 0 || isWithoutFile { return false }
    return journal.length > store.options.lockedByteCount || mode != .read && file == nil
  }

  /// Rebuilds the index, or makes one for this process alone if that fails.
  ///
  /// For 1 GB of journal its keys would take 200 MB of memory. Must not hold the lock; comes after
  /// the journal was refreshed.
  /// - Throws: ``StoreFault/locked(by:)`` if another process has been making it all the while,
  ///   ``StoreFault/system(_:)``, ``StoreFault/damaged(_:)``.
  func make(_ finder: RecordFinder) throws(StoreFault) {
    if !hasMadeFile {
      do throws(StoreFault) {
        try IndexBuild(of: store).run(replacing: isFileBad)
        isFileBad = false
        hasMadeFile = true
        return
      } catch {
        guard case .system = error else { throw error }
      }
    }
    let end = journal.lastBatchStart
    do throws(StoreFault) {
      let file = try IndexFile(
        namelessIn: StoreDirectory(path: store.options.temporaryFolder, system: store.system))
      use(file)
      isFileBad = false
      var catchUp = IndexCatchUp(finder)
      return try catchUp.note(from: 0, to: end) { (length) throws(StoreFault) in
        try file.commit(changes, of: journal, to: length, isSynced: false)
      }
    } catch {
      // The folder may be missing or full.
      guard case .system = error else { throw error }
    }
    isWithoutFile = true
    use(nil)
    var catchUp = IndexCatchUp(finder)
    try catchUp.note(from: 0, to: end) { (length) throws(StoreFault) in
      try commit(to: length, isSynced: false)
    }
  }
}

/// The end of a journal line with its checksum, which identifies the journal.
struct JournalEnd {
  var length: Int
  var anchor: UInt32
}

extension JournalEnd {
  /// - Parameters:
  ///   - length: the line's end in the journal.
  ///   - lines: end with it, and its newline; the result is nil if it has no checksum.
  init?(at length: Int, behind lines: Bytes) {
    guard let anchor = JournalLine.writtenChecksum(Bytes(rebasing: lines.dropLast()))
    else { return nil }
    self.init(length: length, anchor: anchor)
  }
}

extension StoreFault {
  /// Whether the fault is one of the index. The store continues without that cache.
  var isIgnorable: Bool {
    switch self {
    case .indexUnusable: true
    case .system(let reason): reason.isForbidden || reason.isMissing
    default: false
    }
  }
}

extension RecordKey {
  var kind: UInt8 {
    switch self {
    case .account: 1
    case .authorization: 2
    case .transaction: 3
    case .chargeKey: 4
    case .topUpKey: 5
    case .transferKey: 6
    case .payment: 7
    }
  }

  func hash(_ hasher: KeyHasher) -> UInt64 {
    switch self {
    case .account(let name), .authorization(let name), .transaction(let name), .payment(let name):
      hasher.hash(domain: kind, name.text)
    case .chargeKey(let account, let key), .topUpKey(let account, let key),
      .transferKey(let account, let key):
      hasher.hash(domain: kind, account.text, key.text)
    }
  }
}
