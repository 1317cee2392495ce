/// What a gate answers to a run: the results that are text already, and the answers to those
/// requests that took the common way, each in its place.
package final class PlainAnswers: @unchecked Sendable {
  /// The answer to one request, which stands among the text.
  package struct Other {
    /// How much of the text comes before it.
    package fileprivate(set) var place: Int
    /// Which request of the run it answers.
    package fileprivate(set) var number: Int
    package var answer: GateAnswer
  }

  /// Lines as a tool prints them.
  package private(set) var text: [UInt8] = []
  /// How many results the text has.
  package private(set) var lineCount = 0
  package private(set) var others: [Other] = []

  /// How many requests are answered.
  package var count: Int { lineCount + others.count }

  package init() {}

  /// Adds results that are text.
  package func add(_ lines: UnsafeRawBufferPointer, lineCount: Int) {
    text.append(contentsOf: lines)
    self.lineCount += lineCount
  }

  /// Adds the answer to a request that took the common way.
  package func add(_ answer: GateAnswer, to number: Int) {
    others.append(Other(place: text.count, number: number, answer: answer))
  }

  /// Adds the answers to the requests that follow.
  package func add(_ more: PlainAnswers) {
    let (answered, length) = (count, text.count)
    others += more.others.map { other in
      var other = other
      other.number += answered
      other.place += length
      return other
    }
    text += more.text
    lineCount += more.lineCount
  }

  /// Puts another error in the place of each.
  package func mapErrors(_ body: (CreditError) -> CreditError) {
    for index in others.indices {
      guard case .failure(let error) = others[index].answer else { continue }
      others[index].answer = .failure(body(error))
    }
  }
}
