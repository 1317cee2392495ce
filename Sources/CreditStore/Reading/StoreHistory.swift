package import CreditModel

/// Walks the history of accounts, newest line first by the order of the journal.
package struct StoreHistory {
  private let reader: StoreReader
  private let policy: Policy
  /// The time up to which expiries and turns are shown that no write has recorded yet.
  private let now: Timestamp

  package init(_ reader: StoreReader, policy: Policy, now: Timestamp) {
    self.reader = reader
    self.policy = policy
    self.now = now
  }

  /// An account whose lines are being walked.
  private struct Walk {
    var next: RecordPosition
    /// Turns that are not recorded yet, oldest first.
    var turns: [LedgerRecord]
    /// The latest of what has changed about lines further down.
    var revisions: [RecordPosition: HistoryRevision] = [:]
  }

  /// Calls `body` with an account's lines until it returns false. One that isn't registered has none.
  package func forEachLine(of account: Name, _ body: (HistoryLine) -> Bool) throws(CreditError) {
    guard let newest = try reader.newest(of: account) else { return }
    var walk = try begin(newest)
    while let turn = walk.turns.popLast() {
      if let line = turn.historyLine, !body(line) { return }
    }
    var position: RecordPosition? = walk.next
    while let current = position {
      let (line, previous) = try step(&walk, at: current)
      if let line, !body(line) { return }
      position = previous
    }
  }

  /// Calls `body` with the lines of all accounts, as of one moment, until it returns false.
  package func forEachLine(_ body: (HistoryLine) -> Bool) throws(CreditError) {
    var heap = PositionHeap()
    var walks: [Int: Walk] = [:]
    var turns: [LedgerRecord] = []
    for (number, position) in try reader.newestPositions().enumerated() {
      guard let newest = try reader.record(at: position) else { continue }
      let walk = try begin(newest)
      turns += walk.turns
      heap.insert(position, number)
    }
    turns.sort { $0.account.updatedAt > $1.account.updatedAt }
    for turn in turns {
      if let line = turn.historyLine, !body(line) { return }
    }
    while let (position, number) = heap.removeGreatest() {
      var walk = walks[number] ?? Walk(next: position, turns: [])
      let (line, previous) = try step(&walk, at: position)
      walks[number] = walk.revisions.isEmpty ? nil : walk
      if let previous { heap.insert(previous, number) }
      if let line, !body(line) { return }
    }
  }

  private func begin(_ newest: StoredRecord) throws(CreditError) -> Walk {
    var account = newest.record.account
    let turns = try account.advance(to: now, under: policy)
    return Walk(next: newest.position, turns: turns.map(LedgerRecord.init(turn:)))
  }

  /// Reads the record at a position: the line that stands there, and where the one before it does.
  private func step(_ walk: inout Walk, at position: RecordPosition) throws(CreditError)
    -> (line: HistoryLine?, previous: RecordPosition?)
  {
    guard let stored = try reader.record(at: position) else { return (nil, nil) }
    if let original = stored.record.original, walk.revisions[original] == nil {
      walk.revisions[original] = stored.record.revision
    }
    var line = stored.record.historyLine
    if let revision = walk.revisions.removeValue(forKey: position) { line?.apply(revision) }
    return (line, stored.previous)
  }
}

/// Positions with the number of their account, the greatest first out: a binary heap.
private struct PositionHeap {
  private var entries: [(position: RecordPosition, number: Int)] = []

  mutating func insert(_ position: RecordPosition, _ number: Int) {
    entries.append((position, number))
    var child = entries.count - 1
    while child > 0, entries[(child - 1) / 2].position < entries[child].position {
      entries.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func removeGreatest() -> (RecordPosition, Int)? {
    guard let greatest = entries.first else { return nil }
    let last = entries.removeLast()
    if entries.isEmpty { return greatest }
    entries[0] = last
    var parent = 0
    while true {
      var largest = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < entries.count && entries[largest].position < entries[child].position {
        largest = child
      }
      if largest == parent { return greatest }
      entries.swapAt(parent, largest)
      parent = largest
    }
  }
}

extension StoreReader {
  /// Calls `body` with the lines, or changes of lines, that were recorded since a length of the
  /// journal, oldest first.
  /// - Returns: the journal's length now.
  package func forEachNewLine(
    since length: Int, _ body: (HistoryLine) -> Void
  ) throws(CreditError) -> Int {
    let end = try currentLength()
    // A journal that was written anew is followed from its end.
    guard length <= end else { return end }
    var failure: CreditError?
    try reporting { () throws(StoreFault) in
      try journal.forEachLine(from: length, to: end) { offset, _ in
        do throws(CreditError) {
          guard failure == nil, let stored = try record(at: RecordPosition(Int64(offset))) else {
            return
          }
          if let line = try line(landed: stored) { body(line) }
        } catch {
          failure = error
        }
      }
    }
    if let failure { throw failure }
    return end
  }

  /// The line as it is after a record: its own, or the one that it changed.
  private func line(landed stored: StoredRecord) throws(CreditError) -> HistoryLine? {
    if let line = stored.record.historyLine { return line }
    guard let original = stored.record.original, let revision = stored.record.revision,
      var line = try record(at: original)?.record.historyLine
    else { return nil }
    line.apply(revision)
    return line
  }
}
