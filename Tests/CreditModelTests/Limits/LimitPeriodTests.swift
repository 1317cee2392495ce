import Testing

@testable import CreditModel
@testable import TestSupport

@Suite struct LimitPeriodTests {
  /// Beginning and end of an instant's window, of a limit that took effect long before.
  private static let windows: [(LimitPeriod, at: String, start: String, end: String)] = [
    (.hour, "2026-11-24T10:59:59.999Z", "2026-11-24T10:00:00Z", "2026-11-24T11:00:00Z"),
    (.day, "2024-02-29T23:59:59.999Z", "2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z"),
    (.week, "2026-11-24T10:00:00Z", "2026-11-23T00:00:00Z", "2026-11-30T00:00:00Z"),
    (.week, "2026-11-23T00:00:00Z", "2026-11-23T00:00:00Z", "2026-11-30T00:00:00Z"),
    (.week, "2026-11-22T23:59:59.999Z", "2026-11-16T00:00:00Z", "2026-11-23T00:00:00Z"),
    (.month, "2024-02-29T12:00:00Z", "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z"),
    (.month, "2026-12-31T23:59:59.999Z", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"),
    (.days(30), "2020-03-02T05:00:00Z", "2020-03-01T05:00:00Z", "2020-03-31T05:00:00Z"),
  ]

  @Test func windowsBeginAndEnd() {
    let since = time("2020-01-01T05:00:00Z")
    for (period, at, start, end) in Self.windows {
      #expect(period.start(of: time(at), since: since) == time(start), "\(at)")
      #expect(period.end(since: period.start(of: time(at), since: since)) == time(end), "\(at)")
    }
  }

  @Test func aWindowBeginsNoEarlierThanItsLimit() {
    let since = time("2026-11-24T10:30:00Z")
    #expect(LimitPeriod.day.start(of: time("2026-11-24T11:00:00Z"), since: since) == since)
    #expect(LimitPeriod.day.end(since: since) == time("2026-11-25T00:00:00Z"))
    #expect(LimitPeriod.total.start(of: .latest, since: since) == since)
    #expect(LimitPeriod.total.end(since: since) == nil)
  }

  @Test func theEndOfTimeIsTheEnd() {
    for period in [LimitPeriod.hour, .day, .week, .month, .days(366)] {
      let end = period.end(since: .latest)
      #expect(end.map { $0 <= .latest } == true)
    }
  }
}
