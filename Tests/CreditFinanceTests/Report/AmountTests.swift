import CreditModel
import Testing

@testable import CreditFinance

@Suite struct AmountTests {
  private func sum(_ texts: String...) throws -> ExactDecimal {
    var sum = ExactDecimal.zero
    for var text in texts {
      let number = text.withUTF8 { ExactDecimal(amount: Bytes($0)) }
      try sum.add(try #require(number))
    }
    return sum
  }

  @Test func isExactAndKeepsPlaces() throws {
    #expect(try sum("9.90", "0.10").fullText == "10.00")
    #expect(try sum("0.1", "0.2").fullText == "0.3")
    #expect(try sum("1", "-0.001").fullText == "0.999")
    #expect(try sum("-0.5").fullText == "-0.5")
    #expect(try sum("3e-06").fullText == "0.000003")
    #expect(try sum("0.50", "0.50").text == "1")
    #expect(try sum().fullText == "0")
  }

  @Test func refusesSumsThatDoNotFit() throws {
    let large = "9999999999999999999999999999999999999"
    #expect(throws: CreditError.self) { try sum(large, "0.000000000000000000000001") }
    var nonsense = "1.2.3"
    #expect(nonsense.withUTF8 { ExactDecimal(amount: Bytes($0)) } == nil)
  }

  @Test(arguments: [
    ("1234567.5", "1,234,567.50"), ("0.00205755", "0.002058"), ("-12.345", "−12.34"), ("0", "0.00"),
  ])
  func isRoundedForPeople(_ text: String, _ shown: String) throws {
    let amount = try sum(text)
    #expect(ShownPlaces([amount]).text(amount) == shown)
  }

  /// From the exact value: rounding 40.1748 first would make 40.175 and then 40.18 of it.
  @Test(arguments: [
    ("40.1748191", "40.17"), ("1.1249", "1.12"), ("0.32478", "0.32"), ("-1.1249", "-1.12"),
    ("1.125", "1.12"), ("-1.125", "-1.12"), ("1.135", "1.14"), ("0.0044449", "0.004445"),
    ("0.09951", "0.09951"),
    ("0.00000000000000000000000000000000000014", "0.00000000000000000000000000000000000014"),
    ("999999999999999999999999999999.9951", "1000000000000000000000000000000.00"),
  ])
  func isRoundedOnce(_ text: String, _ shown: String) throws {
    let amount = try sum(text)
    #expect(ShownPlaces([amount]).plain(amount) == shown)
  }

  @Test func isRoundedToNothing() {
    let least = ExactDecimal(-1, places: 60)
    #expect(least.rounded(places: 2) == ExactDecimal(0, places: 2))
    #expect(least.hundredths == 0)
    #expect(ExactDecimal(17_449, places: 4).hundredths == 174)
    let most = ExactDecimal(.max, places: 39)
    #expect(most.rounded(places: 0).fullText == "0" && most.rounded(places: 1).fullText == "0.2")
  }

  @Test func sharesAreRoundedOnce() {
    #expect(Int128(12_445).percent(of: 100_000) == "12%")
    #expect(Int128(12_500).percent(of: 100_000) == "13%")
    #expect(Int128(9_960).percent(of: 100_000) == "10%")
    #expect(Int128(444).percent(of: 100_000) == "0.4%")
  }
}
