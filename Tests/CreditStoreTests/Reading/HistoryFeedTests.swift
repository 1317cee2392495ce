import Testing

@testable import CreditModel
@testable import CreditStore
@testable import TestSupport

/// Followers of the history.
struct HistoryFeedTests {
  private let ledger: LedgerStore

  init() throws {
    ledger = try LedgerStore()
  }

  private func ids(_ feed: inout HistoryFeed, _ books: any LedgerReading) throws -> [String] {
    var ids: [String] = []
    try feed.readOn(in: books) { fed in
      ids.append(fed.line.id.text + (fed.isChanged ? " changed" : ""))
      return true
    }
    return ids
  }

  private func charge(_ key: Name) -> GateRequest { ledger.charge("bob", key: key, units: 1) }

  @Test func eachLineComesOnce() throws {
    try ledger.perform(charge("k-1"))
    let books = try ledger.store.books()
    var feed = try HistoryFeed(after: books)
    #expect(try ids(&feed, books).isEmpty)
    try ledger.perform(charge("k-2"), ledger.topUp("bob", .transaction("t-1"), 5))
    #expect(try ids(&feed, books).count == 2)
    try ledger.perform(.refund(RefundRequest(reference: .transaction("t-1"), time: ledger.now)))
    #expect(try ids(&feed, books) == ["t-1 changed", "refund:t-1"])
    #expect(try ids(&feed, books).isEmpty)
  }

  /// A top-up that completes is shown with its line as it was first recorded.
  @Test func aChangedLineComesAgain() throws {
    let books = try ledger.store.books()
    var feed = try HistoryFeed(after: books)
    try ledger.perform(ledger.topUp("bob", .transaction("t-1"), 5, status: .pending))
    #expect(try ids(&feed, books) == ["starter", "t-1"])
    try ledger.perform(ledger.topUp("bob", .transaction("t-1"), 5))
    #expect(try ids(&feed, books) == ["t-1 changed"])
  }

  /// Wherever a follower stops, it goes on with the next line: also within a record that has two.
  @Test func aCursorIsAPlaceBetweenLines() throws {
    try ledger.perform(
      charge("k-1"), ledger.topUp("bob", .transaction("t-1"), 5, status: .pending),
      ledger.topUp("bob", .transaction("t-1"), 5))
    try ledger.perform(.refund(RefundRequest(reference: .transaction("t-1"), time: ledger.now)))
    try ledger.perform(charge("k-2"))
    let books = try ledger.store.books()
    var lines: [(id: String, cursor: HistoryCursor)] = []
    var feed = HistoryFeed(after: .start)
    try feed.readOn(in: books) { fed in
      let cursor = try? HistoryFeed.cursor(after: fed, in: books)
      lines.append((fed.line.id.text + (fed.isChanged ? " changed" : ""), cursor ?? .start))
      return true
    }
    #expect(lines.map(\.id).contains("t-1 changed") && lines.count == 7)
    for (place, line) in lines.enumerated() {
      let cursor = try #require(HistoryCursor(text: line.cursor.text))
      #expect(cursor == line.cursor)
      var rest = HistoryFeed(after: try HistoryPlace(in: books, of: nil).cursor(after: cursor.text))
      #expect(try ids(&rest, books) == lines[(place + 1)...].map(\.id))
    }
  }

  @Test(arguments: [
    "", "@", "@1", "@1-2", "@1-2-3", "@-1-2-0", "@01-2-0", "@1-F-0", "@1--0", "1-2-0",
  ])
  func otherTextIsNotACursor(_ text: String) {
    #expect(HistoryCursor(text: text) == nil)
  }

  @Test func aCursorOfAnotherStoreIsRefused() throws {
    try ledger.perform(charge("k-1"))
    let other = try LedgerStore()
    try other.perform(other.charge("eve", key: "e-1", units: 1))
    let end = try ledger.store.books().bookmark()
    let cursor = HistoryCursor(bookmark: end, lineCount: 0)
    let error = #expect(throws: CreditError.self) {
      try HistoryPlace(in: other.store.books(), of: nil).cursor(after: cursor.text)
    }
    #expect(error?.code == .unknownTransaction)
  }

  @Test func aStoreThatIsMadeLaterIsReadFromItsFirstRecord() throws {
    var feed = try HistoryFeed(after: EmptyLedger())
    #expect(try ids(&feed, EmptyLedger()).isEmpty)
    try ledger.perform(charge("k-1"))
    #expect(try ids(&feed, ledger.store.books()).count == 2)
  }

  @Test func aStoreWithoutRecordsIsReadFromItsFirstOne() throws {
    let books = try ledger.store.books()
    var feed = try HistoryFeed(after: books)
    #expect(try ids(&feed, books).isEmpty)
    try ledger.perform(charge("k-1"))
    #expect(try ids(&feed, books).count == 2)
  }

  /// An import puts another file in the place of a journal that has no records.
  @Test func recordsThatComeAllAtOnceAreRead() throws {
    let other = try LedgerStore()
    let books = try other.store.books()
    var feed = try HistoryFeed(after: books)
    #expect(try ids(&feed, books).isEmpty)
    try ledger.perform(charge("k-1"))
    try replaceJournal(of: other, with: ledger.files.bytes(JournalFile.name))
    #expect(try ids(&feed, books).count == 2)
  }

  /// Shorter, as long or longer: records that were not read can't be told from those that were.
  @Test(arguments: [0, 1, 2]) func aBackupInPlaceOfTheJournalIsReported(later: Int) throws {
    try ledger.perform(charge("k-1"))
    let backup = try LedgerStore()
    for number in 0..<3 where number <= later + 1 {
      try backup.perform(backup.charge("eve", key: Name(trusted: "e-\(number)"), units: 1))
    }
    let books = try ledger.store.books()
    try ledger.perform(charge("k-2"))
    var feed = try HistoryFeed(after: books)
    try replaceJournal(of: ledger, with: backup.files.bytes(JournalFile.name))
    let error = #expect(throws: CreditError.self) { try ids(&feed, books) }
    #expect(error?.code == .ioError)
    #expect(error?.message.contains("journal was replaced") ?? false)
  }

  /// After a failed sync the journal is written anew.
  @Test func theSameJournalInAnotherFileIsReadOn() throws {
    try ledger.perform(charge("k-1"))
    let books = try ledger.store.books()
    var feed = try HistoryFeed(after: books)
    try replaceJournal(of: ledger, with: ledger.files.bytes(JournalFile.name))
    #expect(try ids(&feed, books).isEmpty)
    try ledger.perform(charge("k-2"))
    #expect(try ids(&feed, books).count == 1)
  }

  private func replaceJournal(of store: LedgerStore, with bytes: [UInt8]) throws {
    try store.files.directory.replaceFile(JournalFile.name, with: bytes)
  }
}
