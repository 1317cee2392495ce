import CreditModel
import Testing

@testable import CreditFinance

@Suite struct CalendarDayTests {
  /// From ISO 8601's own examples.
  @Test(arguments: [
    ("2005-01-01", "2004-W53"), ("2005-12-31", "2005-W52"), ("2007-01-01", "2007-W01"),
    ("2007-12-30", "2007-W52"), ("2007-12-31", "2008-W01"), ("2008-12-29", "2009-W01"),
    ("2010-01-03", "2009-W53"), ("1969-12-31", "1970-W01"), ("2026-02-19", "2026-W08"),
  ])
  func week(day: String, week: String) throws {
    let time = try #require(Timestamp(dateText: day))
    #expect(CalendarDay(of: time).weekText == week)
    #expect(CalendarDay(of: time).text == day)
  }

  @Test func anOffsetMovesDays() throws {
    let time = try #require(Timestamp(text: "2026-02-28T23:30:00Z"))
    let east = try #require(ReportClock(offset: "+02:00"))
    let west = try #require(ReportClock(offset: "-09:30"))
    func day(_ offset: ReportClock) -> String {
      ReportPeriod(since: nil, until: nil, clock: offset).day(of: time).text
    }
    #expect(day(.utc) == "2026-02-28")
    #expect(day(east) == "2026-03-01")
    #expect(day(west) == "2026-02-28")
    let period = ReportPeriod(since: nil, until: nil, clock: east)
    #expect(period.clock(of: time) == "01:30")
    #expect(period.clock(of: Timestamp(milliseconds: -1)) == "01:59")
    #expect(period.clockName == "UTC+02:00")
  }

  @Test(arguments: ["", "02:00", "+2:00", "+24:00", "+02:60", "+02.00", "+0a:00", "z"])
  func refusesOtherOffsets(text: String) {
    #expect(ReportClock(offset: text) == nil)
  }
}
