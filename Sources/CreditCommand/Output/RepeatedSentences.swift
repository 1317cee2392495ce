/// Sentences about the requests of a run, of which each is said once: a log with one unknown model
/// must not say so 10,000 times. How often each would have been said is counted.
struct RepeatedSentences {
  /// In the order of their first requests.
  private var sentences: [Sentence] = []

  private struct Sentence {
    let text: String
    var count = 1
    var lastLine: Int
  }

  /// How many different sentences are told apart. Any others are said each time.
  private static let limit = 100

  /// Takes in a sentence about a request.
  /// - Parameter line: the line on which the request began.
  /// - Returns: whether it is to be said now.
  mutating func add(_ text: String, line: Int) -> Bool {
    if let place = sentences.firstIndex(where: { $0.text == text }) {
      sentences[place].count += 1
      sentences[place].lastLine = line
      return false
    }
    if sentences.count < Self.limit { sentences.append(Sentence(text: text, lastLine: line)) }
    return true
  }

  /// What there is to say in the end of those that came up again: `no model "x" in the catalog:
  /// 57 requests, the last on line 57`. Nothing is left to say then.
  mutating func takeCounts() -> [String] {
    defer { sentences = [] }
    return sentences.filter { $0.count > 1 }.map {
      "\($0.text): \($0.count.grouped) requests, the last on line \($0.lastLine)"
    }
  }
}
