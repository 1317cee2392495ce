import CreditModel
import Testing

@testable import CreditFinance

/// Lines that come twice, as in exports that overlap.
@Suite struct RepeatedLinesTests {
  private static func usage(_ number: Int) -> String {
    line("u\(number)", "a\(number % 7)", "usage", -1, at: "2026-01-02T10:00", balance: -number)
  }

  @Test func aSampleOfManyLinesIsCompared() throws {
    var lines = RepeatedLines(limit: 64)
    for number in 0..<5000 { try withLine(Self.usage(number)) { try lines.note($0, number: 1) } }
    // A sample that is full is halved by chance: to 32 or so, and hardly ever below 16.
    var found = 0
    for number in 0..<5000 {
      try withLine(Self.usage(number)) { line in
        do { try lines.note(line, number: 1) } catch { found += 1 }
      }
    }
    #expect(found >= 16)
  }

  /// So it is of the times at which plans ended, which are as many as accounts.
  @Test func timesAreASampleToo() throws {
    var lines = RepeatedLines(limit: 64)
    for number in 0..<5000 {
      for credits in [5, -5, 5] {
        let balance = max(0, credits)
        let turn = line(
          "q", "a\(number)", "quota", credits, at: "2026-01-02T10:00", balance: balance)
        try withLine(turn) { try lines.note($0, number: 1) }
      }
    }
    #expect(lines.seen.count <= 66)
  }

  @Test func aLineIsKnownByAllThatASumTakesFromIt() throws {
    var lines = RepeatedLines()
    let more = #""updatedAt":"2026-02-01T00:00:00.000Z""#
    func purchase(
      _ account: String = "a", credits: Int = 5, balance: Int = 5, status: String = "completed",
      _ more: String = ""
    ) -> String {
      line(
        "p", account, "purchase", credits, at: "2026-01-02T10:00", status: status, balance: balance,
        more)
    }
    let others = [
      purchase(), purchase("b"), purchase(credits: 6), purchase(balance: 6),
      purchase(status: "pending"), purchase(status: "pending"),
      purchase("", #""changed":true"#),
    ]
    for text in others { try withLine(text) { try lines.note($0, number: 1) } }
    #expect(throws: CreditError.self) {
      try withLine(purchase(status: "refunded", more)) { try lines.note($0, number: 9) }
    }
  }

  @Test func turnsOfQuotasAreComparedToo() throws {
    var lines = RepeatedLines()
    func turn(_ id: String, _ type: String, _ credits: Int, balance: Int) throws {
      try withLine(line(id, "a", type, credits, at: "2026-01-02T10:00", balance: balance)) {
        try lines.note($0, number: 1)
      }
    }
    try turn("q", "quota", 5, balance: 5)
    try turn("e", "expiry", -5, balance: 0)
    #expect(throws: CreditError.self) { try turn("q", "quota", 5, balance: 5) }
    #expect(throws: CreditError.self) { try turn("e", "expiry", -5, balance: 0) }
    // At one instant a plan may begin, end and begin again.
    try turn("q", "quota", -5, balance: 0)
    try turn("q", "quota", 5, balance: 5)
    // So may a plan that two payments of a batch renew.
    var renewed = RepeatedLines()
    for number in 1...2 {
      for (type, credits) in [("expiry", -5), ("quota", 5), ("subscription", 0)] {
        let turn = line(
          type == "subscription" ? "s\(number)" : type, "a", type, credits,
          at: "2026-01-02T10:00", balance: credits < 0 ? 0 : 5)
        try withLine(turn) { try renewed.note($0, number: 1) }
      }
    }
  }
}
