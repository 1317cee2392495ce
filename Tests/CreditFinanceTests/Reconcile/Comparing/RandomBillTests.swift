import CreditModel
import Testing

@testable import CreditFinance
@testable import TestSupport

/// Random bills and books against a slow rule, in millionths of a dollar: the causes sum to the
/// difference, and planted differences are found.
@Suite(.slow) struct RandomBillTests {
  /// A call as the provider saw it, and as the books have it.
  private struct Call {
    var day: Int
    var model: Int
    var input: Int64
    var output: Int64
    /// Dollars a million tokens, as the books believe.
    var bookPrices: (input: Int64, output: Int64)
    var isBilled = true
    var isBooked = true
    /// The books' count of its input.
    var bookedInput: Int64

    /// In millionths of a dollar.
    var bookCost: Int64 { bookedInput * bookPrices.input + output * bookPrices.output }
  }

  private static let prices: [(input: Int64, output: Int64)] = [(5, 25), (1, 5), (3, 15)]
  private static let names = ["opus", "haiku", "sonnet"]
  private static let dayCount = 4

  private struct Month {
    var calls: [Call] = []
    var generator: SeededGenerator

    init(seed: UInt64) {
      generator = SeededGenerator(seed: seed)
      for _ in 0..<generator.number(below: 40) {
        let model = generator.number(below: 3)
        let input = Int64(generator.number(below: 100_000))
        calls.append(
          Call(
            day: generator.number(below: RandomBillTests.dayCount), model: model, input: input,
            output: Int64(generator.number(below: 10_000)),
            bookPrices: RandomBillTests.prices[model], bookedInput: input))
      }
    }

    var bills: [String] {
      var usage: [[String]] = []
      var costs: [[String]] = []
      for day in 0..<RandomBillTests.dayCount {
        var (used, cost): ([String], [String]) = ([], [])
        for model in 0..<3 {
          let own = calls.filter { $0.day == day && $0.model == model && $0.isBilled }
          if own.isEmpty { continue }
          let input = own.reduce(Int64(0)) { $0 + $1.input }
          let output = own.reduce(Int64(0)) { $0 + $1.output }
          let (name, price) = (RandomBillTests.names[model], RandomBillTests.prices[model])
          used.append(anthropicUsage(name, input: input, output: output))
          for (token, micros) in [
            ("uncached_input_tokens", input * price.input),
            ("output_tokens", output * price.output),
          ] where micros > 0 {
            cost.append(anthropicCost(Self.cents(micros), name, token, token))
          }
        }
        usage.append(used)
        costs.append(cost)
      }
      return [anthropicPage(usage), anthropicPage(costs)]
    }

    /// Millionths of a dollar as text in cents.
    private static func cents(_ micros: Int64) -> String {
      let rest = String(micros % 10_000)
      return "\(micros / 10_000)." + String(repeating: "0", count: 4 - rest.count) + rest
    }

    static func dollars(_ micros: Int64) -> String {
      let rest = String(abs(micros) % 1_000_000)
      return "\(micros < 0 ? "-" : "")\(abs(micros) / 1_000_000)."
        + String(repeating: "0", count: 6 - rest.count) + rest
    }

    var history: [String] {
      calls.enumerated().filter(\.element.isBooked).map { number, call in
        usage(
          "\(number)", "2026-11-0\(call.day + 1)T12:00:00Z", RandomBillTests.names[call.model],
          "\"inputTokens\":\(call.bookedInput),\"outputTokens\":\(call.output)",
          usd: Self.dollars(call.bookCost))
      }
    }

    /// The difference of a line in millionths of a dollar, by the slow rule.
    func difference(day: Int, model: Int) -> Int64 {
      let own = calls.filter { $0.day == day && $0.model == model }
      let price = RandomBillTests.prices[model]
      let bill = own.filter(\.isBilled).reduce(Int64(0)) {
        $0 + $1.input * price.input + $1.output * price.output
      }
      return bill - own.filter(\.isBooked).reduce(Int64(0)) { $0 + $1.bookCost }
    }

    func input(day: Int, model: Int) -> Int64 {
      calls.filter { $0.day == day && $0.model == model }.reduce(Int64(0)) {
        $0 + ($1.isBilled ? $1.input : 0) - ($1.isBooked ? $1.bookedInput : 0)
      }
    }
  }

  /// A decimal text in millionths.
  private static func micros(_ text: String?) throws -> Int64 {
    let text = try #require(text)
    let parts = text.drop { $0 == "-" }.split(separator: ".").map(String.init)
    let fraction = parts.count > 1 ? parts[1] : ""
    let padded = fraction + String(repeating: "0", count: 6 - fraction.count)
    let size = try #require(Int64(parts[0])) * 1_000_000 + #require(Int64(padded))
    return text.hasPrefix("-") ? -size : size
  }

  private func check(_ month: Month, _ seed: UInt64) throws -> Compared {
    let compared = try compare(AnthropicBill.self, month.bills, month.history.shuffled())
    var difference: Int64 = 0
    for (place, finding) in compared.result.findings.enumerated() {
      let day = try #require(Int(finding.day.suffix(2))) - 1
      let model = try #require(Self.names.firstIndex(of: finding.subject.text))
      let expected = month.difference(day: day, model: model)
      #expect(try Self.micros(compared[place, "differenceUSD"]) == expected, "seed \(seed)")
      #expect(
        finding.counts[.inputTokens] == month.input(day: day, model: model), "seed \(seed)")
      if let parts = finding.parts {
        #expect(parts.quantity.adding(parts.price)?.text == compared[place, "differenceUSD"])
      }
      let isEqual = expected == 0 && finding.counts.isZero
      #expect((finding.cause == .equal) == isEqual, "seed \(seed)")
      difference += expected
    }
    #expect(try Self.micros(compared[total: "differenceUSD"] ?? "0") == difference)
    let causes = Cause.allCases.compactMap { compared[total: "causes.\($0.rawValue)"] }
    #expect(try causes.map { try Self.micros($0) }.reduce(0, +) == difference, "seed \(seed)")
    #expect((compared[total: "ok"] == "true") == compared.causes.allSatisfy { $0 == .equal })
    return compared
  }

  @Test(arguments: 0..<40)
  func booksThatAgreeAreEqual(seed: UInt64) throws {
    let compared = try check(Month(seed: seed), seed)
    #expect(compared.causes.allSatisfy { $0 == .equal })
  }

  @Test(arguments: 0..<120)
  func anErrorThatWasPlantedIsFound(seed: UInt64) throws {
    var month = Month(seed: seed)
    guard let place = month.calls.indices.randomElement(using: &month.generator) else { return }
    month.calls[place].input += 1000
    month.calls[place].bookedInput += 1000
    let kind = seed % 4
    switch kind {
    case 0: month.calls[place].isBooked = false
    case 1: month.calls[place].isBilled = false
    case 2: month.calls[place].bookedInput -= Int64(month.generator.number(below: 999) + 1)
    default:
      // A price that is out of date for the whole line.
      for other in month.calls.indices
      where month.calls[other].day == month.calls[place].day
        && month.calls[other].model == month.calls[place].model
      {
        month.calls[other].bookPrices.input += 1
      }
    }
    let compared = try check(month, seed)
    let found = compared.result.findings.filter { $0.cause != .equal }
    let planted = month.calls[place]
    #expect(found.count == 1, "seed \(seed)")
    #expect(found[0].day == "2026-11-0\(planted.day + 1)")
    #expect(found[0].subject == .model(Self.names[planted.model]))
    let causes: [[Cause]] = [
      [.notInBooks, .quantity], [.notInBill, .quantity], [.quantity], [.price],
    ]
    #expect(causes[Int(kind)].contains(found[0].cause), "seed \(seed): \(found[0].cause)")
  }

  @Test(arguments: 0..<60)
  func causesAlwaysSumToTheDifference(seed: UInt64) throws {
    var month = Month(seed: seed)
    for place in month.calls.indices {
      if month.generator.once(in: 4) { month.calls[place].isBooked = false }
      if month.generator.once(in: 4) { month.calls[place].isBilled = false }
      if month.generator.once(in: 4) { month.calls[place].bookedInput /= 2 }
      if month.generator.once(in: 4) { month.calls[place].bookPrices.output += 3 }
    }
    _ = try check(month, seed)
  }

  /// A million tokens of one model with both errors: the parts are those that were planted.
  @Test(arguments: 1..<30)
  func countsAndPricesAreDistinguished(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let lost = Int64(generator.number(below: 100_000) + 1)
    let input = 1_000_000 + lost
    let bill = [
      anthropicPage([[anthropicUsage("opus", input: input)]]),
      anthropicPage([[anthropicCost("\(input * 5).0000", "opus", "uncached_input_tokens")]]),
    ]
    let history = usage(
      "1", "2026-11-01T12:00:00Z", "opus", "\"inputTokens\":1000000", usd: "10000")
    // Cents: $0.05 a token, of which the books know $0.01.
    let compared = try compare(AnthropicBill.self, bill, [history])
    #expect(compared.causes == [.both])
    #expect(try Self.micros(compared[0, "quantityUSD"]) == lost * 50_000)
    #expect(try Self.micros(compared[0, "priceUSD"]) == 40_000_000_000)
  }
}
