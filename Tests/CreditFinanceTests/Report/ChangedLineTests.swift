import Testing

@testable import CreditFinance

/// Lines that a follower repeats: `"changed":true`.
@Suite struct ChangedLineTests {
  private static func purchase(_ status: String, _ more: String = "") -> String {
    line("p", "a", "purchase", 500, at: "2026-01-02T10:00", status: status, balance: 500, more)
  }

  private static let completed = changed("completed", at: "03")
  private static let refunded = changed("refunded", at: "04")
  private static let restored = changed("completed", at: "05")

  /// The purchase, completed on the 3rd of February, as it was repeated on another day.
  private static func changed(_ status: String, at day: String) -> String {
    let updated = #""updatedAt":"2026-02-\#(day)T10:00:00.000Z""#
    return purchase(
      status, #"\#(updated),"completedAt":"2026-02-03T10:00:00.000Z","changed":true"#)
  }

  private func isRepetition(_ text: String) throws -> Bool {
    var isRepetition = false
    try withLine(text) { isRepetition = $0.isRepetition }
    return isRepetition
  }

  @Test func onlyACompletionIsNews() throws {
    #expect(try isRepetition(Self.completed) == false)
    #expect(try isRepetition(Self.refunded))
    #expect(try isRepetition(Self.restored))
    #expect(try isRepetition(Self.purchase("failed", #""changed":true"#)) == false)
    #expect(try isRepetition(Self.purchase("refunded")) == false)
    // Completed in the millisecond in which it was recorded.
    let atOnce = Self.purchase(
      "completed", #""updatedAt":"2026-01-02T10:00:00.000Z","changed":true"#)
    #expect(try isRepetition(atOnce) == false)
  }

  @Test func aPageHasEachTransactionOnce() throws {
    let book = PageBook(of: period())
    for text in [Self.purchase("pending"), Self.completed] {
      try withLine(text) { try book.add($0) }
    }
    #expect(book.lineCount == 1 && book.sums.sold == 500)
    #expect(book.newest.shown.lines.map(\.status) == ["completed"])
    #expect(book.newest.monthCounts.map(\.month) == ["2026-02"])
    #expect(book.newest.monthCounts.map(\.count) == [1])
  }

  @Test func aPageThatBeganBehindATransactionHasItsChange() throws {
    let book = PageBook(of: period())
    try withLine(Self.completed) { try book.add($0) }
    #expect(book.lineCount == 1 && book.sums.sold == 500)
  }
}
