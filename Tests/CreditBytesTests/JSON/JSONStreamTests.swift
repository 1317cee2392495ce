import CreditBytes
import Testing

struct JSONStreamTests {
  @Test func takesValuesInAnyForm() {
    let source = "{\"a\":1}\n\n  {\"b\":\n2}{} [3]\r\n\"x\"12 null"
    #expect(
      items(source) == [
        .value(#"{"a":1}"#, line: 1, offset: 0), .value("{\"b\":\n2}", line: 3, offset: 11),
        .value("{}", line: 4, offset: 19), .value("[3]", line: 4, offset: 22),
        .value("\"x\"", line: 5, offset: 27), .value("12", line: 5, offset: 30),
        .value("null", line: 5, offset: 33),
      ])
    #expect(items("").isEmpty)
    #expect(items(" \n\t\r\n").isEmpty)
  }

  @Test(arguments: [
    "{\"a\":1}\n{\"b\":[1,2.5e3,\"é\\ud83d\\ude00\"]}\n 12 \n\"x\"{}{} true\n",
    "{\n  \"a\": NaN,\n  \"b\": {\"c\": 1}\n}\n{\"d\":1}\n",
    "{\"a\":1\n{\"b\":2}\n", "x\n{}\n}\n{\"a\":\"\u{1}\"}\r\n{\"é\":0}", "{\"a\":\"é", "[1,2",
    "\u{feff}{}\n{}", "nul\n\n\n{}x{}\n{}", "{\"a\":tru}\n", "[\"\\ud800\"]\n{\"a\":1}", "{]\n",
    "1x\n{}",
  ])
  func isTheSameHoweverItArrives(_ source: String) {
    let bytes = Array(source.utf8)
    let whole = items([bytes])
    for cut in 0...bytes.count {
      #expect(items([Array(bytes[..<cut]), Array(bytes[cut...])]) == whole, "cut at \(cut)")
    }
    for size in 1...9 {
      let pieces = stride(from: 0, to: bytes.count, by: size).map {
        Array(bytes[$0..<min($0 + size, bytes.count)])
      }
      #expect(items(pieces) == whole, "pieces of \(size)")
    }
  }

  @Test func reportsOneErrorForAnObjectOfManyLines() {
    let source = "{\n  \"a\": NaN,\n  \"b\": {\"c\": 1}\n}\n{\"d\":1}\n"
    #expect(
      items(source) == [
        .malformed(JSONError(.valueExpected, line: 2, column: 8, offset: 9)),
        .value(#"{"d":1}"#, line: 5, offset: 32),
      ])
    // A column is counted from the beginning of the line, which may be in the value before.
    #expect(
      items("{\"a\":\n1} x").last
        == .malformed(JSONError(.valueExpected, line: 2, column: 4, offset: 9)))
  }

  @Test func doesNotTakeTheNextLineWithACutOne() {
    for cut in ["{\"a\":1", "{\"a\":1,", "{\"a\"", "{", "{\"a\":\"x", "[1,2"] {
      let taken = items(cut + "\n{\"b\":2}\n{\"c\":3}\n")
      #expect(taken.count == 3, "\(cut)")
      #expect(taken.last == .value(#"{"c":3}"#, line: 3, offset: cut.utf8.count + 9))
    }
  }

  @Test func skipsOtherLines() {
    #expect(
      items("garbage\nmore\n [1]\n {}\n{}") == [
        .malformed(JSONError(.valueExpected, line: 1, offset: 0)),
        .value("{}", line: 5, offset: 22),
      ])
    #expect(items("x").count == 1)
    #expect(items("}\n").count == 1)
    #expect(items("x\n\n").count == 1)
  }

  @Test func reportsACutInput() {
    #expect(
      items("{}\n{\"a\":\n[1") == [
        .value("{}", line: 1, offset: 0),
        .malformed(JSONError(.truncated, line: 3, column: 3, offset: 11)),
      ])
  }

  @Test func answersBeforeTheInputEnds() {
    var stream = JSONStream()
    Array("{\"a\":1}".utf8).withBytes { stream.append($0) }
    guard case .value = stream.next() else {
      Issue.record("an object is complete at its brace")
      return
    }
    guard case .needsMore = stream.next() else {
      Issue.record("more is needed")
      return
    }
    stream.finish()
    for _ in 0..<2 {
      guard case .end = stream.next() else {
        Issue.record("the input has ended")
        return
      }
    }
  }

  @Test func reportsALongValueOnce() {
    let long = Array("{\"a\":\"".utf8) + [UInt8](repeating: 0x78, count: 5000) + Array("\"}".utf8)
    let source = Array("{}\n".utf8) + long + Array("\n{\"b\":1}\n".utf8)
    let expected: [Taken] = [
      .value("{}", line: 1, offset: 0),
      .malformed(JSONError(.tooLong, line: 2, column: 1001, offset: 1003)),
      .value(#"{"b":1}"#, line: 3, offset: 5012),
    ]
    #expect(items([source], byteLimit: 1000) == expected)
    #expect(items(source.map { [$0] }, byteLimit: 1000) == expected)
  }

  @Test func takesTheLongestValue() {
    let padding = [UInt8](repeating: 0x78, count: (16 << 20) - 2)
    let longest = [0x22] + padding + [0x22]
    let tooLong = [0x22, 0x78] + padding + [0x22]
    let pieces = stride(from: 0, to: longest.count, by: 64 << 10).map {
      Array(longest[$0..<min($0 + 64 << 10, longest.count)])
    }
    var stream = JSONStream()
    var lengths: [Int] = []
    for piece in pieces {
      piece.withBytes { stream.append($0) }
      if case .value(let value, _, _) = stream.next() { lengths.append(value.raw.count) }
    }
    #expect(lengths == [16 << 20])
    #expect(
      items([tooLong, Array("\n{}".utf8)]) == [
        .malformed(JSONError(.tooLong, line: 1, offset: 16 << 20)),
        .value("{}", line: 2, offset: (16 << 20) + 2),
      ])
  }

  @Test func skipsWithoutKeeping() {
    var stream = JSONStream()
    let noise = [UInt8](repeating: 0x78, count: 1 << 18)
    noise.withBytes { stream.append($0) }
    guard case .malformed = stream.next() else {
      Issue.record("noise is malformed")
      return
    }
    var room = 0
    for _ in 0..<15 {
      noise.withBytes { stream.append($0) }
      guard case .needsMore = stream.next() else {
        Issue.record("noise is skipped")
        return
      }
      room = stream.withFreeSpace(minimum: 1) { $0.count > 1 << 20 ? 1 : 0 }
    }
    #expect(room == 0)
    Array("\n{\"a\":1}".utf8).withBytes { stream.append($0) }
    guard case .value(_, let line, let offset) = stream.next() else {
      Issue.record("the object is found")
      return
    }
    #expect(line == 2 && offset == 4 << 20 + 1)
  }

  @Test func readsIntoItsOwnBuffer() throws {
    struct Fault: Error {}
    var stream = JSONStream()
    let filled = stream.withFreeSpace { space in
      #expect(space.count >= JSONStream.readUnit)
      space.copyBytes(from: Array("[1] [2".utf8))
      return 6
    }
    #expect(filled == 6)
    if case .value(let value, _, _) = stream.next() { #expect(text(value.raw) == "[1]") }
    #expect(throws: Fault.self) { try stream.withFreeSpace { _ in throw Fault() } }
    _ = stream.withFreeSpace(minimum: 1) { space in
      space.copyBytes(from: [UInt8(ascii: "]")])
      return 1
    }
    guard case .value(let value, _, let offset) = stream.next() else {
      Issue.record("the second value is complete")
      return
    }
    #expect(text(value.raw) == "[2]" && offset == 4)
  }

  @Test func keepsUpWithManyValues() {
    let line = Array("{\"model\":\"claude-sonnet-4.5\",\"usage\":{\"inputTokens\":1200}}\n".utf8)
    let many = Array(repeatElement(line, count: 20_000).joined())
    let pieces = stride(from: 0, to: many.count, by: 65_521).map {
      Array(many[$0..<min($0 + 65_521, many.count)])
    }
    let taken = items(pieces)
    #expect(taken.count == 20_000)
    #expect(
      taken.last
        == .value(
          String(decoding: line.dropLast(), as: UTF8.self), line: 20_000,
          offset: many.count - line.count))
  }

  // MARK: Arrays that are taken apart

  /// Values with their lines, and errors with their places.
  private func split(_ source: String, by size: Int) -> [String] {
    var stream = JSONStream(byteLimit: 10, splitsArrays: true)
    var found: [String] = []
    func take(_ stream: inout JSONStream) {
      while true {
        switch stream.next() {
        case .value(let value, let line, _):
          found.append("\(line) " + String(decoding: value.raw, as: UTF8.self))
        case .malformed(let error): found.append("\(error.line) \(error.reason)")
        case .needsMore, .end, .word: return
        }
      }
    }
    let bytes = Array(source.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      bytes[start..<min(start + size, bytes.count)].withBytes { stream.append($0) }
      take(&stream)
    }
    stream.finish()
    take(&stream)
    return found
  }

  @Test(arguments: [
    ("[{\"a\":1},\n{\"b\":[2]} , 4 \n]{}[] [ ] [[5]]", "1 {\"a\":1}|2 {\"b\":[2]}|2 4|3 {}|3 [5]"),
    ("[[],[2]]", "1 []|1 [2]"), ("[{},[]", "1 {}|1 []|1 truncated"), ("[", "1 truncated"),
    ("[{},", "1 {}|1 truncated"), ("[{} {}]\n{}", "1 {}|1 commaOrBracketExpected|2 {}"),
    ("[{},]\n{}", "1 {}|1 valueExpected|2 {}"), ("]\n{}", "1 valueExpected|2 {}"),
    ("[,{}]\n{}", "1 valueExpected|2 {}"), ("[{}}\n{}", "1 {}|1 commaOrBracketExpected|2 {}"),
    ("[\"123456789\",\"1\"]\n{}", "1 tooLong|2 {}"),
  ])
  func takesArraysApart(_ source: String, _ expected: String) {
    for size in 1...source.utf8.count {
      #expect(split(source, by: size).joined(separator: "|") == expected, "pieces of \(size)")
    }
  }
}
