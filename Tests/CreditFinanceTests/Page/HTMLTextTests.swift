import CreditModel
import Testing

@testable import CreditFinance

struct HTMLTextTests {
  @Test func idsFoldBehindTheirMarksAndWordsNowhere() {
    #expect("com.app.credits-1000".foldableHTML == "com.<wbr>app.<wbr>credits-<wbr>1000")
    #expect("a<b@c".foldableHTML == "a&lt;b@<wbr>c")
    #expect("word".foldableHTML == "word")
    #expect("".foldableHTML.isEmpty)
  }

  @Test func anAmountIsNeverShownAsNothing() throws {
    let amounts = try ["12.50", "0.0000001", "0"].map { try #require(ExactDecimal(text: $0)) }
    #expect(amounts.map(ShownPlaces(2).text) == ["12.50", "0.0000001", "0.00"])
  }
}
