internal import CreditJSON
internal import CreditModel
internal import CreditSystem

extension StoreReader {
  /// How many accounts are enough for two threads to read them: that is half of what a long list
  /// takes.
  private static let sharedCount = 4_000

  /// The accounts as of an end of the books: found once for all pages that end there.
  func accountNames(before end: RecordPosition) throws(CreditError) -> AccountNames {
    if let names, names.end == end { return names }
    let positions = try locked { (finder) throws(StoreFault) in try finder.newestPositions() }
    let made = try reading { () throws(StoreFault) in
      let positions = journal.byParts(positions)
      let half = positions.count < Self.sharedCount ? positions.count : positions.count / 2
      // What is found second is added to what is found first.
      let first = AccountScan(
        of: positions[..<half], before: end, expectedCount: positions.count)
      let second = AccountScan(of: positions[half...], before: end)
      let journal = journal
      let thread = WorkerThread()
      if half < positions.count { thread.start { second.run(in: journal) } }
      first.run(in: journal)
      thread.wait()
      var names = try first.takeFound()
      names.append(try second.takeFound())
      for position in first.others + second.others {
        guard let newest = try newest(from: position, before: end),
          newest.record.account.name != .nobody
        else { continue }
        names.add(newest.record.account.name, at: newest.position)
      }
      names.sort(with: thread)
      return names
    }
    names = made
    return made
  }

  /// The newest record before an end of an account that has one at a position.
  private func newest(from position: RecordPosition, before end: RecordPosition)
    throws(StoreFault) -> StoredRecord?
  {
    var next = try record(at: position)
    while let later = next, later.position >= end {
      next = try later.previous.flatMap { (previous) throws(StoreFault) in
        try record(at: previous)
      }
    }
    return next
  }
}

/// Reads the newest lines of accounts, from one end of a part of the journal to the other.
private final class AccountScan {
  private let positions: ArraySlice<RecordPosition>
  private let end: RecordPosition
  private var names: AccountNames
  private var fault: StoreFault?
  /// The accounts that are not plain, or not as of the end, and lines that are not sound.
  private(set) var others: [RecordPosition] = []

  /// - Parameter positions: in the order of the journal's parts.
  init(
    of positions: ArraySlice<RecordPosition>, before end: RecordPosition,
    expectedCount: Int? = nil
  ) {
    self.positions = positions
    self.end = end
    names = AccountNames(before: end, expectedCount: expectedCount ?? positions.count)
  }

  func run(in journal: JournalFile) {
    var reader = RecordReader()
    do throws(StoreFault) {
      try journal.forEachLine(at: positions) { (position, line) in
        if position < end, let line, let account = reader.plainAccount(line, at: position) {
          names.add(account)
        } else {
          others.append(position)
        }
      }
    } catch {
      fault = error
    }
  }

  /// Hands over what has been found. Nothing is left here, or to add to it would copy it all.
  /// - Throws: ``StoreFault/system(_:)`` where not all could be read.
  func takeFound() throws(StoreFault) -> AccountNames {
    if let fault { throw fault }
    var found = AccountNames(before: end, expectedCount: 0)
    swap(&found, &names)
    return found
  }
}
