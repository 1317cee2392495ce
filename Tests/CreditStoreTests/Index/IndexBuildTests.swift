import CreditModel
import CreditSystem
import Testing

@testable import CreditStore
@testable import TestSupport

/// An index that is made outside of the lock.
struct IndexBuildTests {
  private let ledger: LedgerStore
  private let system = FaultySystem()

  init() throws {
    ledger = try LedgerStore.filled()
  }

  /// The store as a process has it that makes any index outside of the lock.
  private func store(lockTimeoutSeconds: Int = 0, temporaryFolder: String = "/nowhere") throws
    -> LocalStore
  {
    var options = StoreOptions(lockTimeoutSeconds: lockTimeoutSeconds)
    options.temporaryFolder = temporaryFolder
    options.lockedByteCount = 0
    return LocalStore(ledger.store.location, options: options, system: system)
  }

  private func removeIndex() throws { try ledger.files.directory.removeFile(IndexFile.name) }

  private func balance(_ store: LocalStore, of account: Name = "bob") throws -> Credits? {
    try store.books().newest(of: .account(account))?.record.account.balance
  }

  /// The part of the journal that the current index has.
  private func coverage() throws -> Int {
    let journal = try JournalFile(in: ledger.files.directory, .read)
    try journal.refresh()
    return try IndexFile(readingIn: ledger.files.directory).prepare(for: journal)
  }

  private var lastBatchStart: Int {
    get throws {
      let journal = try JournalFile(in: ledger.files.directory, .read)
      try journal.refreshWhole()
      return journal.lastBatchStart
    }
  }

  private typealias Check = () throws -> Void

  /// Calls a function while all of the journal behind its first line is being read.
  /// - Returns: a check that it ran, which rethrows its error.
  private func whileTheJournalIsRead(_ body: @escaping Check) throws -> Check {
    let length = try lastBatchStart
    var result: Result<Void, any Error>?
    system.beforeRead = { offset, count in
      let first = JournalHeader.byteCount
      guard offset == first, count == length - first, result == nil else { return }
      result = Result { try body() }
    }
    return { try #require(result).get() }
  }

  @Test func readersDoNotBlockCharges() throws {
    let expected = try balance(ledger.store)
    try removeIndex()
    let check = try whileTheJournalIsRead {
      try ledger.perform(ledger.charge("eve", key: "meanwhile", units: 1))
    }
    #expect(try balance(try store()) == expected)
    try check()
    #expect(try balance(try store(), of: "eve") == 99)
    #expect(try ledger.store.verify().findings.isEmpty)
  }

  @Test func aReadersIndexIsKept() throws {
    try removeIndex()
    let made = try lastBatchStart
    _ = try balance(try store())
    #expect(try coverage() == made)
    #expect(
      try ledger.files.directory.names().filter { $0 != PriceIndex.Kind.policy.name }.sorted()
        == ["index", "journal.jsonl", "lock", "policy.json"])
    // The next one reads little of the journal.
    let length = try ledger.files.bytes(JournalFile.name).count
    var count = 0
    system.beforeRead = { offset, size in count += min(size, length - offset) }
    _ = try balance(try store())
    #expect(count < 3 * (length - made) + 4 * 4096)
  }

  /// A reader that can't write in the store goes on in memory, outside of the lock too.
  @Test func aReaderWithoutRightsDoesNotBlockCharges() throws {
    let expected = try balance(ledger.store)
    try removeIndex()
    system.forbiddenNames = ["index.build.new", "index.new"]
    let check = try whileTheJournalIsRead {
      try ledger.perform(ledger.charge("eve", key: "meanwhile", units: 1))
    }
    let books = try store().books()
    #expect(try books.newest(of: .account("bob"))?.record.account.balance == expected)
    try check()
    #expect(try books.newest(of: .account("eve"))?.record.account.balance == 99)
  }

  /// The keys of a large journal take no memory then: a file of this process alone has them.
  @Test func aReaderWithoutRightsMakesAnIndexOfItsOwn() throws {
    try removeIndex()
    system.forbiddenNames = ["index.build.new", "index.new"]
    let folder = try TemporaryStore().directory
    try folder.create()
    let store = try store(temporaryFolder: folder.path)
    let journal = try JournalFile(in: store.directory, .read)
    try journal.refreshWhole()
    let index = JournalIndex(of: journal, in: store, .read)
    let finder = RecordFinder(journal: journal, pending: index.changes)
    try index.make(finder)
    #expect(index.changes.isEmpty)
    #expect(try index.prepare() == journal.lastBatchStart)
    #expect(try finder.newest(of: "bob" as Name)?.newest.record.account.name == "bob")
    #expect(try finder.newest(of: RecordKey.transaction("t-2")) != nil)
    #expect(try folder.names().isEmpty)

    let books = try store.books()
    for units: Int64 in 1...3 {
      #expect(try books.newest(of: .account("eve"))?.record.account.balance != 0)
      try ledger.perform(ledger.charge("eve", key: Name(trusted: "k-\(units)"), units: units))
    }
    #expect(try books.newest(of: .account("eve"))?.record.account.balance == 94)
    // Other books in their place are read from their start.
    let other = try LedgerStore()
    try other.perform(other.charge("bob", key: "k", units: 40))
    try ledger.files.directory.replaceFile(
      JournalFile.name, with: other.files.bytes(JournalFile.name))
    #expect(try books.newest(of: .account("bob"))?.record.account.balance == 60)
  }

  /// A process that may not replace a damaged index makes its own, too.
  @Test func aDamagedIndexIsDoneWithoutByWhoMayNotReplaceIt() throws {
    let expected = try balance(ledger.store)
    var index = try ledger.files.bytes(IndexFile.name)
    for place in IndexLayout.headerByteCount..<2 * IndexLayout.headerByteCount { index[place] ^= 1 }
    try ledger.files.write(index, to: IndexFile.name)
    system.forbiddenNames = ["index.build.new", "index.new"]
    let folder = try TemporaryStore().directory
    try folder.create()
    #expect(try balance(try store(temporaryFolder: folder.path)) == expected)
  }

  /// Nor does a full disk keep anybody from reading.
  @Test func withoutAnyIndexTheKeysAreNotedInMemory() throws {
    let expected = try balance(ledger.store)
    system.forbiddenNames = ["index.build.new", "index.new"]
    for folder in ["/nowhere", ledger.files.directory.path] {
      try removeIndex()
      #expect(try balance(try store(temporaryFolder: folder)) == expected)
      for failing in 1...60 {
        system.failing = system.callCount + failing
        _ = try? balance(try store(temporaryFolder: folder))
        system.failing = nil
      }
      #expect(try balance(try store(temporaryFolder: folder)) == expected)
    }
  }

  @Test(arguments: [true, false]) func writersDoNotBlockOneAnother(mayWriteIndex: Bool) throws {
    try removeIndex()
    if !mayWriteIndex { system.forbiddenNames = ["index", "index.build.new", "index.new"] }
    let check = try whileTheJournalIsRead {
      try ledger.perform(ledger.charge("eve", key: "meanwhile", units: 1))
    }
    let gate = LocalCreditGate(try store()) { _ in "new" }
    for isReplay in [false, true] {
      let answers = try gate.perform(
        [ledger.charge("eve", key: "mine", units: 1)], under: ledger.store.policy())
      guard case .receipt(let charge, isReplay) = try answers[0].get() else {
        Issue.record("\(answers[0])")
        return
      }
      #expect(charge.receipt.newBalance == 98)
    }
    try check()
    #expect(try ledger.store.verify().findings.isEmpty)
  }

  /// Also for longer than the lock is waited for.
  @Test func anIndexIsWaitedForAsLongAsItsMakingGoesOn() throws {
    try removeIndex()
    let directory = ledger.files.directory
    let journal = try JournalFile(in: directory, .read)
    let making = try IndexFile(making: "index.build", in: directory)
    var waits = 0
    system.lockOutcome = { wait in
      if wait == 0 { return nil }
      waits += 1
      if waits > 3 { return nil }
      try making.commit(
        PendingIndex(over: making, PosixSystem()), of: journal, to: 0, isSynced: false)
      return false
    }
    let gate = LocalCreditGate(try store()) { _ in "new" }
    let request = ledger.charge("eve", key: "k", units: 1)
    _ = try gate.perform([request], under: ledger.store.policy())[0].get()
    #expect(waits == 4)
    #expect(try ledger.store.verify().findings.isEmpty)
  }

  @Test func aStalledIndexIsNotWaitedFor() throws {
    try removeIndex()
    _ = try IndexFile(making: "index.build", in: ledger.files.directory)
    var waits = 0
    system.lockOutcome = { wait in
      if wait == 0 { return nil }
      waits += 1
      return false
    }
    let gate = LocalCreditGate(try store()) { _ in "new" }
    let error = #expect(throws: CreditError.self) {
      try gate.perform([ledger.charge("eve", key: "k", units: 1)], under: ledger.store.policy())
    }
    #expect(error?.code == .storeLocked)
    #expect(waits == 2)
  }

  @Test func aRebuildLocksNoProcessOut() throws {
    let before = try ledger.files.bytes(IndexFile.name)
    let check = try whileTheJournalIsRead {
      #expect(try ledger.files.bytes(IndexFile.name) == before)
      try ledger.perform(ledger.charge("eve", key: "meanwhile", units: 1))
    }
    try store().rebuild()
    try check()
    #expect(try ledger.files.bytes(IndexFile.name) != before)
    #expect(try coverage() == ledger.files.bytes(JournalFile.name).count)
    #expect(try ledger.store.verify().findings.isEmpty)
  }

  /// Also if any other call fails.
  @Test func aRebuildThatFailsLeavesTheOldIndex() throws {
    let names = try ledger.files.directory.names().sorted()
    system.isLasting = true
    system.code = 28  // ENOSPC
    var failing = 1
    while true {
      system.failing = system.callCount + failing
      let result = Result { try store().rebuild() }
      let failedCall = system.failedCall
      system.failing = nil
      if case .success = result { break }
      #expect(try coverage() > 0)
      // The remains of a lasting failure are used again.
      #expect(try ledger.store.verify().findings.isEmpty, "\(failing): \(failedCall ?? "")")
      failing += 1
    }
    #expect(failing > 20)
    #expect(try ledger.files.directory.names().sorted() == names)
  }

  @Test func anIndexOfAnotherUserIsMadeAgain() throws {
    try ledger.perform(ledger.charge("eve", key: "k", units: 1))
    system.forbiddenNames = [IndexFile.name]
    let expected = try balance(ledger.store)
    #expect(try balance(try store()) == expected)
    // It may not be opened under its name, either; the new one is there for all others.
    #expect(try coverage() > 0)
    let gate = LocalCreditGate(try store()) { _ in "new" }
    let answers = try gate.perform(
      [ledger.charge("eve", key: "k", units: 1)], under: ledger.store.policy())
    guard case .receipt(_, isReplay: true) = try answers[0].get() else {
      Issue.record("\(answers[0])")
      return
    }
  }

  /// In a small store too.
  @Test func anIndexThatAWriterMayNotOpenIsReplaced() throws {
    system.forbiddenNames = [IndexFile.name]
    let store = LocalStore(at: ledger.files.directory.path, system: system)
    let gate = LocalCreditGate(store) { _ in "new" }
    for key: Name in ["k-1", "k-2"] {
      _ = try gate.perform([ledger.charge("eve", key: key, units: 1)], under: store.policy())[0]
        .get()
    }
    #expect(try coverage() >= lastBatchStart)
    #expect(try ledger.store.verify().findings.isEmpty)
  }

  @Test func recordsAreCountedWithAnyIndex() throws {
    let count = try ledger.lines().count - 1
    #expect(try StoreReader(ledger.store).info().summary.recordCount == count)
    try removeIndex()
    #expect(try StoreReader(try store()).info().summary.recordCount == count)
    #expect(try StoreReader(try store()).info().summary.recordCount == count)
    try removeIndex()
    system.forbiddenNames = ["index.build.new", "index.new"]
    let reader = try StoreReader(try store())
    #expect(try reader.info().summary.recordCount == count)
    try ledger.perform(ledger.charge("eve", key: "k", units: 1))
    #expect(try reader.info().summary.recordCount == count + 2)
  }
}
