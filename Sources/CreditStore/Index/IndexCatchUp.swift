internal import CreditJSON
internal import CreditModel

/// Adds journal lines that the index lacks to its changes.
struct IndexCatchUp: ~Copyable {
  private let finder: RecordFinder
  private let changes: PendingIndex
  /// True if keys are looked up in the file as they are set, not line by line.
  private let looksUpLate: Bool
  private var reader = RecordReader()
  /// Lines that were read and come next.
  private var lines: ContiguousArray<ReadLine> = []
  private var hashes: ContiguousArray<UInt64> = []
  /// The accounts of the lines so far, and each one's number by its order.
  private var names = NameTable()
  private var numbers: [Int] = []

  /// The part of a line that the index needs.
  private struct ReadLine {
    let offset: Int
    let account: Name
    let keys: RecordKeys
  }

  /// Lines that are read before they are looked up. Memory is slow, but no slower for many places
  /// at once: that takes a third off the time of a rebuild.
  private static let lineCount = 64

  /// Number of look-ups after which memory is released.
  private static let sparedCount = 16

  /// The most account numbers that are cached.
  private static let numberLimit = 50_000

  private static let progressLineCount = 10_000

  /// - Parameters:
  ///   - finder: looks up in the changes that get the lines.
  ///   - looksUpLate: true if the commit of the changes looks their keys up, in the file's order:
  ///     each look-up of a line can bring 2 MiB of the file into memory.
  init(_ finder: RecordFinder, looksUpLate: Bool = false) {
    self.finder = finder
    changes = finder.pending
    self.looksUpLate = looksUpLate
  }

  /// Adds the lines of a range of the journal. If that fails, all changes are dropped: otherwise a
  /// part of the range would be added and counted twice.
  /// - Parameter progress: called now and then with the end of the part that was added, also with
  ///   the range's end. It may commit the changes to the index.
  mutating func note(
    from start: Int, to end: Int, progress: (Int) throws(StoreFault) -> Void = { _ in }
  ) throws(StoreFault) {
    do throws(StoreFault) {
      let journal = finder.journal
      var count = 0
      let first = start == 0 ? min(end, try journal.headerByteCount()) : start
      try journal.forEachLine(from: first, to: end) { (offset, line) throws(StoreFault) in
        guard let stored = reader.read(line, at: RecordPosition(Int64(offset))) else {
          throw journal.damage(at: offset, RecordFault.unreadable.reason)
        }
        let keys = stored.record.keys
        lines.append(ReadLine(offset: offset, account: stored.record.account.name, keys: keys))
        keys.visit { hashes.append($0.hash(changes.hasher)) }
        if lines.count == Self.lineCount { try noteLines() }
        count += 1
        if count % Self.progressLineCount == 0 {
          try noteLines()
          try progress(offset + line.count + 1)
        }
      }
      try noteLines()
      try progress(end)
    } catch {
      changes.removeAll()
      throw error
    }
  }

  /// Adds the lines that have been read.
  private mutating func noteLines() throws(StoreFault) {
    for hash in hashes { changes.prefetch(hash, isOfChanges: looksUpLate) }
    var place = 0
    for line in lines {
      if let number = try number(of: line.account) {
        changes.setAccountOffset(number, line.offset)
      } else {
        remember(changes.addAccount(line.account, at: line.offset), of: line.account)
      }
      try line.keys.visit { (key) throws(StoreFault) in
        let hash = hashes[place]
        place += 1
        if looksUpLate {
          let known = try changes.changed(hash) { (offset) throws(StoreFault) in
            try finder.record(at: offset).record.isFound(by: key)
          }
          changes.set(hash, line.offset, replacingChanged: known)
        } else {
          let known = try finder.newest(of: key, hash).map { Int($0.position.value) }
          changes.set(hash, line.offset, replacing: known)
          if place % Self.sparedCount == 0 { changes.releaseMemory() }
        }
      }
      changes.countRecord()
    }
    lines.removeAll(keepingCapacity: true)
    hashes.removeAll(keepingCapacity: true)
  }

  /// Returns the number of an account; nil if it is not registered.
  private mutating func number(of account: Name) throws(StoreFault) -> Int? {
    if let place = names.number(of: account) { return numbers[place] }
    guard let number = try finder.newest(of: account)?.number else { return nil }
    remember(number, of: account)
    return number
  }

  private mutating func remember(_ number: Int, of account: Name) {
    if numbers.count >= Self.numberLimit {
      names = NameTable()
      numbers.removeAll(keepingCapacity: true)
    }
    if names.add(account) { numbers.append(number) }
    if numbers.count % Self.sparedCount == 0 { changes.releaseMemory() }
  }
}

extension PendingIndex {
  /// Gives a new account a number.
  /// - Parameter offset: offset of its first record, which may not be written yet.
  func addAccount(_ name: Name, at offset: Int) -> Int {
    let number = appendAccount(offset)
    set(RecordKey.account(name).hash(hasher), number, replacing: nil)
    return number
  }
}
