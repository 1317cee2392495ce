import CreditModel
import Testing

@testable import CreditFinance
@testable import TestSupport

/// Money of sales: income is rounded, and the rest is deferred.
@Suite struct SalesSumTests {
  private static let (start, end) = ("2026-01-01T10:00", "2026-02-01T00:00")

  /// A pack of 1,000 credits for 9.99 USD: some are used, then some expire or are refunded.
  private func pack(_ id: String, used: Int, expired: Int = 0, refunded: Int = 0) -> [String] {
    let price = #""productID":"pack","price":"9.99","currency":"USD""#
    let expiry = #","priority":50,"expiresAt":"2026-02-01T00:00:00.000Z""#
    let left = 1000 - used
    let paidBack = Self.rounded(999 * refunded)
    var lines = [
      line(
        id, id, "purchase", 1000, at: Self.start, balance: 1000,
        price + (expired > 0 ? expiry : ""))
    ]
    if used > 0 {
      lines.append(line("\(id):u", id, "usage", -used, at: "2026-01-02T10:00", balance: left))
    }
    if refunded > 0 {
      let back = #""productID":"pack","price":"\#(Self.text(paidBack))","currency":"USD""#
      lines.append(
        line(
          "refund:\(id)", id, "refund", -refunded, at: "2026-01-03T10:00",
          balance: left - refunded, back))
    }
    if expired > 0 {
      lines.append(
        line(
          "expiry:\(id)", id, "expiry", -expired, at: Self.end,
          balance: left - refunded - expired, #""grant":"\#(id)""#))
    }
    return lines
  }

  /// Thousandths of a cent in cents, half to even.
  private static func rounded(_ thousandths: Int) -> Int {
    let (cents, rest) = thousandths.quotientAndRemainder(dividingBy: 1000)
    return cents + (rest > 500 || rest == 500 && cents % 2 == 1 ? 1 : 0)
  }

  private static func text(_ cents: Int) -> String {
    ExactDecimal(Int128(cents), places: 2).fullText
  }

  private func revenue(_ lines: [String]) throws -> GrantRevenue {
    var timeline = GrantTimeline()
    for line in lines {
      try withLine(line) {
        let hasRoom = try timeline.add($0)
        #expect(hasRoom)
      }
    }
    return try GrantRevenue(timeline, in: period(), now: .earliest)
  }

  /// Revenue, breakage, money kept at refunds, and the deferred rest, in cents.
  private func cents(_ lines: [String]) throws -> [Int] {
    let revenue = try revenue(lines)
    let parts: [GrantRevenue.Part] = [.earned, .breakage, .kept, .deferred]
    return parts.map { part in
      let sum = revenue[part].first { $0.currency == "USD" }?.sum ?? .zero
      return sum.coefficient(atScale: 2).map { Int($0) } ?? .max
    }
  }

  @Test func aSaleAloneMovesNoIncome() throws {
    let used = pack("a", used: 500)
    #expect(try cents(used) == [500, 0, 0, 499])
    for count in 1...4 {
      let more = (1...count).flatMap { pack("b\($0)", used: 0) }
      #expect(try cents(used + more) == [500, 0, 0, 499 + 999 * count])
    }
  }

  @Test func useMovesNoBreakage() throws {
    let expired = pack("a", used: 500, expired: 500)
    for used in [0, 1, 500, 999, 1000] {
      #expect(try cents(expired + pack("b", used: used))[1] == 499, "\(used)")
    }
  }

  /// Of 700 refunded credits 0.003 USD are kept, which would round the sum of both up.
  @Test func aRefundMovesNoBreakage() throws {
    let expired = pack("a", used: 500, expired: 500)
    for refunded in stride(from: 100, through: 1000, by: 100) {
      let sums = try cents(expired + pack("b", used: 0, refunded: refunded))
      #expect(sums[1] == 499, "\(refunded)")
    }
  }

  /// Both halves of 9.99 are 4.995, and 5.00 twice would leave a debt of the customer.
  @Test func nothingIsDeferredOfAPackThatIsUsedUp() throws {
    let expired = pack("a", used: 500, expired: 500)
    #expect(try cents(expired) == [500, 499, 0, 0])
    #expect(try cents(expired + pack("b", used: 0)) == [500, 499, 0, 999])
    #expect(try cents(pack("a", used: 500, refunded: 500)) == [500, 0, -1, 0])
    #expect(try cents(pack("a", used: 333, expired: 334, refunded: 333)) == [333, 334, -1, 0])
  }

  /// Revenue and the rest of the income are their rounded exact sums beside any other sales. No
  /// liability is below 0, or stays if all credits are gone.
  @Test(arguments: UInt64(1)...40)
  func allPartsSumToWhatWasPaid(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var lines: [String] = []
    var (used, left, paid, unused) = (0, 0, 0, 0)
    let usesAll = random.once(in: 2)
    for number in 1...6 {
      let parts = (0..<2).map { _ in random.pick(0, 250, 333, 500, random.number(below: 500)) }
      let rest = 1000 - parts[0] - parts[1]
      let isExpired = usesAll || random.once(in: 2)
      lines += pack("p\(number)", used: parts[0], expired: isExpired ? rest : 0, refunded: parts[1])
      used += parts[0]
      left += isExpired ? 0 : rest
      paid += 999 - Self.rounded(999 * parts[1])
      unused += 999 * (parts[1] + (isExpired ? rest : 0)) - 1000 * Self.rounded(999 * parts[1])
      let sums = try cents(lines)
      // Half a cent goes up in revenue, and down in the others.
      #expect(sums[0] == (999 * used + 500) / 1000, "seed \(seed)")
      #expect(1000 * (sums[1] + sums[2]) - unused < 500, "seed \(seed)")
      #expect(unused - 1000 * (sums[1] + sums[2]) <= 500, "seed \(seed)")
      #expect(sums.reduce(0, +) == paid && sums[3] >= 0, "seed \(seed): \(sums)")
      #expect(abs(1000 * sums[3] - 999 * left) < 2000, "seed \(seed): \(sums)")
      if left == 0 { #expect(sums[3] == 0, "seed \(seed): \(sums)") }
      let before = try cents(lines + pack("new", used: 0))
      #expect(before[..<3] == sums[..<3], "seed \(seed)")
    }
  }
}
