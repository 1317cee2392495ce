import CreditModel
import Testing

@testable import CreditJSON
@testable import TestSupport

/// A response that is read as it passes, in pieces.
@Suite(.slow) struct ResponseTapTests {
  private func outcome(_ text: String, pieces size: Int) -> ResponseTap.Outcome {
    var tap = ResponseTap()
    let bytes = Array(text.utf8)
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + size)
      bytes[start..<end].span.withBytes { tap.append($0) }
      start = end
    }
    return tap.finish()
  }

  private func word(_ outcome: ResponseTap.Outcome) -> String {
    switch outcome {
    case .none: "none"
    case .response(let reading): reading.outcomeText
    case .unreadable(let error, _): error.code.rawValue
    }
  }

  /// The result is that of the whole text, in any pieces and with any cut.
  @Test(arguments: Stream.all)
  func readsTheSameAsTheWholeText(_ stream: Stream) throws {
    let events = stream.events.count
    for count in 1...events {
      for text in [stream.lines(count), stream.elements(count), stream.sent(count)] {
        let whole = try response(text)
        for size in [1, 7, 64, 1 << 16] {
          guard case .response(let reading) = outcome(text, pieces: size) else {
            Issue.record("no response: \(text)")
            return
          }
          #expect(reading.outcomeText == whole.outcomeText, "\(size): \(text)")
          #expect(usageText(reading.usage) == usageText(whole.usage), "\(size): \(text)")
          #expect(reading.responseModel == whole.responseModel)
        }
      }
    }
  }

  @Test(arguments: Stream.all)
  func isNeverTakenForMoreThanItIs(_ stream: Stream) {
    stream.expectNoOtherUsage(every: 3) { text in
      if case .response(let reading) = outcome(text, pieces: 50) { reading } else { nil }
    }
  }

  @Test(arguments: [
    "", " \n", "hello", "note: it is done\n", "[INFO] starting\n[INFO] done\n", "{}", #"{"a":1}"#,
    "12\n", "Traceback (most recent call last):\n", "[1,2,3]",
  ])
  func otherOutputIsIgnored(_ text: String) {
    for size in [1, 1 << 16] { #expect(word(outcome(text, pieces: size)) == "none") }
  }

  @Test(arguments: [
    (#"{"id":"c1","object":"chat.compl"#, "cut"),
    (#"{"error":{"type":"overloaded_error","message":"m"}}"#, "failed_response"),
    (#"{"model":"m","usage":{"inputTokens":1,"outputTokens":2}}"#, "complete"),
    ("\u{FEFF}{\"model\":\"m\",\"usage\":{\"input_tokens\":1,\"output_tokens\":2}}", "complete"),
    ("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"t\"}}\n\n", "failed_response"),
  ])
  func tellsTheRestApart(_ text: String, _ expected: String) {
    for size in [1, 5, 1 << 16] { #expect(word(outcome(text, pieces: size)) == expected) }
  }

  /// The text after an unreadable place is unknown.
  @Test func aBrokenResponseIsUnreadable() {
    let text = Stream.all[0].lines(1) + "\noops\n" + Stream.all[0].lines(1)
    #expect(word(outcome(text, pieces: 9)) == "invalid_json")
  }
}
