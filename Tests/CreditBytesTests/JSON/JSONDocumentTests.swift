import CreditBytes
import Testing

struct JSONDocumentTests {
  @Test func takesOneValueAndWhiteSpace() throws {
    #expect(try read("\n\t{\"a\":1}\r\n ") { $0.member("a")?.int64 } == 1)
    #expect(try read("12") { $0.int64 } == 12)
  }

  @Test(arguments: [
    ("", JSONError(.truncated, line: 1, offset: 0)),
    (" \n ", JSONError(.truncated, line: 2, column: 2, offset: 3)),
    ("{}\n\n {}", JSONError(.textAfterValue, line: 3, column: 2, offset: 5)),
    ("\n{\n\"a\":\nx}", JSONError(.valueExpected, line: 4, column: 1, offset: 8)),
    ("\u{feff}{}", JSONError(.byteOrderMark, line: 1, offset: 0)),
    ("{\n", JSONError(.truncated, line: 2, column: 1, offset: 2)),
  ])
  func refuses(_ source: String, expected: JSONError) {
    #expect(throws: expected) { _ = try JSONDocument(source) }
  }

  @Test func rethrowsItsReadersErrors() {
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try read("{}") { _ in throw Refusal() }
    }
  }

  @Test func hasAPhraseForEveryReason() {
    #expect(JSONError.Reason.tooLong.message == "the value is longer than 16 MiB")
    #expect(JSONError.Reason.tooDeep.message == "the value is nested more than 128 levels deep")
  }
}
