import CreditModel
import Testing

@testable import CreditStore
@testable import TestSupport

/// Acknowledged lines are never cut off as torn: by the journal, and by the index.
struct ShortenedJournalTests {
  /// A store with a record a batch.
  private func ledger() throws -> LedgerStore {
    let ledger = try LedgerStore.filled()
    for number in 1...12 {
      try ledger.perform(ledger.charge("bob", key: Name(trusted: "s-\(number)"), units: 1))
    }
    return ledger
  }

  /// Expects each use of the store to find damage without changing the journal.
  private func expectDamage(_ ledger: LedgerStore, _ comment: Comment) throws {
    let before = try ledger.files.bytes(JournalFile.name)
    #expect(try !ledger.store.verify().findings.isEmpty, comment)
    #expect(throws: CreditError.self, comment) {
      let export = try StoreExport(ledger.store)
      var output = JSONWriter()
      while try export.write(into: &output) {}
    }
    #expect(throws: CreditError.self, comment) { try ledger.store.rebuild() }
    #expect(try ledger.files.bytes(JournalFile.name) == before, comment)
    #expect(
      try ledger.files.directory.names().filter { $0.hasPrefix("journal.torn") } == [], comment)
  }

  /// A lost sector that leaves a line of a later batch behind it is damage.
  @Test(arguments: [true, false])
  func aLostSectorBeforeAReadableBatchIsDamage(hasIndex: Bool) throws {
    let ledger = try ledger()
    let whole = try ledger.files.bytes(JournalFile.name)
    let lines = try ledger.lines()
    let lastStart = whole.count - (lines.last?.count ?? 0) - 1
    var tried = 0
    for sector in stride(from: whole.count / 512 - 6, to: whole.count / 512, by: 1) {
      var changed = whole
      for index in sector * 512..<(sector + 1) * 512 { changed[index] = 0 }
      guard (sector + 1) * 512 <= lastStart, changed != whole else { continue }
      let newline = changed[((sector + 1) * 512)...].firstIndex(of: 10) ?? changed.count
      // If the line that it reaches into is the last, no readable line follows.
      guard newline + 1 < whole.count else { continue }
      try ledger.files.write(changed, to: JournalFile.name)
      if !hasIndex { try ledger.files.directory.removeFile(IndexFile.name) }
      try expectDamage(ledger, "sector \(sector)")
      try ledger.files.write(whole, to: JournalFile.name)
      if !hasIndex { try ledger.store.rebuild() }
      tried += 1
    }
    #expect(tried >= 3)
  }

  /// A journal that was cut, or zeroed at its end, after the index had it.
  @Test(arguments: [1, 40, 400, 900, 2000])
  func indexedLinesAreNotTorn(count: Int) throws {
    let ledger = try ledger()
    let whole = try ledger.files.bytes(JournalFile.name)
    let zeroed = whole.dropLast(count) + [UInt8](repeating: 0, count: count)
    for (bytes, way) in [(Array(whole.dropLast(count)), "cut"), (Array(zeroed), "zeroed")] {
      try ledger.files.write(bytes, to: JournalFile.name)
      try expectDamage(ledger, "\(way) by \(count)")
      let lost = bytes.count == whole.count ? nil : try ledger.store.info().lost
      #expect(lost != 0, "\(way)")
      #expect(throws: CreditError.self) {
        try ledger.perform(ledger.charge("bob", key: "after", units: 1))
      }
      #expect(try ledger.files.bytes(JournalFile.name) == bytes)
    }
    try ledger.files.write(whole, to: JournalFile.name)
    #expect(try ledger.store.verify().findings.isEmpty)
    #expect(try ledger.store.info().lost == nil)
  }

  /// Records without ids and keys are missed as any other, and by an index of earlier versions,
  /// which does not say whose it is, too.
  @Test(arguments: [true, false]) func recordsWithoutKeysAreMissed(saysWhose: Bool) throws {
    let ledger = try LedgerStore()
    for account in ["alice", "bob"] as [Name] {
      try ledger.perform(.account(AccountRequest(account: account, time: ledger.now)))
      try ledger.perform(
        .account(AccountRequest(account: account, isClosed: true, time: ledger.now)))
    }
    let lines = try ledger.lines()
    if !saysWhose {
      var index = try ledger.files.bytes(IndexFile.name)
      index.replaceSubrange(48..<72, with: [UInt8](repeating: 0, count: 24))
      try ledger.files.write(index, to: IndexFile.name)
      #expect(try ledger.store.verify().findings.isEmpty)
    }
    for count in 1..<lines.count {
      try ledger.write(Array(lines[..<count]), keepsIndex: true)
      try expectDamage(ledger, "\(count) lines")
      #expect(try ledger.store.info().lost == lines.count - count)
      #expect(throws: CreditError.self) {
        try ledger.perform(ledger.charge("carl", key: "k", units: 1))
      }
    }
  }

  /// A journal that is begun again in the place of one that is gone is not that of its index.
  @Test func aJournalThatIsBegunAgainIsAnother() throws {
    let ledger = try ledger()
    try ledger.files.directory.removeFile(JournalFile.name)
    #expect(throws: CreditError.self) { try ledger.store.info() }
    _ = try ledger.store.create(at: ledger.now)
    #expect(try ledger.store.verify().findings.isEmpty)
    #expect(try ledger.store.info().lost == nil)
    // One that is empty, and whose index knows more, has lost that.
    try ledger.perform(ledger.charge("bob", key: "k", units: 1))
    try ledger.files.write([], to: JournalFile.name)
    let error = #expect(throws: CreditError.self) { try ledger.store.create(at: ledger.now) }
    #expect(error?.code == .corruptStore)
  }

  /// How many are missing is said.
  @Test func theMissingAreCounted() throws {
    let ledger = try ledger()
    let lines = try ledger.lines()
    let kept = lines.dropLast(3).map { $0.count + 1 }.reduce(0, +)
    let whole = try ledger.files.bytes(JournalFile.name)
    try ledger.files.write(whole[..<kept], to: JournalFile.name)
    #expect(try ledger.store.info().lost == 3)
    #expect(try ledger.store.verify().findings.first?.lost == 3)
  }

  /// Damage at the end leaves the records before it readable.
  @Test func damageAtTheEndIsNoOtherLoss() throws {
    let ledger = try ledger()
    let whole = try ledger.files.bytes(JournalFile.name)
    try ledger.files.write(whole + Array("garbage\n".utf8), to: JournalFile.name)
    let added = try ledger.store.verify().findings
    #expect(added.map(\.place) == [[try ledger.lines().count, whole.count]])
    #expect(added.map(\.lost) == [nil])
    var changed = whole
    changed[whole.count - 20] ^= 1
    try ledger.files.write(changed, to: JournalFile.name)
    let start = whole.count - (try #require(ledger.lines().last?.count))
    let findings = try ledger.store.verify().findings
    #expect(findings.map(\.lost) == [1, nil])
    #expect(findings.map(\.place) == [[start], [try ledger.lines().count, start]])
  }

  /// Of a batch that was cut, those are missing that cannot be read: all who ask are told so.
  @Test func theReadableOfACutBatchAreNotMissing() throws {
    let ledger = try ledger()
    let count = try ledger.store.info().summary.recordCount
    try ledger.charge(["alice", "bob", "zoë \"z\""])
    let whole = try ledger.files.bytes(JournalFile.name)
    try ledger.files.write(whole.dropLast(40), to: JournalFile.name)
    let info = try ledger.store.info()
    #expect(info.lost == 1 && info.summary.recordCount == count + 2)
    #expect(try ledger.store.verify().findings.map(\.lost) == [1])
    let error = #expect(throws: CreditError.self) {
      try ledger.perform(ledger.charge("bob", key: "after", units: 1))
    }
    #expect(error?.lost == 1)
    let path = ledger.files.directory.path + "/dropped"
    let dropped = try ledger.store.rebuild(droppingDamagedInto: path) { _, _ in }
    #expect(dropped?.lost == 1)
    #expect(try ledger.store.verify().findings.isEmpty)
  }

  /// An unacknowledged tail is set aside and reported: by the run that does it, and afterwards.
  @Test func aTornTailIsReported() throws {
    let ledger = try ledger()
    let whole = try ledger.files.bytes(JournalFile.name)
    let line = try #require(try ledger.lines().last)
    // A batch of two, of which the first line and a part of the second came.
    var first = sealedLine(7, isContinued: true)
    first += sealedLine(8).prefix(11)
    try ledger.files.write(whole + first, to: JournalFile.name)
    let told = Told()
    var options = StoreOptions(lockTimeoutSeconds: 1, syncs: true)
    options.onTornTail = { told.tails.append($0) }
    let store = LocalStore(
      ledger.store.location, options: options, system: ledger.store.directory.system)
    try store.rebuild()
    let expected = TornTail(
      file: "journal.torn-\(whole.count)", records: 1, bytes: first.count)
    #expect(told.tails == [expected])
    #expect(try store.info().tornTails == [expected])
    #expect(try store.verify().tornTails == [expected])
    #expect(!line.isEmpty)
  }

  private final class Told: @unchecked Sendable {
    var tails: [TornTail] = []
  }
}
