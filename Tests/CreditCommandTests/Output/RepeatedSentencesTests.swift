import Testing

@testable import CreditCommand

@Suite struct RepeatedSentencesTests {
  /// Returns the printed sentences and the counts of a run, whose lines are counted from 1.
  private func run(_ sentences: [String]) -> (said: [String], counts: [String]) {
    var repeated = RepeatedSentences()
    var said: [String] = []
    for (place, text) in sentences.enumerated() where repeated.add(text, line: place + 1) {
      said.append(text)
    }
    let counts = repeated.takeCounts()
    let rest = repeated.takeCounts()
    return (said, counts + rest)
  }

  @Test func aSentenceIsPrintedOnceAndCounted() {
    let (said, counts) = run(["a", "b"] + Array(repeating: "a", count: 1198))
    #expect(said == ["a", "b"])
    #expect(counts == ["a: 1,199 requests, the last on line 1200"])
  }

  /// Only a number of different ones is kept: further ones are printed each time.
  @Test func itKeepsAHundred() {
    let hundred = (1...100).map(String.init)
    let (said, counts) = run(hundred + ["x", "x", "100"])
    #expect(said == hundred + ["x", "x"])
    #expect(counts == ["100: 2 requests, the last on line 103"])
  }
}
