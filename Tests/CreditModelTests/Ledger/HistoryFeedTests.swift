import Testing

@testable import CreditModel
@testable import TestSupport

/// The feed of a store's changed lines.
@Suite struct HistoryFeedTests {
  /// A line repeats its earlier ends at each extension, and its records are searched once a page.
  @Test func extensionsAreNotSearchedForEach() throws {
    let ledger = LedgerFixture(starter: 0) {
      $0.plans = [Plan(id: "paid", quota: 30, period: .subscription)]
    }
    for days in 1...120 {
      _ = try ledger.perform(ledger.payment("p", days: Int64(days)))
      ledger.now = ledger.now.adding(.seconds(60)) ?? .latest
    }
    let books = RecordedBooks(ledger.books.records)
    var lines: [HistoryLine] = []
    var feed = HistoryFeed(after: .start)
    try feed.readOn(in: books) { fed in
      if fed.isChanged { lines.append(fed.line) }
      return true
    }
    #expect(lines.map(\.extended.count) == Array(1...119))
    #expect(books.searchCount <= 2)
    let newest = try #require(books.newest(of: .transaction("p")))
    let first = try #require(books.records.first { $0.record.historyLine?.id == "p" })
    var line = try #require(first.record.historyLine)
    line.apply(try #require(try books.revision(of: first, by: newest)))
    #expect(lines.last == line)
  }
}

/// Books of some records, all of one account.
private final class RecordedBooks: LedgerReading {
  let records: [StoredRecord]
  private(set) var searchCount = 0

  init(_ records: [LedgerRecord]) {
    self.records = records.enumerated().map {
      StoredRecord($1, at: RecordPosition(Int64($0)), previous: nil)
    }
  }

  func bookmark() -> Bookmark { bookmark(before: RecordPosition(Int64(records.count))) }

  func bookmark(before position: RecordPosition) -> Bookmark {
    Bookmark(position: position, anchor: 0)
  }

  func holds(_ bookmark: Bookmark) -> Bool { true }

  func summary(before end: RecordPosition) -> LedgerSummary { LedgerSummary() }

  func newest(of key: RecordKey) -> StoredRecord? {
    records.last { stored in
      var hasKey = false
      stored.record.keys.visit { hasKey = hasKey || $0 == key }
      return hasKey
    }
  }

  func newest(of keys: [RecordKey]) -> [StoredRecord?] { keys.map { newest(of: $0) } }

  func records(at positions: [RecordPosition]) -> [StoredRecord?] {
    positions.map { records[Int($0.value)] }
  }

  func accounts(after name: Name?, before end: RecordPosition, limit: Int) -> [StoredRecord] { [] }

  func accountList() -> (any AccountList)? { nil }

  func records(of account: Name?, before position: RecordPosition, skipping count: Int, limit: Int)
    -> [StoredRecord]
  {
    searchCount += 1
    return records.prefix(Int(position.value)).suffix(limit).reversed()
  }

  func records(after bookmark: Bookmark, before end: RecordPosition?, limit: Int) -> RecordPage {
    var page = RecordPage(from: bookmark)
    page.records = Array(records.dropFirst(Int(bookmark.position.value)).prefix(limit))
    page.next = self.bookmark(
      before: RecordPosition(bookmark.position.value + Int64(page.records.count)))
    return page
  }
}
