import CreditModel
import Testing

@testable import CreditCommand

@Suite struct RequestCountsTests {
  @Test func theMostFrequentFailureComesFirst() {
    var counts = RequestCounts()
    for _ in 0..<3 { counts.succeed() }
    counts.fail(.unknownModel)
    counts.fail(.invalidUsage)
    counts.fail(.insufficientCredits)
    counts.fail(.insufficientCredits)
    #expect(
      counts.summary
        == "7 requests: 3 succeeded, 2 insufficient_credits, 1 unknown_model, 1 invalid_usage")
  }

  @Test func oneRequestAndSuccessNeedNoWords() {
    var counts = RequestCounts()
    #expect(counts.summary == nil)
    counts.fail(.unknownModel)
    #expect(counts.summary == nil)
    counts.fail(.unknownModel)
    #expect(counts.summary == "2 requests: 0 succeeded, 2 unknown_model")
    var good = RequestCounts()
    for _ in 0..<5 { good.succeed() }
    #expect(good.summary == nil)
  }
}
