internal import CreditJSON
internal import CreditModel

/// Finds records by their keys: in the index and what is pending over it, each find held against
/// the journal's line, or that of the batch which is being written.
final class RecordFinder {
  let journal: JournalFile
  let pending: PendingIndex
  /// What is being written; nil for a process that only reads.
  private let batch: PendingBatch?
  private var reader = RecordReader(remembersTexts: false)
  /// Accounts that were looked up, and the number of each in their order.
  private var accountNames = NameTable()
  private var accountNumbers: [Int] = []

  /// The most account numbers that are remembered.
  private static let numberLimit = 50_000

  init(journal: JournalFile, pending: PendingIndex, batch: PendingBatch? = nil) {
    self.journal = journal
    self.pending = pending
    self.batch = batch
  }

  /// Forgets what may not hold any more: another process has written, or a batch was dropped.
  func forget() {
    accountNames = NameTable()
    accountNumbers.removeAll(keepingCapacity: true)
  }

  /// The number of an account, and its newest record; nil where it isn't registered.
  private func find(_ name: Name) throws(StoreFault) -> (number: Int, newest: StoredRecord)? {
    if let place = accountNames.number(of: name) {
      let number = accountNumbers[place]
      guard let newest = try newest(ofAccount: number) else {
        try checkIndex()
        return nil
      }
      return (number, newest)
    }
    var newest: StoredRecord?
    let hash = RecordKey.account(name).hash(pending.hasher)
    let number = try pending.lookup(hash) { (number) throws(StoreFault) in
      newest = try self.newest(ofAccount: number)
      return newest?.record.account.name == name
    }
    try checkIndex()
    guard let number, let newest else { return nil }
    remember(number, of: name)
    return (number, newest)
  }

  private func newest(ofAccount number: Int) throws(StoreFault) -> StoredRecord? {
    try pending.accountOffset(number).flatMap { (offset) throws(StoreFault) in
      try record(at: offset)
    }
  }

  /// The number of an account; nil where it isn't registered.
  private func accountNumber(_ name: Name) throws(StoreFault) -> Int? {
    if let place = accountNames.number(of: name) { return accountNumbers[place] }
    return try find(name)?.number
  }

  private func remember(_ number: Int, of name: Name) {
    if accountNumbers.count >= Self.numberLimit { forget() }
    if accountNames.add(name) { accountNumbers.append(number) }
  }

  /// The newest record of an account, and the account's number; nil where it isn't registered.
  func newest(of account: Name) throws(StoreFault) -> (number: Int, newest: StoredRecord)? {
    try find(account)
  }

  /// Where the newest record of every account stands, in the order of registration.
  func newestPositions() throws(StoreFault) -> [RecordPosition] {
    let positions = (0..<pending.accountCount).compactMap { number in
      pending.accountOffset(number).map { RecordPosition(Int64($0)) }
    }
    try checkIndex()
    return positions
  }

  /// The newest record of a key other than an account.
  func newest(of key: RecordKey) throws(StoreFault) -> StoredRecord? {
    try newest(of: key, key.hash(pending.hasher))
  }

  /// The same, by a key whose hash is known.
  func newest(of key: RecordKey, _ hash: UInt64) throws(StoreFault) -> StoredRecord? {
    var newest: StoredRecord?
    let offset = try pending.lookup(hash) { (offset) throws(StoreFault) in
      newest = try record(at: offset)
      return newest.map { $0.record.keys.contains(key) } ?? false
    }
    try checkIndex()
    return offset == nil ? nil : newest
  }

  /// - Throws: ``StoreFault/indexUnusable(_:)`` where a look-up has met with damage.
  private func checkIndex() throws(StoreFault) {
    if pending.isDamaged { throw .indexUnusable("it is damaged") }
  }

  /// The record at an offset; nil where none starts.
  /// - Throws: where a line is sound and yet no record.
  func record(at offset: Int) throws(StoreFault) -> StoredRecord? {
    // The first line is the header.
    if offset == 0 { return nil }
    if offset >= journal.length {
      return batch?.withLine(at: offset) { reader.read($0, at: RecordPosition(Int64(offset))) }
    }
    return try journal.withLine(at: offset) { (line) throws(StoreFault) in
      try read(line, at: offset)
    }
  }

  private func read(_ line: UnsafeRawBufferPointer, at offset: Int) throws(StoreFault)
    -> StoredRecord
  {
    do throws(ReplayFault) {
      return try reader.sealed(line, at: offset)
    } catch {
      throw journal.damage(at: offset, error.reason)
    }
  }

  /// Notes a record.
  private func note(_ stored: StoredRecord) throws(StoreFault) {
    let offset = Int(stored.position.value)
    let account = stored.record.account.name
    if let number = try accountNumber(account) {
      pending.setAccountOffset(number, offset)
    } else {
      remember(pending.addAccount(account, at: offset), of: account)
    }
    try stored.record.keys.visit { (key) throws(StoreFault) in try note(key, at: offset) }
    pending.countRecord()
  }

  private func note(_ key: RecordKey, at offset: Int) throws(StoreFault) {
    let hash = key.hash(pending.hasher)
    let known = try newest(of: key, hash).map { Int($0.position.value) }
    pending.set(hash, offset, replacing: known)
  }

  /// Notes the journal's lines of a range.
  /// - Parameter progress: called after every so many lines with the offset up to which all is
  ///   noted.
  func replay(
    from start: Int, to end: Int, progress: (Int) throws(StoreFault) -> Void = { _ in }
  ) throws(StoreFault) {
    var lineReader = RecordReader()
    var count = 0
    try journal.forEachLine(from: start, to: end) { (offset, line) throws(StoreFault) in
      if offset > 0 {
        guard let stored = lineReader.read(line, at: RecordPosition(Int64(offset))) else {
          throw journal.damage(at: offset, ReplayFault.unreadable.reason)
        }
        try note(stored)
      } else if JournalHeader.createdAt(line) == nil {
        throw journal.damage(at: offset, "is no header of this version")
      }
      count += 1
      if count % 10_000 == 0 { try progress(offset + line.count + 1) }
    }
    try progress(end)
  }
}

extension PendingIndex {
  /// Gives a new account a number.
  /// - Parameter offset: where its first record stands, or will.
  func addAccount(_ name: Name, at offset: Int) -> Int {
    let number = appendAccount(offset)
    set(RecordKey.account(name).hash(hasher), number, replacing: nil)
    return number
  }
}
