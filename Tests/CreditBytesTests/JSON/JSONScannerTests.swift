import CreditBytes
import Testing

struct JSONScannerTests {
  @Test(arguments: [
    "{}", "[]", "null", "true", "false", "0", "-0", "12", "-1.5e+10", "1E5", "0.25", #""""#,
    #""a""#,
    #"{"a":{"b":[1,{"c":[]},"d"]},"e":null}"#, "[ 1 ,\t2\r\n, [ ] , { } ]", #"{ "a" : 1 }"#,
    #"["\"\\\/\b\f\n\r\t\u0041\ud83d\ude00"]"#, "[\"é€😀\u{7f}\"]", "[\"\u{2028}\"]",
  ])
  func accepts(_ text: String) {
    let bytes = Array(text.utf8)
    #expect(scan(bytes) == .complete(length: bytes.count))
    for step in 1...8 { #expect(scan(bytes, step: step) == .complete(length: bytes.count)) }
  }

  @Test(arguments: [
    ("", JSONError.Reason.truncated, 0),
    ("{", .truncated, 1),
    ("[1,2", .truncated, 4),
    ("[1,2,", .truncated, 5),
    ("\"abc", .truncated, 4),
    (#""\"#, .truncated, 2),
    (#""\ud83d\ud"#, .truncated, 10),
    ("tru", .truncated, 3),
    ("-", .truncated, 1),
    ("1e", .truncated, 2),
    ("NaN", .valueExpected, 0),
    ("[NaN]", .valueExpected, 1),
    ("nan", .valueExpected, 0),
    ("Infinity", .valueExpected, 0),
    ("-Infinity", .invalidNumber, 1),
    ("+1", .valueExpected, 0),
    (".5", .valueExpected, 0),
    ("01", .invalidNumber, 1),
    ("[-01]", .invalidNumber, 3),
    ("1.", .truncated, 2),
    ("[1.]", .invalidNumber, 3),
    ("[1.e5]", .invalidNumber, 3),
    ("[1e+]", .invalidNumber, 4),
    ("[1.5.5]", .commaOrBracketExpected, 4),
    ("[0x10]", .commaOrBracketExpected, 2),
    ("1{}", .invalidNumber, 1),
    ("truex", .valueExpected, 0),
    ("[truex]", .commaOrBracketExpected, 5),
    ("[1,]", .valueExpected, 3),
    ("[,1]", .valueExpected, 1),
    ("[1 2]", .commaOrBracketExpected, 3),
    ("[1}", .commaOrBracketExpected, 2),
    ("{]", .nameExpected, 1),
    (#"{"a"}"#, .colonExpected, 4),
    (#"{"a":}"#, .valueExpected, 5),
    (#"{"a":1,}"#, .nameExpected, 7),
    (#"{"a":1 "b":2}"#, .commaOrBraceExpected, 7),
    ("{a:1}", .nameExpected, 1),
    ("{'a':1}", .nameExpected, 1),
    ("{1:1}", .nameExpected, 1),
    ("// x", .valueExpected, 0),
    ("]", .valueExpected, 0),
    ("\u{feff}{}", .byteOrderMark, 0),
    ("\u{ff01}", .valueExpected, 0),
    ("\"a\nb\"", .controlCharacter, 2),
    ("\"\u{0}\"", .controlCharacter, 1),
    ("\"12345678\u{1f}\"", .controlCharacter, 9),
    (#""\x""#, .invalidEscape, 1),
    (#""\u12g4""#, .invalidEscape, 1),
    (#""\U0041""#, .invalidEscape, 1),
    (#""a\ud800""#, .loneSurrogate, 2),
    (#""\udc00""#, .loneSurrogate, 1),
    (#""\ud800\u0041""#, .loneSurrogate, 1),
    (#""\ud800\n""#, .loneSurrogate, 1),
    (#""\ud800\ud800""#, .loneSurrogate, 1),
  ])
  func refuses(_ text: String, reason: JSONError.Reason, offset: Int) {
    let bytes = Array(text.utf8)
    #expect(failure(bytes)?.reason == reason)
    #expect(failure(bytes)?.offset == offset)
    for step in 1...8 { #expect(scan(bytes, step: step) == scan(bytes)) }
  }

  @Test func countsLinesUpToTheError() {
    #expect(
      failure("{\n\"a\":1,\n\n  \"b\":NaN}")
        == JSONError(.valueExpected, line: 4, offset: 16))
  }

  @Test func stopsAfterTheValue() {
    #expect(scan("{}{}") == .complete(length: 2))
    #expect(scan("12 34") == .complete(length: 2))
    #expect(scan("null\n") == .complete(length: 4))
    #expect(scan(#""a""b""#) == .complete(length: 3))
  }

  @Test func waitsForTheEndOfABareNumber() {
    var scanner = JSONScanner()
    let text = Array("12 ".utf8)
    text.withBytes { text in
      let first = Bytes(rebasing: text[..<1])
      #expect(scanner.scan(first, isFinal: false) == .incomplete)
      #expect(scanner.scan(text, isFinal: false) == .complete(length: 2))
      #expect(scanner.scan(first, isFinal: true) == .complete(length: 1))
    }
  }

  @Test func limitsDepth() {
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    #expect(scan(nested(128)) == .complete(length: 256))
    #expect(failure(nested(129)) == JSONError(.tooDeep, line: 1, offset: 128))
    #expect(failure(nested(100_000))?.reason == .tooDeep)
    let wide = Array(("[" + String(repeating: "[[]],", count: 1000) + "{}]").utf8)
    #expect(isAccepted(wide))
  }

  @Test func limitsLength() {
    let fits = Array("\"123456\"".utf8)
    #expect(scan(fits, byteLimit: 8) == .complete(length: 8))
    #expect(scan(fits + fits, byteLimit: 8) == .complete(length: 8))
    #expect(
      scan(fits, byteLimit: 7) == .failure(JSONError(.tooLong, line: 1, offset: 7)))
    var scanner = JSONScanner(byteLimit: 7)
    fits.withBytes { fits in
      let most = Bytes(rebasing: fits[..<7])
      #expect(scanner.scan(most, isFinal: false) == .incomplete)
      #expect(
        scanner.scan(fits, isFinal: false)
          == .failure(JSONError(.tooLong, line: 1, offset: 7)))
    }
  }

  @Test func takesALongStringInPieces() {
    var text = [UInt8](repeating: UInt8(ascii: "x"), count: 8 << 20)
    text[0] = UInt8(ascii: "\"")
    text[text.count - 1] = UInt8(ascii: "\"")
    var scanner = JSONScanner()
    text.withBytes { text in
      for count in stride(from: 4096, to: text.count, by: 4096) {
        let arrived = Bytes(rebasing: text[..<count])
        #expect(scanner.scan(arrived, isFinal: false) == .incomplete)
      }
      #expect(scanner.scan(text, isFinal: false) == .complete(length: text.count))
    }
  }

  @Test func takesALongNumberByteByByte() {
    let text = [UInt8](repeating: UInt8(ascii: "7"), count: 200_000)
    var scanner = JSONScanner()
    text.withBytes { text in
      for count in 1..<text.count {
        let arrived = Bytes(rebasing: text[..<count])
        guard scanner.scan(arrived, isFinal: false) == .incomplete else {
          Issue.record("stopped at \(count)")
          return
        }
      }
      #expect(scanner.scan(text, isFinal: true) == .complete(length: text.count))
    }
  }

  @Test func isUsedAgainAfterAnyOutcome() {
    var scanner = JSONScanner()
    for text in ["[1,2", "{}", "[}", "[3]"] {
      let bytes = Array(text.utf8)
      let outcome = bytes.withBytes { scanner.scan($0, isFinal: true) }
      #expect(outcome == scan(bytes))
    }
  }
}
