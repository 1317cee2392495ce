import CreditModel
import Testing

@testable import CreditStore
@testable import TestSupport

/// A process continues after a call failed while it noted lines that the index lacks: no record is
/// counted twice.
struct JournalIndexTests {
  private let ledger: LedgerStore
  /// The index of the first lines.
  private let index: [UInt8]
  private let lines: [[UInt8]]

  init() throws {
    ledger = try LedgerStore.filled()
    index = try ledger.files.bytes(IndexFile.name)
    for key: Name in ["later-1", "later-2", "later-3"] {
      try ledger.perform(
        ledger.charge("bob", key: key, units: 1), ledger.charge("eve", key: key, units: 1))
    }
    lines = try ledger.lines()
  }

  /// Has each call of `body` fail in turn, and has it done again then.
  private func eachFailure<Process>(
    of process: (LocalStore) throws -> Process, before: (Process) throws -> Void,
    in body: (Process) throws -> Void, check: (Process) throws -> Void
  ) throws {
    var failing = 0
    while true {
      let system = FaultySystem()
      let process = try process(
        LocalStore(ledger.store.location, options: StoreOptions(syncs: false), system: system))
      try before(process)
      failing += 1
      system.failing = system.callCount + failing
      try? body(process)
      system.failing = nil
      try body(process)
      try check(process)
      if system.failedCall == nil { break }
    }
    #expect(failing > 10)
  }

  @Test func aWriterGoesOn() throws {
    let policy = try ledger.store.policy()
    try eachFailure { store in
      LocalCreditGate(store) { _ in "new" }
    } before: { _ in
      try ledger.write(lines)
    } in: { gate in
      _ = try gate.perform([], under: policy)
    } check: { _ in
      let summary = try ledger.store.verify()
      #expect(summary.findings.isEmpty)
    }
  }

  /// A reader keeps the entries that the index lacks, and notes later ones.
  @Test func aReaderGoesOn() throws {
    try eachFailure { store in
      try StoreReader(store)
    } before: { reader in
      try ledger.write(lines.dropLast(2))
      try ledger.files.directory.replaceFile(IndexFile.name, with: index)
      try reader.locked { _ in }
      #expect(reader.recordCount == lines.count - 3)
      try ledger.write(lines, keepsIndex: true)
    } in: { reader in
      try reader.locked { _ in }
    } check: { reader in
      #expect(reader.recordCount == lines.count - 1)
    }
  }
}
