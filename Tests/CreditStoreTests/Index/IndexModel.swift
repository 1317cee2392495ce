import CreditSystem

@testable import CreditStore
@testable import TestSupport

/// A store of keys and accounts that is obvious: dictionaries beside a journal whose lines are
/// counted, and the index that has to agree with them.
final class IndexModel {
  enum Change {
    case key(Int)
    case newAccount(Int)
    case account(Int)
  }

  let store: TemporaryStore
  var system: FaultySystem
  var journal: JournalFile
  var index: IndexFile
  var pending: PendingIndex

  /// Each line's change, by its offset.
  var changes: [Int: Change] = [:]

  /// Of each key the newest line, for those that are accounts the number.
  var keys: [Int: Int] = [:]
  var accountNames: [Int] = []
  var accountLines: [Int] = []

  /// Whether keys are looked up as they are set.
  var looksUpLate = false

  var random: SeededGenerator

  /// Everything up to here is in `pending` or the index.
  private var indexed = 0
  private var lineCount = 0

  init(seed: UInt64 = 1, checkpointByteCount: Int? = 2000) throws {
    random = SeededGenerator(seed: seed)
    store = try TemporaryStore()
    system = FaultySystem()
    journal = try store.journal()
    index = try IndexFile(updatingIn: store.directory(system))
    index.checkpointByteCount = checkpointByteCount
    pending = PendingIndex(over: index, system)
    _ = try index.prepare(for: journal)
  }

  /// Does the same as a process that starts now.
  func reopen(boot: BootID? = nil) throws {
    let checkpointByteCount = index.checkpointByteCount
    if let boot { system.boot = boot }
    journal = try store.openJournal()
    index = try IndexFile(updatingIn: store.directory(system))
    index.checkpointByteCount = checkpointByteCount
    pending = PendingIndex(over: index, system)
    indexed = try index.prepare(for: journal)
    try catchUp()
  }

  /// Appends lines with changes, and adds them to `pending`.
  func append(_ batch: [Change]) throws {
    var bytes: [UInt8] = []
    for change in batch {
      let offset = journal.length + bytes.count
      bytes += sealedLine(lineCount)
      lineCount += 1
      changes[offset] = change
      switch change {
      case .key(let key): keys[key] = offset
      case .newAccount(let name):
        accountNames.append(name)
        accountLines.append(offset)
      case .account(let number): accountLines[number] = offset
      }
    }
    try journal.append(bytes)
    try catchUp()
  }

  /// Appends lines with random changes, many of which affect existing keys.
  func append(_ count: Int) throws {
    var accountCount = accountNames.count
    try append(
      (0..<count).map { _ in
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
          accountCount += 1
          return .newAccount(accountCount * 5)
        case 1...3 where accountCount > 0:
          return .account(Int.random(in: 0..<accountCount, using: &random))
        case 4...5: return .key(Int.random(in: 0..<50, using: &random))
        default: return .key(Int.random(in: 0..<100_000, using: &random))
        }
      })
  }

  /// Does the same, and writes them to the index.
  func write(_ count: Int) throws {
    try append(count)
    try commit()
  }

  /// Adds the journal's further lines to `pending`.
  func catchUp() throws {
    try journal.forEachLine(from: indexed, to: journal.length) { (offset, _) throws(StoreFault) in
      add(offset)
    }
    indexed = journal.length
  }

  private func add(_ offset: Int) {
    switch changes[offset] {
    case .key(let key) where looksUpLate:
      let changed = pending.changed(hash(key)) { isLine($0, of: key) }
      pending.set(hash(key), offset, replacingChanged: changed)
    case .key(let key): pending.set(hash(key), offset, replacing: offsetOf(key, in: pending))
    case .newAccount(let name):
      let number = pending.appendAccount(offset)
      pending.set(hash(~name), number, replacing: nil)
    case .account(let number): pending.setAccountOffset(number, offset)
    case nil: break
    }
  }

  func commit(isSynced: Bool = true) throws {
    try index.reserve(for: pending)
    try index.commit(pending, of: journal, to: journal.length, isSynced: isSynced) {
      guard case .key(let key) = changes[$1.value] else { return false }
      return isLine($0, of: key)
    }
  }

  /// Few hashes, so that different keys share them.
  private func hash(_ key: Int) -> UInt64 {
    UInt64(truncatingIfNeeded: key / 3) &* 0x9E37_79B9_7F4A_7C15
  }

  func offsetOf(_ key: Int, in index: PendingIndex) -> Int? {
    index.lookup(hash(key)) { isLine($0, of: key) }
  }

  private func isLine(_ offset: Int, of key: Int) -> Bool {
    guard offset < journal.length, case .key(key) = changes[offset] else { return false }
    return true
  }

  func numberOf(_ name: Int, in index: PendingIndex) -> Int? {
    index.lookup(hash(~name)) { number in
      guard index.accountOffset(number) != nil else { return false }
      return accountNames[number] == name
    }
  }

  /// The first thing that the index has otherwise than the dictionaries; nil if all agrees.
  func difference(_ index: PendingIndex) -> String? {
    for (key, offset) in keys where offsetOf(key, in: index) != offset {
      return "key \(key): \(offsetOf(key, in: index) ?? -1), not \(offset)"
    }
    if offsetOf(-1, in: index) != nil { return "a key that is none" }
    if index.accountCount != accountNames.count { return "\(index.accountCount) accounts" }
    for (number, name) in accountNames.enumerated() {
      if numberOf(name, in: index) != number { return "account \(name)" }
      if index.accountOffset(number) != accountLines[number] { return "line of \(name)" }
    }
    if index.accountOffset(accountNames.count) != nil || index.accountOffset(-1) != nil {
      return "an account that is none"
    }
    return nil
  }
}
