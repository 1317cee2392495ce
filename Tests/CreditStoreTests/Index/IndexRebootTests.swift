import CreditModel
import CreditSystem
import Testing

@testable import CreditStore
@testable import TestSupport

/// Only the part of a journal after the index's checkpoint is read after a restart of the machine.
struct IndexRebootTests {
  private let ledger: LedgerStore
  private let system = FaultySystem()
  /// How much of the journal came after the checkpoint.
  private let laterByteCount: Int

  /// Bytes that may be read beside the lines in question: ends of lines, and accounts' newest ones
  /// with their neighbours.
  private static let restByteCount = 100_000

  init() throws {
    ledger = try LedgerStore()
    try ledger.charge("bob", batches: 4)
    // A rebuild does not sync the last batch: so it is a small one.
    try ledger.perform(ledger.charge("eve", key: "before", units: 1))
    try ledger.store.rebuild()
    let length = try ledger.files.bytes(JournalFile.name).count
    try ledger.perform(ledger.charge("eve", key: "later", units: 1))
    laterByteCount = try ledger.files.bytes(JournalFile.name).count - length
    #expect(length > 6 * Self.restByteCount)
  }

  /// How many bytes a process that starts now reads.
  private func readByteCount(_ body: (LocalStore) throws -> Void) throws -> Int {
    let length = try ledger.files.bytes(JournalFile.name).count
    var count = 0
    system.beforeRead = { offset, wanted in count += max(0, min(wanted, length - offset)) }
    try body(LocalStore(at: ledger.files.directory.path, system: system))
    system.beforeRead = { _, _ in }
    return count
  }

  private func read(_ store: LocalStore) throws {
    let books = try store.books()
    #expect(try books.newest(of: .account("eve"))?.record.account.balance == 98)
    #expect(try books.newest(of: .account("bob"))?.record.account.recordCount == 4001)
  }

  private func write(_ store: LocalStore) throws {
    let gate = LocalCreditGate(store) { _ in "new" }
    let repeated = ledger.charge("eve", key: "later", units: 1)
    let answers = try gate.perform([repeated], under: ledger.store.policy())
    guard case .receipt(_, isReplay: true) = try answers[0].get() else {
      Issue.record("\(answers[0])")
      return
    }
  }

  private func isLittle(_ byteCount: Int) -> Bool {
    byteCount < laterByteCount + Self.restByteCount
  }

  @Test func afterARebootLittleIsRead() throws {
    system.boot = BootID(high: 4, low: 2)
    #expect(isLittle(try readByteCount(read)))
    #expect(isLittle(try readByteCount(write)))
    system.boot = BootID(high: 4, low: 3)
    #expect(isLittle(try readByteCount(write)))
    #expect(isLittle(try readByteCount(read)))
    #expect(try ledger.store.verify().findings.isEmpty)
  }

  /// Every process is as one after a reboot then.
  @Test func littleIsReadIfRebootsAreUnknown() throws {
    system.tellsBoot = false
    for _ in 0..<2 {
      #expect(isLittle(try readByteCount(read)))
      #expect(isLittle(try readByteCount(write)))
    }
    #expect(try ledger.store.verify().findings.isEmpty)
  }

  /// An index that was never on disk is made anew once, and brought there.
  @Test(arguments: [true, false]) func anIndexWithoutACheckpointIsMadeOnce(tellsBoot: Bool) throws {
    try ledger.files.directory.removeFile(IndexFile.name)
    let length = try ledger.files.bytes(JournalFile.name).count
    system.tellsBoot = tellsBoot
    system.boot = BootID(high: 4, low: 2)
    func make(_ store: LocalStore) throws {
      var options = StoreOptions()
      options.lockedByteCount = 0
      try read(LocalStore(store.location, options: options, system: system))
    }
    #expect(try readByteCount(make) >= length)
    system.boot = BootID(high: 4, low: 3)
    #expect(isLittle(try readByteCount(read)))
  }
}
