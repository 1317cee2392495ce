internal import CreditJSON
internal import CreditModel

/// Finds records by their keys: in the index and what is pending over it, each find held against the
/// journal's line, or that of the batch which is being written.
final class RecordFinder {
  let journal: JournalFile
  let pending: PendingIndex
  /// What is being written; nil for a process that only reads.
  private let batch: PendingBatch?
  private var scanner = JSONScanner()
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

  /// The number of an account; nil where it isn't registered.
  func accountNumber(_ name: Name) throws(StoreFault) -> Int? {
    if let place = accountNames.number(of: name) { return accountNumbers[place] }
    let hash = RecordKey.account(name).hash(pending.hasher)
    let number = try pending.lookup(hash) { (number) throws(StoreFault) in
      guard let offset = pending.accountOffset(number) else { return false }
      return try withValue(at: offset) { $0.name("account") == name } ?? false
    }
    try checkIndex()
    if let number { remember(number, of: name) }
    return number
  }

  private func remember(_ number: Int, of name: Name) {
    if accountNumbers.count >= Self.numberLimit { forget() }
    if accountNames.add(name) { accountNumbers.append(number) }
  }

  /// The newest record of an account, the account's number, and where the record stands.
  func newest(of account: Name) throws(StoreFault) -> (
    record: JournalRecord, number: Int, position: RecordPosition
  )? {
    guard let number = try accountNumber(account) else { return nil }
    guard let offset = pending.accountOffset(number), let record = try record(at: offset) else {
      try checkIndex()
      return nil
    }
    return (record, number, RecordPosition(Int64(offset)))
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
  func newest(of key: RecordKey) throws(StoreFault) -> (JournalRecord, RecordPosition)? {
    try newest(of: key, key.hash(pending.hasher))
  }

  /// The same, by a key whose hash is known.
  func newest(of key: RecordKey, _ hash: UInt64) throws(StoreFault) -> (
    JournalRecord, RecordPosition
  )? {
    guard let offset = try offset(of: key, hash), let record = try record(at: offset) else {
      return nil
    }
    return (record, RecordPosition(Int64(offset)))
  }

  private func offset(of key: RecordKey, _ hash: UInt64) throws(StoreFault) -> Int? {
    let offset = try pending.lookup(hash) { (offset) throws(StoreFault) in
      try withValue(at: offset) { RecordKeys(of: $0)?.keys.contains(key) ?? false } ?? false
    }
    try checkIndex()
    return offset
  }

  /// - Throws: ``StoreFault/indexUnusable(_:)`` where a look-up has met with damage.
  private func checkIndex() throws(StoreFault) {
    if pending.isDamaged { throw .indexUnusable("it is damaged") }
  }

  /// The record at an offset; nil where none starts.
  /// - Throws: where a line is sound and yet no record.
  func record(at offset: Int) throws(StoreFault) -> JournalRecord? {
    let record = try withValue(at: offset) { RecordDecoder.decode($0) }
    guard let record else { return nil }
    guard let record else { throw journal.damage(at: offset, "is not a record of this version") }
    return record
  }

  /// Notes a record that stands at an offset.
  private func note(_ keys: RecordKeys, at offset: Int) throws(StoreFault) {
    if let number = try accountNumber(keys.account) {
      pending.setAccountOffset(number, offset)
    } else {
      remember(pending.addAccount(keys.account, at: offset), of: keys.account)
    }
    for key in keys.keys {
      let hash = key.hash(pending.hasher)
      pending.set(hash, offset, replacing: try self.offset(of: key, hash))
    }
  }

  /// Notes the journal's lines from an offset on.
  /// - Parameter progress: called after every so many lines with the offset up to which all is noted.
  func replay(
    from start: Int, progress: (Int) throws(StoreFault) -> Void = { _ in }
  ) throws(StoreFault) {
    var lineScanner = JSONScanner()
    var count = 0
    try journal.forEachLine(from: start, to: journal.length) { (offset, line) throws(StoreFault) in
      guard case .complete = lineScanner.scan(line, isFinal: true) else {
        throw journal.damage(at: offset, "is not JSON")
      }
      let value = lineScanner.value(in: line)
      if let keys = RecordKeys(of: value) {
        try note(keys, at: offset)
      } else if !JournalHeader.isHeader(value) {
        throw journal.damage(at: offset, "is not a record of this version")
      }
      count += 1
      if count % 10_000 == 0 { try progress(offset + line.count + 1) }
    }
    try progress(journal.length)
  }

  /// Gives `body` the value of the line at an offset; nil where no line starts there.
  private func withValue<Result>(
    at offset: Int, _ body: (JSONValue) -> Result
  ) throws(StoreFault) -> Result? {
    if offset >= journal.length {
      return batch?.withLines(at: offset) { lines in value(of: lines, body) }
    }
    return try journal.withLine(at: offset) { (line) throws(StoreFault) in value(of: line, body) }
      ?? nil
  }

  private func value<Result>(of line: UnsafeRawBufferPointer, _ body: (JSONValue) -> Result)
    -> Result?
  {
    guard case .complete = scanner.scan(line, isFinal: true) else { return nil }
    return body(scanner.value(in: line))
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
