import CreditBytes
import Testing

@testable import TestSupport

@Suite struct TimeZoneTests {
  private func expect(
    _ unit: CalendarUnit, at text: String, in zone: TimeZone, _ start: String, _ end: String
  ) {
    #expect(zone.start(of: unit, containing: time(text)) == time(start), "\(unit) at \(text)")
    #expect(zone.end(of: unit, containing: time(text)) == time(end), "\(unit) at \(text)")
  }

  @Test func daysOf23And25Hours() throws {
    let zone = try ZoneText.berlin()
    expect(
      .day, at: "2026-03-29T12:00:00Z", in: zone, "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z")
    expect(
      .day, at: "2026-10-25T12:00:00Z", in: zone, "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z")
    expect(
      .week, at: "2026-10-25T12:00:00Z", in: zone, "2026-10-18T22:00:00Z", "2026-10-25T23:00:00Z")
    expect(
      .month, at: "2026-10-31T22:59:59Z", in: zone, "2026-09-30T22:00:00Z", "2026-10-31T23:00:00Z")
    expect(
      .month, at: "2026-10-31T23:00:00Z", in: zone, "2026-10-31T23:00:00Z", "2026-11-30T23:00:00Z")
  }

  @Test func anHourThatIsShownTwiceIsTwo() throws {
    let zone = try ZoneText.berlin()
    expect(
      .hour, at: "2026-10-25T00:59:59Z", in: zone, "2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z")
    expect(
      .hour, at: "2026-10-25T01:00:00Z", in: zone, "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z")
    #expect(zone.local(time("2026-10-25T00:30:00Z")) == time("2026-10-25T02:30:00Z"))
    #expect(zone.local(time("2026-10-25T01:30:00Z")) == time("2026-10-25T02:30:00Z"))
  }

  /// Lord Howe Island's clocks change by half an hour at 02:00.
  @Test func changesOfHalfAnHour() throws {
    let zone = try ZoneText.rule("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", offset: 37_800)
    expect(
      .hour, at: "2026-04-04T14:45:00Z", in: zone, "2026-04-04T14:00:00Z", "2026-04-04T15:00:00Z")
    // 02:00 becomes 01:30: the window until 02:00 is half an hour.
    expect(
      .hour, at: "2026-04-04T15:10:00Z", in: zone, "2026-04-04T15:00:00Z", "2026-04-04T15:30:00Z")
    expect(
      .hour, at: "2026-04-04T15:30:00Z", in: zone, "2026-04-04T15:30:00Z", "2026-04-04T16:30:00Z")
    expect(
      .day, at: "2026-04-05T00:00:00Z", in: zone, "2026-04-04T13:00:00Z", "2026-04-05T13:30:00Z")
  }

  /// In Asuncion, and once in São Paulo, clocks go from 24:00 to 01:00.
  @Test func aDayThatBeginsAtOne() throws {
    let zone = try ZoneText.rule("<-04>4<-03>,M10.1.0/0,M3.4.0/0", offset: -14_400)
    expect(
      .day, at: "2023-10-01T12:00:00Z", in: zone, "2023-10-01T04:00:00Z", "2023-10-02T03:00:00Z")
    #expect(zone.local(time("2023-10-01T04:00:00Z")) == time("2023-10-01T01:00:00Z"))
    // Back from 24:00 to 23:00: the next day begins at the second midnight.
    expect(
      .day, at: "2023-03-26T03:30:00Z", in: zone, "2023-03-25T03:00:00Z", "2023-03-26T04:00:00Z")
  }

  /// Samoa had no December 30, 2011.
  @Test func aDayThatIsSkipped() throws {
    let second = time("2011-12-30T10:00:00Z").milliseconds / 1000
    let zone = try ZoneText(offsets: [-36_000, 50_400], changes: [(second, 1)]).zone()
    expect(
      .day, at: "2011-12-30T09:59:59Z", in: zone, "2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z")
    expect(
      .day, at: "2011-12-30T10:00:00Z", in: zone, "2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z")
    #expect(zone.local(time("2011-12-30T10:00:00Z")) == time("2011-12-31T00:00:00Z"))
    #expect(
      zone.start(ofDay: time("2011-12-30T00:00:00Z").dayNumber)
        == zone.start(ofDay: time("2011-12-31T00:00:00Z").dayNumber))
  }

  /// A date that comes again, as clocks go back over midnight, continues its day.
  @Test func aDayThatComesAgain() throws {
    let second = time("2026-06-02T00:01:00Z").milliseconds / 1000
    let zone = try ZoneText(offsets: [0, -3600], changes: [(second, 1)]).zone()
    expect(
      .day, at: "2026-06-01T23:59:59Z", in: zone, "2026-06-01T00:00:00Z", "2026-06-02T00:00:00Z")
    expect(
      .day, at: "2026-06-02T00:30:00Z", in: zone, "2026-06-02T00:00:00Z", "2026-06-03T01:00:00Z")
  }

  @Test func fixedOffsets() throws {
    let zone = try #require(TimeZone(offset: "-09:30"))
    expect(
      .day, at: "2026-02-28T09:29:59Z", in: zone, "2026-02-27T09:30:00Z", "2026-02-28T09:30:00Z")
    expect(
      .hour, at: "2026-02-28T09:29:59Z", in: zone, "2026-02-28T08:30:00Z", "2026-02-28T09:30:00Z")
    #expect(TimeZone(offset: "Z") == .utc)
    #expect(TimeZone.utc.end(of: .month, containing: .latest) == .latest)
    for text in ["", "02:00", "+2:00", "+24:00", "+02:60", "Europe/Berlin"] {
      #expect(TimeZone(offset: text) == nil)
    }
  }

  /// Windows follow one another without a gap, whatever the zone.
  @Test func windowsMeet() throws {
    let zones = [
      try ZoneText.berlin(), try ZoneText.rule("<-04>4<-03>,M10.1.0/0,M3.4.0/0"),
      try ZoneText.rule("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"),
      try ZoneText.rule("<-02>2<-01>,M3.5.0/-1,M10.5.0/0"),
      try ZoneText.rule("XXX3YYY2,0/0,J365/25"),
    ]
    for zone in zones {
      for unit in [CalendarUnit.hour, .day, .week, .month] {
        var instant = time("2025-12-31T23:30:00Z")
        for _ in 0..<(unit == .hour ? 9000 : 500) {
          let end = zone.end(of: unit, containing: instant)
          let last = Timestamp(milliseconds: end.milliseconds - 1)
          #expect(zone.start(of: unit, containing: end) == end)
          #expect(zone.start(of: unit, containing: last) <= instant)
          #expect(zone.end(of: unit, containing: last) == end)
          instant = end
        }
      }
    }
  }
}
