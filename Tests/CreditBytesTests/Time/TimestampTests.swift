import Foundation
import Testing

@testable import CreditBytes
@testable import TestSupport

@Suite struct TimestampTests {
  @Test(arguments: [
    ("2026-02-19T10:00:00Z", "2026-02-19T10:00:00.000Z"),
    ("2026-02-19t10:00:00z", "2026-02-19T10:00:00.000Z"),
    ("2026-02-19 10:00:00Z", "2026-02-19T10:00:00.000Z"),
    ("2026-02-19T12:00:00+02:00", "2026-02-19T10:00:00.000Z"),
    ("2026-02-19T04:15:00-05:45", "2026-02-19T10:00:00.000Z"),
    ("2026-02-19T23:30:00-01:00", "2026-02-20T00:30:00.000Z"),
    ("2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00.000Z"),
    ("2026-02-19T10:00:00-00:00", "2026-02-19T10:00:00.000Z"),
    ("2026-02-19T10:00:00.5Z", "2026-02-19T10:00:00.500Z"),
    ("2026-02-19T10:00:00.05Z", "2026-02-19T10:00:00.050Z"),
    ("2026-02-19T10:00:00.123Z", "2026-02-19T10:00:00.123Z"),
    ("2026-02-19T10:00:00.1239999999999999999999999Z", "2026-02-19T10:00:00.123Z"),
    ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"),
    ("2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000Z"),
    ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
    ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
    ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
    ("0001-01-01T00:00:00-23:59", "0001-01-01T23:59:00.000Z"),
    ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
  ])
  func readsRFC3339(text: String, utc: String) {
    #expect(Timestamp(text: text)?.text == utc)
  }

  @Test(arguments: [
    "", "2026", "2026-02-19", "2026-02-19T10:00:00", "2026-02-19T10:00Z",
    "2026-02-19T10:00:00.Z", "2026-02-19T10:00:00,5Z", "2026-02-19T10:00:00+2:00",
    "2026-02-19T10:00:00+0200", "2026-02-19T10:00:00+24:00", "2026-02-19T10:00:00+00:60",
    "2026-02-19T24:00:00Z", "2026-02-19T10:60:00Z", "2026-02-19T10:00:61Z",
    "2026-00-19T10:00:00Z", "2026-13-19T10:00:00Z", "2026-02-00T10:00:00Z",
    "2026-02-29T10:00:00Z", "1900-02-29T10:00:00Z", "2026-02-30T10:00:00Z",
    "2026-04-31T10:00:00Z", "2026-01-32T10:00:00Z", "0000-12-31T23:59:59Z",
    "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "9999-12-31T23:59:60Z",
    "10000-01-01T00:00:00Z", "-026-02-19T10:00:00Z", "2026-02-19T10:00:00Z ",
    " 2026-02-19T10:00:00Z", "2026-02-19T10:00:00ZZ", "2026-02-19T1०:00:00Z", "now",
  ])
  func refusesOtherText(text: String) {
    #expect(Timestamp(text: text) == nil)
  }

  @Test func startsIn1970() {
    #expect(Timestamp(milliseconds: 0).text == "1970-01-01T00:00:00.000Z")
    #expect(time("1970-01-01T00:00:00Z").milliseconds == 0)
    #expect(Timestamp.earliest.text == "0001-01-01T00:00:00.000Z")
    #expect(Timestamp.latest.text == "9999-12-31T23:59:59.999Z")
  }

  /// Every day of ten thousand years, against a calendar that counts.
  @Test(.slow) func agreesWithACountingCalendar() {
    var year: Int64 = 1
    var month: Int64 = 1
    var day: Int64 = 1
    var errors = 0
    for number in Timestamp.earliest.dayNumber...Timestamp.latest.dayNumber {
      if Timestamp.civil(dayNumber: number) != (year, month, day) { errors += 1 }
      if Timestamp.dayNumber(year: year, month: month, day: day) != number { errors += 1 }
      day += 1
      if day > CountingCalendar.days(inMonth: month, of: year) { (month, day) = (month + 1, 1) }
      if month > 12 { (year, month) = (year + 1, 1) }
    }
    #expect(errors == 0)
    #expect(year == 10_000)
  }

  /// Random instants, against Foundation's.
  @Test func agreesWithFoundation() {
    var random = SeededGenerator(seed: 1)
    let formatter = ISO8601DateFormatter()
    for _ in 0..<2000 {
      // Foundation's calendar is Julian before 1582.
      let seconds = Int64.random(
        in: -12_000_000_000...Timestamp.latest.milliseconds / 1000, using: &random)
      let instant = Timestamp(milliseconds: seconds * 1000)
      let text = formatter.string(from: Date(timeIntervalSince1970: TimeInterval(seconds)))
      #expect(instant.text == text.dropLast() + ".000Z")
      #expect(Timestamp(text: text) == instant)
    }
  }

  @Test func addsSpansUpToTheYear9999() {
    #expect(time("2026-12-31T23:59:00Z").adding(.seconds(60)) == time("2027-01-01T00:00:00Z"))
    #expect(Timestamp.latest.adding(TimeSpan(milliseconds: 0)) == .latest)
    #expect(Timestamp.latest.adding(TimeSpan(milliseconds: 1)) == nil)
    #expect(Timestamp.latest.adding(TimeSpan(milliseconds: .max)) == nil)
    #expect(Timestamp.earliest.adding(TimeSpan(milliseconds: .max)) == nil)
  }

  @Test func roundsDaysDown() {
    #expect(Timestamp(milliseconds: -1).dayNumber == -1)
    #expect(Timestamp(milliseconds: -86_400_000).dayNumber == -1)
    #expect(Timestamp(milliseconds: -86_400_001).dayNumber == -2)
    #expect(Timestamp(milliseconds: 86_399_999).dayNumber == 0)
  }
}
