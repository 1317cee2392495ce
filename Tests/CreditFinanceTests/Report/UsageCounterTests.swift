import CreditBytes
import Testing

@testable import CreditFinance

@Suite struct UsageCounterTests {
  private static func usage(_ id: String, _ day: Int, _ input: Int, _ more: String = "") -> String {
    line(
      id, "a", "usage", -1, at: "2026-01-0\(day)T10:00",
      #""model":"m","usage":{"inputTokens":\#(input)}\#(more)"#)
  }

  /// Returns the counts of lines in each group: a line's group is its place.
  private func counts(
    _ lines: [String], of isCounted: (ReportLine) -> Bool = { _ in true }
  ) throws -> [Int: Int64] {
    var counter = UsageCounter()
    var sums: [Int: Int64] = [:]
    for (place, text) in lines.enumerated() {
      try withLine(text) {
        for change in counter.changes(by: $0, in: isCounted($0) ? place : nil) {
          #expect(change.kind.member.description == "inputTokens")
          sums[change.group, default: 0] += change.count
        }
      }
    }
    return sums.filter { $0.value != 0 }
  }

  private static let corrected = [
    usage("c1", 1, 100), usage("c2", 2, 7), usage("amend:c1:1:old", 3, 100),
    usage("amend:c1:1", 3, 40), usage("amend:c1:2", 4, 60), usage("c3", 5, 1),
  ]

  @Test func aCorrectionCountsItsDifferenceInEitherOrder() throws {
    #expect(try counts(Self.corrected) == [0: 100, 1: 7, 2: -100, 3: 40, 4: 20, 5: 1])
    #expect(try counts(Self.corrected.reversed()) == [0: 1, 1: 20, 2: 40, 3: -100, 4: 7, 5: 100])
  }

  /// Exports of some months, each the newest first, may follow one another in any order.
  @Test func correctionsOfLaterExportsCountTheirDifferences() throws {
    let numbers = [100, 120, 150, 160, 200]
    let lines = numbers.enumerated().map { place, input in
      Self.usage(place == 0 ? "c1" : "amend:c1:\(place)", place + 1, input)
    }
    for places in [[0, 2, 1, 4, 3], [4, 3, 0, 2, 1], [2, 1, 4, 3, 0], [2, 0, 4, 1, 3]] {
      let counts = try counts(places.map { lines[$0] })
      #expect(places.indices.map { counts[$0] } == places.map { [100, 20, 30, 10, 40][$0] })
    }
  }

  @Test func aLineThatDoesNotCountTellsTheUseBefore() throws {
    for lines in [Self.corrected, Self.corrected.reversed()] {
      #expect(try counts(lines) { $0.timestamp.text.contains("01-04") }.values.sorted() == [20])
      #expect(try counts(lines) { $0.timestamp.text.contains("01-01") }.values.sorted() == [100])
    }
  }

  @Test func aLineThatComesAgainCountsOnce() throws {
    #expect(try counts(Self.corrected + [Self.corrected[4]])[6] == nil)
  }

  @Test func atOneTimeTheNumbersOfCorrectionsDecide() throws {
    let lines = [
      Self.usage("c1", 1, 100), Self.usage("amend:c1:1", 1, 40), Self.usage("amend:c1:2", 1, 60),
    ]
    #expect(try counts(lines) == [0: 100, 1: -60, 2: 20])
    #expect(try counts(lines.reversed()) == [0: 20, 1: -60, 2: 100])
    #expect(
      try counts(lines.reversed() + [Self.usage("c0", 1, 5)]) == [0: 20, 1: -60, 2: 100, 3: 5])
  }

  @Test func aCorrectionWithoutItsChargeCounts() throws {
    #expect(try counts([Self.corrected[4], Self.corrected[5]]) == [0: 60, 1: 1])
  }

  @Test func pricedLinesWithoutIdsAllCount() throws {
    let priced = #"{"model":"m","usage":{"inputTokens":5},"credits":1}"#
    #expect(try counts([priced, priced]) == [0: 5, 1: 5])
  }
}
