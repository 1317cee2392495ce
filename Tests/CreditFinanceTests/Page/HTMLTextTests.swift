import Testing

@testable import CreditFinance

struct HTMLTextTests {
  @Test func idsFoldBehindTheirMarksAndWordsNowhere() {
    #expect("com.app.credits-1000".foldableHTML == "com.<wbr>app.<wbr>credits-<wbr>1000")
    #expect("a<b@c".foldableHTML == "a&lt;b@<wbr>c")
    #expect("word".foldableHTML == "word")
    #expect("".foldableHTML.isEmpty)
  }
}
