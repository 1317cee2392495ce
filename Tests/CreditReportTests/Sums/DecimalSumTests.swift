import CreditModel
import Testing

@testable import CreditReport

@Suite struct DecimalSumTests {
  private func sum(_ texts: String...) throws -> DecimalSum {
    var sum = DecimalSum()
    for var text in texts {
      let number = text.withUTF8 { DecimalSum(text: UnsafeRawBufferPointer($0)) }
      try sum.add(try #require(number))
    }
    return sum
  }

  @Test func isExactAndKeepsPlaces() throws {
    #expect(try sum("9.90", "0.10").text == "10.00")
    #expect(try sum("0.1", "0.2").text == "0.3")
    #expect(try sum("1", "-0.001").text == "0.999")
    #expect(try sum("-0.5").text == "-0.5")
    #expect(try sum("3e-06").text == "0.000003")
    #expect(try sum("0.50", "0.50").shortText == "1")
    #expect(try sum().text == "0")
  }

  @Test func refusesWhatDoesNotFit() throws {
    let large = "9999999999999999999999999999999999999"
    #expect(throws: CreditError.self) { try sum(large, "0.000000000000000000000001") }
    var nonsense = "1.2.3"
    #expect(nonsense.withUTF8 { DecimalSum(text: UnsafeRawBufferPointer($0)) } == nil)
  }

  @Test func isRoundedForPeople() throws {
    #expect(try sum("1234567.5").rounded.separated == "1,234,567.50")
    #expect(try sum("0.00205755").rounded.separated == "0.0021")
    #expect(try sum("-12.345").rounded.separated == "−12.35")
    #expect(try sum("0").rounded.separated == "0.00")
  }
}
