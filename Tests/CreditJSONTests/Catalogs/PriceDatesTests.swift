import CreditModel
import Testing

@testable import CreditJSON

/// The days on which prices were looked up, at the ends of models' sources.
struct PriceDatesTests {
  private func dates(_ models: String...) throws -> PriceDates {
    var dates = PriceDates()
    for model in models {
      try JSONDocument(#"{"models":[\#(model)]}"#).withRoot { dates.add(modelsOf: $0) }
    }
    return dates
  }

  @Test func theFirstAndTheLastDayCount() throws {
    let found = try dates(
      #"{"id":"a","source":"https://example.com, 2026-02-19"}"#,
      #"{"id":"b","source":"2025-12-31"},{"id":"c","source":"by letter, 2026-01-01"}"#)
    #expect(found.modelCount == 3)
    #expect(found.undatedCount == 0)
    #expect(found.oldest?.dayText == "2025-12-31")
    #expect(found.newest?.dayText == "2026-02-19")
  }

  @Test(arguments: ["", "2026", "see 2026-02-30", "2026-02-19 or so", "äöü 26-02-19"])
  func aSourceWithoutADayIsCounted(_ source: String) throws {
    let found = try dates(#"{"id":"a","source":"\#(source)"},{"id":"b"}"#)
    #expect(found.undatedCount == 2)
    #expect(found.oldest == nil && found.newest == nil)
  }

  @Test func theListOfTheToolsHasDays() throws {
    let found = PriceDates.standard
    #expect(found.modelCount > 100)
    #expect(found.undatedCount < 5)
    let days = [found.oldest, found.newest].compactMap { $0?.dayText }
    #expect(days.count == 2 && days == days.sorted())
  }
}
