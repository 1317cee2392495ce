import CreditModel
import CreditSystem
import Testing

@testable import CreditStore
@testable import TestSupport

/// A journal of one version that continues in a later one.
@Suite struct JournalVersionTests {
  private static let time = Timestamp(milliseconds: 1_000_000)

  private static func line(_ version: StoreVersion) -> [UInt8] {
    JournalHeader(version: version, createdAt: time).line.withBytes { Array($0) }
  }

  @Test func theFirstLineHasOneLengthInEveryVersion() {
    for version in StoreVersion.allCases {
      let line = Self.line(version)
      #expect(line.count == JournalHeader.byteCount)
      let read = line.withBytes { JournalHeader($0) }
      #expect(read == JournalHeader(version: version, createdAt: Self.time))
    }
  }

  /// The other lines stay unchanged and in place, and a later version is never lowered.
  @Test func aJournalIsRaisedInItsPlace() throws {
    let store = try TemporaryStore()
    let rest = [sealedLine(1), sealedLine(2)]
    let journal = try store.journal([Self.line(.two)] + rest)
    #expect(try journal.version() == .two)
    try journal.raise(to: .two, sync: true)
    #expect(try journal.lines() == [Self.line(.two)] + rest)
    for version in [StoreVersion.three, .three, .two] {
      try journal.raise(to: version, sync: true)
      #expect(try journal.version() == .three)
      #expect(try journal.lines() == [Self.line(.three)] + rest)
    }
  }

  /// A process that has the first line in memory sees that another one has raised it.
  @Test func anotherProcessRaisesIt() throws {
    let store = try TemporaryStore()
    let journal = try store.journal([Self.line(.two)])
    let other = try JournalFile(in: store.directory, .update)
    try other.refresh()
    try other.raise(to: .three, sync: true)
    try journal.append(sealedLine(1))
    try journal.raise(to: .three, sync: true)
    #expect(try journal.lines() == [Self.line(.three), sealedLine(1)])
  }

  /// If the first line cannot be written, the store does not claim the later version.
  @Test func aFailedWriteHasNoEffect() throws {
    let store = try TemporaryStore()
    try store.write(Self.line(.two), to: JournalFile.name)
    let system = FaultySystem()
    let journal = try store.openJournal(system)
    system.isLasting = true
    system.failing = system.callCount + 1
    #expect(throws: StoreFault.self) { try journal.raise(to: .three, sync: true) }
    system.failing = nil
    #expect(try store.bytes(JournalFile.name) == Self.line(.two))
    try journal.raise(to: .three, sync: true)
    #expect(try store.bytes(JournalFile.name) == Self.line(.three))
  }

  /// A process that has the store open meets records of a later tool: they are no damage.
  @Test func aLaterToolRaisesItMeanwhile() throws {
    let ledger = try LedgerStore()
    try ledger.charge(["alice"])
    var lines = try ledger.lines()
    let later = StoreVersion.newest.rawValue + 1
    lines[0] = LedgerStore.resealed(
      lines[0], replacing: #""version":2"#, with: "\"version\":\(later)")
    lines.append(
      LedgerStore.resealed(lines[1], replacing: #""event":"#, with: #""novel":1,"event":"#))
    try ledger.write(lines)
    let error = try #require(throws: CreditError.self) { try ledger.charge(["bob"]) }
    #expect(error.code == .unavailable && error.message.contains("made by a later version"))
    #expect(try ledger.lines() == lines)
  }

  /// All that reads and writes goes on in a store of the later version.
  @Test func aStoreOfTheLaterVersionIsUsedAsAnyOther() throws {
    let ledger = try LedgerStore()
    try ledger.charge(["alice"])
    let journal = try ledger.files.openJournal()
    try journal.raise(to: .three, sync: true)
    try ledger.charge(["bob"])
    let summary = try ledger.store.verify()
    #expect(summary.findings.isEmpty && summary.accounts == 2)
    #expect(try ledger.store.info().version == 3)
    try ledger.store.rebuild()
    #expect(try ledger.store.verify().findings.isEmpty)
  }
}
