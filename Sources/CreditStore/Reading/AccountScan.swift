internal import CreditJSON
internal import CreditModel
internal import CreditSystem

extension StoreReader {
  /// Number of accounts from which two threads read them: that is half of the work of a long list.
  private static let sharedCount = 4_000

  /// Returns the accounts as of an end, found once for all pages.
  func accountNames(before end: RecordPosition) throws(CreditError) -> AccountNames {
    if let names, names.end == end { return names }
    let positions = journal.byParts(
      try locked { (finder) throws(StoreFault) in try finder.newestPositions() })
    let made = try reading { () throws(StoreFault) in
      let shares = PositionShares(positions)
      let (first, second) = (AccountScan(before: end), AccountScan(before: end))
      let journal = journal
      let thread = WorkerThread()
      if shares.count >= Self.sharedCount { thread.start { second.run(shares, in: journal) } }
      first.run(shares, in: journal)
      thread.wait()
      try first.check()
      try second.check()
      for position in first.others + second.others {
        // One of the account's records is at the position.
        var next: StoredRecord? = try record(at: position)
        while let later = next, later.position >= end { next = try previous(of: later) }
        guard let newest = next, newest.record.account.name != .nobody else { continue }
        first.found.add(newest.record.account.name, at: newest.position)
      }
      return AccountNames(of: first.found, second.found, before: end, thread, inPlaceOf: positions)
    }
    names = made
    return made
  }
}

/// Positions that two threads read, each a share at a time: a slower one takes fewer.
private final class PositionShares: @unchecked Sendable {
  private let positions: LargeTable<RecordPosition>
  private let tickets = Tickets()

  private static let shareCount = 1_024

  /// - Parameter positions: in the order of the journal's parts.
  init(_ positions: LargeTable<RecordPosition>) { self.positions = positions }

  var count: Int { positions.elements.count }

  /// Takes the next share; nil if all have been taken.
  func take() -> Slice<Cells<RecordPosition>>? {
    let first = tickets.take() * Self.shareCount
    guard first < count else { return nil }
    return positions.elements[first..<min(first + Self.shareCount, count)]
  }
}

/// Reads the newest lines of accounts.
private final class AccountScan {
  private let end: RecordPosition
  private(set) var found = AccountPart(expectedCount: 0)
  private var fault: StoreFault?
  /// Positions of accounts with dated credits or later records, and of unsound lines.
  private(set) var others: [RecordPosition] = []

  init(before end: RecordPosition) { self.end = end }

  func run(_ shares: PositionShares, in journal: JournalFile) {
    guard var share = shares.take() else { return }
    let found = AccountPart(expectedCount: shares.count)
    self.found = found
    var reader = RecordReader()
    do throws(StoreFault) {
      repeat {
        try journal.forEachLine(at: share) { (position, line) in
          if position < end, let line, let account = reader.undatedAccount(line) {
            found.add(account, at: position)
          } else {
            others.append(position)
          }
        }
        guard let next = shares.take() else { return }
        share = next
      } while true
    } catch {
      fault = error
    }
  }

  /// - Throws: ``StoreFault/system(_:)`` if not all could be read.
  func check() throws(StoreFault) { if let fault { throw fault } }
}
