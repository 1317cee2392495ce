internal import CreditJSON
internal import CreditModel

/// Notes in the index's changes what lines of the journal say that it lacks.
struct IndexCatchUp: ~Copyable {
  private let finder: RecordFinder
  private let changes: PendingIndex
  private var reader = RecordReader()
  /// The accounts of the lines so far, and the number of each in their order.
  private var names = NameTable()
  private var numbers: [Int] = []

  /// The most account numbers that are remembered.
  private static let numberLimit = 50_000

  /// How many lines are noted between two reports of progress.
  private static let progressLineCount = 10_000

  /// - Parameter finder: looks up in what the lines are noted in.
  init(_ finder: RecordFinder) {
    self.finder = finder
    changes = finder.pending
  }

  /// Notes the lines of a range of the journal.
  /// - Parameter progress: called now and then with the offset up to which all is noted, also with
  ///   the range's end. It may take the changes over into the index.
  mutating func note(
    from start: Int, to end: Int, progress: (Int) throws(StoreFault) -> Void = { _ in }
  ) throws(StoreFault) {
    let journal = finder.journal
    var count = 0
    try journal.forEachLine(from: start, to: end) { (offset, line) throws(StoreFault) in
      if offset > 0 {
        guard let stored = reader.read(line, at: RecordPosition(Int64(offset))) else {
          throw journal.damage(at: offset, ReplayFault.unreadable.reason)
        }
        try note(stored.record, at: offset)
      } else if JournalHeader.createdAt(line) == nil {
        throw journal.damage(at: offset, "is no header of this version")
      }
      count += 1
      if count % Self.progressLineCount == 0 { try progress(offset + line.count + 1) }
    }
    try progress(end)
  }

  private mutating func note(_ record: LedgerRecord, at offset: Int) throws(StoreFault) {
    let account = record.account.name
    if let number = try number(of: account) {
      changes.setAccountOffset(number, offset)
    } else {
      remember(changes.addAccount(account, at: offset), of: account)
    }
    try record.keys.visit { (key) throws(StoreFault) in
      let hash = key.hash(changes.hasher)
      let known = try finder.newest(of: key, hash).map { Int($0.position.value) }
      changes.set(hash, offset, replacing: known)
    }
    changes.countRecord()
  }

  /// The number of an account; nil where it isn't registered.
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
