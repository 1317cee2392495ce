import CreditModel
import CreditSystem
import Testing

@testable import CreditStore
@testable import TestSupport

/// An index that is missing, old or garbage changes no answer.
struct IndexDamageTests {
  private let ledger: LedgerStore
  private let index: [UInt8]

  init() throws {
    ledger = try LedgerStore.filled()
    index = try ledger.files.bytes(IndexFile.name)
  }

  /// Has a process that starts now repeat requests, with an index in place.
  private func expectReplays(_ index: [UInt8]) throws {
    try ledger.files.write(index, to: IndexFile.name)
    let reader = try StoreReader(ledger.store)
    #expect(try reader.newest(of: .account("bob"))?.record.account.isExempt == true)
    #expect(try reader.info().summary.accountCount >= 3)
    let length = try ledger.files.bytes(JournalFile.name).count
    let gate = LocalCreditGate(ledger.store) { _ in "new" }
    let answers = try gate.perform(
      [
        ledger.charge("alice", key: "k-2", units: 33),
        ledger.topUp("bob", .transaction("t-2"), 9),
        ledger.charge("zoë \"z\"", key: "k-1", units: 120),
      ], under: ledger.store.policy())
    for answer in answers {
      switch try answer.get() {
      case .receipt(_, isReplay: true), .topUp(_, isReplay: true): break
      case let result: Issue.record("done again: \(result)")
      }
    }
    #expect(try ledger.files.bytes(JournalFile.name).count == length)
    // Damage that no look-up met is still reported.
    let findings = try ledger.store.verify().findings
    #expect(findings.allSatisfy { $0.message.contains("run credit-store rebuild") })
    if !findings.isEmpty { try ledger.store.rebuild() }
    #expect(try ledger.store.verify().findings.isEmpty)
  }

  @Test(arguments: [UInt8(0), 0xFF, 0x5A])
  func noPageCanBeLost(byte: UInt8) throws {
    for start in stride(from: 0, to: index.count, by: 4096) {
      var damaged = index
      for offset in start..<start + 4096 { damaged[offset] = byte }
      try expectReplays(damaged)
    }
  }

  @Test func aFileWithOnlyItsHeaderIsNotAnIndex() throws {
    let header = index[..<IndexLayout.headerByteCount]
    let lost = index.count - header.count
    try expectReplays(header + [UInt8](repeating: 0, count: lost))
  }

  /// A process that goes on finds out, too, also that the file it has mapped was cut off.
  @Test(arguments: [true, false]) func damageUnderARunningProcessIsFound(isCut: Bool) throws {
    try ledger.files.directory.removeFile(IndexFile.name)
    let gate = LocalCreditGate(ledger.store) { _ in "new" }
    let request = ledger.charge("alice", key: "k-4", units: 1)
    for round in 0..<3 {
      let answers = try gate.perform([request], under: ledger.store.policy())
      guard case .success(.receipt(_, let isReplay)) = answers[0], isReplay == (round > 0) else {
        Issue.record("round \(round): \(answers[0])")
        return
      }
      let file = try ledger.files.directory.open(IndexFile.name, .update)
      if isCut {
        try file.setLength(0)
      } else {
        let layout = IndexLayout(seed: (0, 0))
        let zeros = [UInt8](repeating: 0, count: index.count - layout.slotsOffset)
        try zeros.span.withBytes { (bytes) throws(StoreFault) in
          try file.write(bytes, at: layout.slotsOffset)
        }
      }
    }
  }

  @Test func noEntryCanChange() throws {
    var changeCount = 0
    for offset in IndexLayout.headerByteCount..<index.count where index[offset] != 0 {
      if offset % 8 > 1 { continue }
      var damaged = index
      damaged[offset] ^= 0x81
      try expectReplays(damaged)
      changeCount += 1
    }
    #expect(changeCount > 50)
  }

  @Test func aKilledChangeIsTakenUp() throws {
    var interrupted = index
    interrupted[IndexLayout.changingOffset] = 1
    // The sum of a page that the killed process did not come to change.
    interrupted[IndexLayout.headerByteCount] ^= 1
    try expectReplays(interrupted)
    #expect(try ledger.files.bytes(IndexFile.name)[IndexLayout.changingOffset] == 0)
  }

  @Test func damageIsNotCopiedIntoALargerIndex() throws {
    let layout = IndexLayout(seed: (0, 0))
    var damaged = index
    for offset in layout.slotsOffset..<damaged.count { damaged[offset] = 0 }
    try ledger.files.write(damaged, to: IndexFile.name)
    let gate = LedgerStore.gate(ledger.store, ids: "new")
    let requests = (0..<2000).map { ledger.charge("dora", key: Name(trusted: "d-\($0)"), units: 0) }
    for answer in try gate.perform(requests, under: ledger.store.policy()) {
      _ = try? answer.get()
    }
    #expect(try ledger.files.bytes(IndexFile.name).count > index.count)
    try expectReplays(try ledger.files.bytes(IndexFile.name))
  }

  /// A process that has used many pages of an index checks the others at the beginning of a batch,
  /// unless it has to spare memory.
  @Test(arguments: [true, false]) func thePagesThatAreNotUsedAreChecked(sparesMemory: Bool) throws {
    let model = try IndexModel()
    try model.index.reserve(accountCount: 0, slotCount: 30_000)
    try model.append([.newAccount(5), .key(5)])
    try model.commit()
    let (length, pageCount) = (model.journal.length, model.index.layout.pageCount)
    model.index.sparesMemory = sparesMemory
    model.index.recheck()
    for page in 0..<pageCount / 2 + 1 {
      #expect(model.index.lookup(UInt64(page * IndexTables.slotsPerPage)) { _ in true } == nil)
    }
    try damageLastSlot(of: model)
    #expect(try model.index.prepare(for: model.journal) == (sparesMemory ? length : 0))
    #expect(!model.index.isDamaged)
  }

  /// A reader that can't rely on the sums, as a writer was killed, goes on however long.
  @Test func aReaderTrustsAKilledWritersIndex() throws {
    let model = try IndexModel()
    try model.index.reserve(accountCount: 0, slotCount: 30_000)
    try model.append([.newAccount(5), .key(5)])
    try model.commit()
    model.index.isChanging = true
    try damageLastSlot(of: model)
    let reader = try IndexFile(readingIn: model.store.directory)
    for _ in 0..<300 {
      #expect(try reader.prepare(for: model.journal) == model.journal.length)
      #expect(reader.lookup(UInt64(reader.layout.slotCapacity - 1)) { _ in true } != nil)
    }
  }

  private func damageLastSlot(of model: IndexModel) throws {
    let slot: [UInt8] = [255, 255, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
    let file = try model.store.directory.open(IndexFile.name, .update)
    try slot.span.withBytes { (bytes) throws(StoreFault) in
      try file.write(bytes, at: model.index.layout.byteCount - slot.count)
    }
  }
}
