import CreditModel
import Testing

@testable import CreditManual

@Suite struct ErrorMeaningTests {
  @Test func everyErrorHasAMeaning() {
    #expect(CreditError.Code.allCases.allSatisfy { $0.meaning.hasSuffix(".") })
  }
}
