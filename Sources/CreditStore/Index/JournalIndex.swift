internal import CreditSystem

/// The index of a journal as one process has it: the file, where there is one that it can use, and
/// what the file lacks.
///
/// Used under the store's lock, exclusive to write, shared to read. A file that can't be read,
/// written or made is done without: the changes have all that it lacks then.
final class JournalIndex {
  /// What the file lacks: lines that were noted since, and those of the batch being written.
  let changes: PendingIndex

  private let store: LocalStore
  private let journal: JournalFile
  private let mode: OpenMode

  private var file: IndexFile?
  /// Whether what is taken over into the file is many keys at once: see the file's.
  var sparesMemory = false { didSet { file?.sparesMemory = sparesMemory } }
  /// Whether the file turned out to be damaged, and this process can't replace it.
  private var isFileBad = false
  /// Whether the file can't take what the changes have.
  private var isFileFull = false
  /// Whether this process gave up on having a file, even one of its own.
  private var isWithoutFile = false
  /// Whether it has made one that it has not been able to use yet.
  private var hasMadeFile = false

  /// Up to where the file and the changes have the journal, where the changes are kept.
  private var noted = JournalEnd(length: 0, anchor: 0)
  /// What the file was then; nil where there was none.
  private var notedVersion: IndexFile.Version?

  /// - Parameter mode: `.update`, or `.read` for a process that only reads.
  init(of journal: JournalFile, in store: LocalStore, _ mode: OpenMode) {
    self.store = store
    self.journal = journal
    self.mode = mode
    changes = PendingIndex(over: nil, store.system)
  }

  /// How many records the journal has, of those that were noted.
  var recordCount: Int { (file?.recordCount ?? 0) + changes.recordCount }

  // MARK: The file

  /// Takes up the index as other processes left it, after the journal was refreshed.
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
    // What may not be rebuilt may perhaps be read.
    for _ in 0..<2 where !isFileBad && !isWithoutFile {
      if file == nil { use(try openFile()) }
      guard let file else { return 0 }
      do throws(StoreFault) {
        return try file.prepare(for: journal)
      } catch {
        guard error.isPassedOver else { throw error }
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
        guard error.isPassedOver else { throw error }
      }
    }
    do throws(StoreFault) {
      return try IndexFile(readingIn: store.directory)
    } catch {
      guard error.isPassedOver else { throw error }
      return nil
    }
  }

  private func use(_ file: IndexFile?) {
    self.file = file
    file?.sparesMemory = sparesMemory
    changes.begin(over: file)
    notedVersion = nil
  }

  /// Whether a look-up has met with damage in the file: what was looked up does not hold.
  var isDamaged: Bool { file?.isDamaged ?? false }

  /// Gives a damaged file up.
  func bypass() throws(StoreFault) {
    guard let file else { return }
    if file.isWritable {
      do throws(StoreFault) {
        try file.reset()
        return changes.begin(over: file)
      } catch {
        guard error.isPassedOver else { throw error }
      }
    }
    isFileBad = true
    use(nil)
  }

  // MARK: Changes

  /// Makes room in the file for the changes, before the journal is written to.
  /// - Throws: ``StoreFault/system(_:)``, for one when the disk is full.
  func reserve() throws(StoreFault) {
    guard let file, file.isWritable, !isFileFull else { return }
    do throws(StoreFault) {
      try file.reserve(for: changes)
    } catch {
      guard error.isPassedOver || file.fileName == nil, !file.isDamaged else { throw error }
      isFileFull = true
    }
  }

  /// Takes the changes over into the file, or keeps them where it can't. Where that fails they are
  /// dropped, and the next ``prepare()`` says from where to note them again.
  /// - Parameters:
  ///   - length: up to where the changes have the journal.
  ///   - isSynced: whether that much of the journal is on disk.
  func commit(to length: Int, isSynced: Bool) throws(StoreFault) {
    do throws(StoreFault) {
      guard let file, file.isWritable, !isFileFull else { return try keepChanges(to: length) }
      try file.commit(changes, of: journal, to: length, isSynced: isSynced)
    } catch {
      changes.removeAll()
      throw error
    }
  }

  private func keepChanges(to length: Int) throws(StoreFault) {
    guard let anchor = try journal.anchor(at: length) else {
      throw .indexUnusable("no line ends at \(length)")
    }
    noted = JournalEnd(length: length, anchor: anchor)
    notedVersion = file?.version
  }

  // MARK: Outside of the lock

  /// Whether the index is to be made outside of the lock, by ``make(_:)``: where much has to be
  /// noted, or where a writer may not even open the one that is there.
  func hasToBeMade(from start: Int) -> Bool {
    if start > 0 || isWithoutFile { return false }
    return journal.length > store.options.lockedByteCount || mode != .read && file == nil
  }

  /// Rebuilds the index; where that can't be done, one for this process alone: at 1 GB of journal
  /// its keys would take 200 MB of memory. Outside of the lock, after the journal was refreshed.
  /// - Parameter note: notes the journal's lines from its start up to an offset, and says now and
  ///   then up to where it has them.
  /// - Throws: ``StoreFault/locked(by:)`` where another process has been making it all the while,
  ///   ``StoreFault/system(_:)``, ``StoreFault/damaged(_:)``.
  func make(
    _ note: (Int, (Int) throws(StoreFault) -> Void) throws(StoreFault) -> Void
  ) throws(StoreFault) {
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
      let file = try IndexFile(namelessIn: store.temporaryDirectory)
      use(file)
      isFileBad = false
      return try note(end) { (length) throws(StoreFault) in
        try file.commit(changes, of: journal, to: length, isSynced: false)
      }
    } catch {
      // There may be no such folder, or no room in it.
      guard case .system = error else { throw error }
    }
    isWithoutFile = true
    use(nil)
    try note(end) { (length) throws(StoreFault) in try commit(to: length, isSynced: false) }
  }
}

/// A place where a line of the journal ends, and that line's checksum, to know the journal by.
struct JournalEnd {
  var length: Int
  var anchor: UInt32
}

extension StoreFault {
  /// Whether the fault is one of the index, which is a cache, and the store goes on without it.
  var isPassedOver: Bool {
    switch self {
    case .indexUnusable: true
    case .system(let reason): reason.isForbidden || reason.isMissing
    default: false
    }
  }
}
