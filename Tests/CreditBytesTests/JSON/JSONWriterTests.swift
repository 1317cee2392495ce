import CreditModel
import Testing

struct JSONWriterTests {
  private func written(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter(capacity: 0)
    body(&writer)
    #expect(writer.count == writer.string.utf8.count)
    return writer.string
  }

  @Test func putsTheCommas() {
    let text = written {
      $0.beginObject()
      $0.key("a")
      $0.integer(1)
      $0.key("b")
      $0.beginArray()
      $0.string("x")
      $0.bool(true)
      $0.bool(false)
      $0.raw("null")
      $0.beginObject()
      $0.endObject()
      $0.beginArray()
      $0.endArray()
      $0.endArray()
      $0.key("c")
      $0.raw(#"{"d":[1,2]}"#)
      $0.key("e")
      $0.integer(-5)
      $0.endObject()
      $0.endLine()
      $0.beginObject()
      $0.endObject()
      $0.endLine()
    }
    #expect(
      text
        == #"{"a":1,"b":["x",true,false,null,{},[]],"c":{"d":[1,2]},"e":-5}"# + "\n{}\n")
  }

  @Test(arguments: [
    ("", #""""#), ("plain", #""plain""#), ("a/b", #""a/b""#), ("é€😀", #""é€😀""#),
    ("\"\\", #""\"\\""#), ("\u{8}\u{c}\n\r\t", #""\b\f\n\r\t""#),
    ("\u{0}\u{1}\u{b}\u{1f}\u{7f}", "\"\\u0000\\u0001\\u000b\\u001f\\u007f\""),
    ("\u{2028}\u{feff}", #""\u2028\ufeff""#), ("\u{9b}\u{a0}é", "\"\\u009b\u{a0}é\""),
    ("a\u{202e}b\u{2066}日\u{61c}", #""a\u202eb\u2066日\u061c""#),
    ("\u{e0001}😀\u{e0041}", #""\udb40\udc01😀\udb40\udc41""#),
  ])
  func escapes(_ text: String, expected: String) {
    #expect(written { $0.string(text) } == expected)
  }

  @Test func escapesAtEveryPlaceOfAWord() throws {
    for length in 0..<24 {
      for special in ["\"", "\\", "\n", "\u{1}", "é", "\u{1f}", "!"] {
        for count in 1...3 {
          let plain = String(repeating: "a", count: length)
          let text = plain + String(repeating: special, count: count) + plain
          let json = written { $0.string(text) }
          #expect(try read(json) { $0.string } == text)
        }
      }
    }
  }

  @Test func growsWithAStringOfEscapes() throws {
    let text = String(repeating: "\u{1}\u{2}", count: 50_000)
    let json = written { $0.string(text) }
    #expect(json.utf8.count == 600_002)
    #expect(try read(json) { $0.string } == text)
  }

  @Test func escapesNames() {
    let text = written { writer in
      writer.beginObject()
      Array("a\"b".utf8).withBytes { writer.key(utf8: $0) }
      writer.raw("null")
      Array("c\n".utf8).withBytes { writer.key(utf8: $0) }
      writer.raw("null")
      writer.endObject()
    }
    #expect(text == #"{"a\"b":null,"c\n":null}"#)
  }

  @Test func writesIntegers() {
    var values: [Int64] = [0, .max, .min, .min + 1]
    var power: Int64 = 1
    for _ in 0..<18 {
      power *= 10
      values += [power - 1, power, power + 1, -power, 1 - power]
    }
    for value in values { #expect(written { $0.integer(value) } == String(value)) }
  }

  @Test func startsAgain() {
    var writer = JSONWriter()
    writer.beginArray()
    writer.integer(1)
    writer.removeAll()
    writer.integer(2)
    writer.endLine()
    let mark = writer.count
    writer.beginArray()
    writer.integer(3)
    writer.truncate(to: mark)
    writer.integer(4)
    #expect(writer.string == "2\n4")
    writer.removeAll(keepingCapacity: false)
    #expect(writer.count == 0)
    writer.raw("null")
    #expect(writer.withBytes { Array($0) } == Array("null".utf8))
  }

  /// So that a terminal shows a result as it is, and every reader undoes it.
  @Test func escapesHiddenCharacters() throws {
    for value in Array(0...0x3000) + [0xFEFF, 0xFFF9, 0xFFFD, 0xE0001, 0xE0020, 0xE0100, 0x1F600] {
      guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
      let text = "a\(Character(scalar))é"
      let json = written(text)
      #expect(try read(json) { $0.string } == text)
      #expect(!json.unicodeScalars.contains { $0.isHidden })
      #expect(json.contains("\\") == (scalar.isHidden || scalar == "\\" || scalar == "\""))
    }
  }

  @Test func copiesValuesWithHiddenCharactersEscaped() throws {
    for length in 0..<20 {
      let plain = String(repeating: "é", count: length) + String(repeating: "a", count: length)
      let text = "{\"\(plain)\u{202e}b\":[\"\u{2066}\(plain)\\n\u{7f}\",\"\\u202e\"]}"
      let copy = try read(text) { root in written { $0.raw(root) } }
      #expect(copy == "{\"\(plain)\\u202eb\":[\"\\u2066\(plain)\\n\\u007f\",\"\\u202e\"]}")
    }
  }

  @Test func copiesValues() throws {
    let text = try read(#"{"a": [1, "x\u0041"], "b":2.50}"#) { root in
      written { writer in
        writer.beginArray()
        for (_, value) in root.members { writer.raw(value) }
        writer.endArray()
      }
    }
    #expect(text == #"[[1, "x\u0041"],2.50]"#)
  }

  /// Texts are looked at a word at a time, with a shorter piece at the end.
  @Test func escapesAtEveryPlaceOfEveryLength() {
    for length in 0..<40 {
      let plain = String(repeating: "a", count: length)
      #expect(written(plain) == "\"\(plain)\"")
      for place in 0..<length {
        let before = String(repeating: "a", count: place)
        let after = String(repeating: "b", count: length - place - 1)
        #expect(written(before + "\"" + after) == "\"" + before + #"\""# + after + "\"")
        #expect(written(before + "\u{1}" + after) == "\"" + before + #"\u0001"# + after + "\"")
        #expect(written(before + "\u{e9}" + after) == "\"" + before + "\u{e9}" + after + "\"")
      }
    }
  }

  private func written(_ text: String) -> String {
    var writer = JSONWriter()
    writer.string(text)
    return writer.string
  }
}
