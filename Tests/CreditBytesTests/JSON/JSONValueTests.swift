import CreditBytes
import Testing

struct JSONValueTests {
  @Test func findsMembers() throws {
    let source = #"{"a":1,"nested":{"a":[2,{"x":3}],"b":true},"longerMemberName":"text","":4}"#
    try read(source) { root in
      #expect(root.kind == .object && root.isObject)
      #expect(root.member("a")?.int64 == 1)
      #expect(root.member("nested")?.member("b")?.bool == true)
      #expect(root.member("longerMemberName")?.string == "text")
      #expect(root.member("longerMemberNamf") == nil)
      #expect(root.member("b") == nil)
      #expect(root.member("x") == nil)
      #expect(root.member("")?.int64 == 4)
      #expect(root.member("a")?.member("a") == nil)
      #expect(root.member("nested")?.member("a")?.member("a") == nil)
      let found = Array("nested".utf8).withBytes { root.member(utf8: $0)?.kind }
      #expect(found == .object)
    }
  }

  @Test func findsNamesWithEscapes() throws {
    try read(#"{"\u0061\u00e9\n":1,"b":2,"\ud83d\ude00":3}"#) { root in
      #expect(root.member("aé\n")?.int64 == 1)
      #expect(root.member("b")?.int64 == 2)
      #expect(root.member("😀")?.int64 == 3)
      #expect(root.members.map { $0.name.string } == ["aé\n", "b", "😀"])
    }
  }

  /// Names of all lengths, as their hashes are made of words; the second ones have an escape.
  @Test func findsNamesOfAnyLength() throws {
    let names = (1...40).map { String(repeating: "n", count: $0 - 1) + "\($0 % 10)" }
    let plain = names.map { "\"\($0)\":true" }.joined(separator: ",")
    let escaped = names.map { "\"\($0.dropLast())\\u003\($0.suffix(1))\":true" }
      .joined(separator: ",")
    for members in [plain, escaped] {
      // More bytes follow, or the last names are at the text's end.
      try read("{\(members),\"usage\":{\"inputTokens\":12345678}}") { root in
        for name in names {
          #expect(name.withUTF8Bytes { root.member(utf8: $0) }?.bool == true)
          #expect((name + "n").withUTF8Bytes { root.member(utf8: $0) } == nil)
        }
        #expect(root.member("usage")?.member("inputTokens")?.int64 == 12_345_678)
        let isNamed = root.member("usage")?.members.map { $0.name.isName("inputTokens") }
        #expect(isNamed == [true])
      }
      try read("{\(members)}") { root in
        #expect(names.allSatisfy { $0.withUTF8Bytes { root.member(utf8: $0) } != nil })
        #expect(root.members.allSatisfy { !$0.name.isName("n0") })
      }
    }
  }

  @Test(arguments: [
    (#""abc""#, "abc"), (#""a b""#, "a b"), (#""""#, nil), (#"" a""#, nil), (#""a ""#, nil),
    (#""abcdefgh""#, "abcdefgh"), (#""abcdefghi""#, nil), (#""a\u0062""#, nil), (#""é""#, nil),
    ("\"a\u{7F}\"", nil), ("7", nil), ("[]", nil), ("null", nil),
  ])
  func plainTextIsPrintable(_ source: String, _ expected: String?) throws {
    try read(source) { #expect($0.plainText(limit: 8) == expected) }
  }

  @Test func takesTheFirstOfTwoMembers() throws {
    try read(#"{"a":1,"a":2}"#) { #expect($0.member("a")?.int64 == 1) }
  }

  @Test func goesThroughMembersAndElements() throws {
    try read(#"{"a":[1,[2,3],{}],"b":{"c":{}},"d":null}"#) { root in
      #expect(root.members.map { text($0.name.raw) } == ["\"a\"", "\"b\"", "\"d\""])
      #expect(root.members.map { text($0.value.raw) } == ["[1,[2,3],{}]", #"{"c":{}}"#, "null"])
      #expect(root.member("a")?.elements.map { text($0.raw) } == ["1", "[2,3]", "{}"])
      #expect(Array(root.elements).isEmpty)
      #expect(root.member("a")?.members.map { _ in 1 } == [])
    }
    try read("[]") { #expect(Array($0.elements).isEmpty) }
    try read("7") { #expect(Array($0.elements).isEmpty && Array($0.members).isEmpty) }
  }

  @Test func keepsTheSource() throws {
    try read(#" { "a" : "x\ty" , "b" : -1.50e2 } "#) { root in
      #expect(text(root.raw) == #"{ "a" : "x\ty" , "b" : -1.50e2 }"#)
      #expect(text(root.member("a")?.raw) == #""x\ty""#)
      #expect(text(root.member("b")?.numberText) == "-1.50e2")
      #expect(root.member("a")?.numberText == nil)
    }
  }

  @Test(arguments: [
    ("0", 0), ("-0", 0), ("7", 7), ("-12", -12), ("1200", 1200),
    ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
    ("9223372036854775808", nil), ("-9223372036854775809", nil), ("18446744073709551615", nil),
    ("18446744073709551616", nil), ("-99999999999999999999", nil),
    ("100000000000000000000000000000", nil), ("1.0", nil), ("1e3", nil), ("-0.0", nil),
    ("\"1\"", nil), ("null", nil), ("true", nil), ("[1]", nil),
  ])
  func readsExactIntegers(_ source: String, expected: Int64?) throws {
    try read(source) { #expect($0.int64 == expected) }
  }

  @Test(arguments: [
    (#""""#, ""), (#""abc""#, "abc"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
    (#""\u0041\u00e9\u20AC\ud83d\uDE00x""#, "Aé€😀x"), (#""é\n€""#, "é\n€"),
    (#""\u0000""#, "\0"), (#""\uffff\ufffd""#, "\u{ffff}\u{fffd}"),
  ])
  func decodesText(_ source: String, expected: String) throws {
    try read(source) { value in
      #expect(value.string == expected)
      #expect(value.withUTF8 { Array($0) } == Array(expected.utf8))
    }
  }

  @Test func comparesText() throws {
    try read(#"["abc","\u0061bc","",1]"#) { root in
      let values = Array(root.elements)
      #expect(values.map { $0.utf8Equals("abc") } == [true, true, false, false])
      #expect(values.map { $0.utf8Equals("") } == [false, false, true, false])
      #expect(values[3].string == nil && values[3].withUTF8 { $0.count } == nil)
    }
  }

  @Test func tellsKindsApart() throws {
    try read(#"[{},[],"",0,true,false,null]"#) { root in
      let values = Array(root.elements)
      #expect(values.map(\.kind) == [.object, .array, .string, .number, .true, .false, .null])
      #expect(values.map(\.bool) == [nil, nil, nil, nil, true, false, nil])
      #expect(values.filter(\.isNull).count == 1)
      #expect(values.filter(\.isObject).count == 1)
    }
  }

  @Test func readsANumberCutInTwo() {
    var scanner = JSONScanner()
    let source = Array("[1234567.5,89]".utf8)
    source.withBytes { source in
      for count in 1..<source.count {
        _ = scanner.scan(Bytes(rebasing: source[..<count]), isFinal: false)
      }
      #expect(scanner.scan(source, isFinal: false) == .complete(length: source.count))
      let values = Array(scanner.value(in: source).elements)
      #expect(values.map(\.int64) == [nil, 89])
    }
  }
}
