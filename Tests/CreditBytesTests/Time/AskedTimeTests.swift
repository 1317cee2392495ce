import CreditModel
import Testing

@Suite struct AskedTimeTests {
  private let now = Timestamp(text: "2026-03-01T10:30:00Z")

  @Test(arguments: [
    ("2026-02-19T10:00:00+02:00", "2026-02-19T08:00:00.000Z"),
    ("2026-02-19", "2026-02-19T00:00:00.000Z"),
    ("2024-02-29", "2024-02-29T00:00:00.000Z"),
    ("2026-02", "2026-02-01T00:00:00.000Z"),
    ("0001-01", "0001-01-01T00:00:00.000Z"),
    ("now", "2026-03-01T10:30:00.000Z"),
    ("today", "2026-03-01T00:00:00.000Z"),
    ("yesterday", "2026-02-28T00:00:00.000Z"), ("tomorrow", "2026-03-02T00:00:00.000Z"),
  ])
  func meansAnInstant(text: String, instant: String) throws {
    let now = try #require(now)
    #expect(AskedTime(text: text)?.time(at: now).text == instant)
  }

  @Test(arguments: [
    "", "2026", "2026-13", "2026-00", "2026-02-30", "2025-02-29", "2026-2-19", "2026-02-", "Today",
    "noon", "20260219", "2026-02-19T", "-026-02", "2026/02", " 2026-02",
  ])
  func isNoTime(text: String) {
    #expect(AskedTime(text: text) == nil)
  }

  @Test func daysStayAmongTheKnownOnes() {
    #expect(AskedTime.word(.yesterday).time(at: .earliest) == .earliest)
    #expect(AskedTime.word(.tomorrow).time(at: .latest) == .latest)
  }

  @Test(arguments: [
    ("2026-02", "2026-03-01"), ("2026-12", "2027-01-01"), ("9999-12", nil as String?),
  ])
  func monthEndsWhereTheNextBegins(month: String, next: String?) {
    let end = next.flatMap(Timestamp.init(dateText:)) ?? .latest
    #expect(Timestamp(monthText: month)?.nextMonth == end)
  }
}
