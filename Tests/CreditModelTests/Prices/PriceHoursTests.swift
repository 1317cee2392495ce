import CreditModel
import Testing

@testable import CreditModel

@Suite struct PriceHoursTests {
  private func time(_ text: String) throws -> Timestamp {
    try #require(Timestamp(text: "\(text):00Z"))
  }

  /// 2026-11-23 is a Monday.
  @Test(arguments: [
    ("16:30-00:30", "2026-11-23T16:29", false), ("16:30-00:30", "2026-11-23T16:30", true),
    ("16:30-00:30", "2026-11-24T00:29", true), ("16:30-00:30", "2026-11-24T00:30", false),
    ("10:00-24:00", "2026-11-23T23:59", true), ("10:00-24:00", "2026-11-23T00:00", false),
    ("00:00-00:00", "2026-11-23T12:00", true), ("12:00-12:00", "2026-11-23T03:00", true),
    ("mon-fri 00:00-01:00", "2026-11-23T00:59", true),
    ("mon-fri 00:00-01:00", "2026-11-22T00:59", false),
    ("sat-sun 00:00-24:00", "2026-11-22T23:59", true),
    ("sat-sun 00:00-24:00", "2026-11-23T00:00", false),
    ("sun 22:00-02:00", "2026-11-23T01:59", true), ("sun 22:00-02:00", "2026-11-22T01:59", false),
    ("fri-mon 09:00-17:00", "2026-11-23T09:00", true),
    ("fri-mon 09:00-17:00", "2026-11-24T09:00", false),
    ("thu 00:00-24:00", "1970-01-01T00:00", true), ("wed 00:00-24:00", "1969-12-31T23:59", true),
  ])
  func contains(_ hours: String, _ time: String, _ isWithin: Bool) throws {
    let hours = try #require(PriceHours(text: hours))
    #expect(hours.contains(try self.time(time)) == isWithin)
  }

  @Test(arguments: [
    "", "16:30", "16:30-", "-00:30", "1:30-2:30", "16:30-24:01", "24:00-01:00", "16:60-17:00",
    "mon 16:30", "mon-xxx 16:30-17:00", "mon-tue-wed 16:30-17:00", "16:30-17:00 mon",
    "mon  16:30-17:00", "+1:30-02:30", "16:30-17:00-18:00",
  ])
  func refuses(_ text: String) { #expect(PriceHours(text: text) == nil) }
}
