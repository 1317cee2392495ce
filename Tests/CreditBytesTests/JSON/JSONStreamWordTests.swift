import CreditBytes
import Testing

@Suite struct JSONStreamWordTests {
  private func words(_ text: String, pieces size: Int = .max, byteLimit: Int = 1 << 20) -> [Taken] {
    let bytes = Array(text.utf8)
    var pieces: [[UInt8]] = []
    var start = 0
    while start < bytes.count {
      let end = size >= bytes.count - start ? bytes.count : start + size
      pieces.append(Array(bytes[start..<end]))
      start = end
    }
    return items(pieces, byteLimit: byteLimit, words: "eyJ")
  }

  private let mixed = "eyJa.b-_.c\n{\"a\":1} eyJ\n\n{}\neyJ9.e30.AA"

  @Test(arguments: [1, 2, 3, 7, Int.max])
  func standBetweenValues(size: Int) {
    #expect(
      words(mixed, pieces: size) == [
        .word("eyJa.b-_.c"), .value("{\"a\":1}", line: 2, offset: 11), .word("eyJ"),
        .value("{}", line: 4, offset: 24), .word("eyJ9.e30.AA"),
      ])
  }

  @Test(arguments: [1, 2, Int.max])
  func readingResumesAtThem(size: Int) {
    #expect(
      words("nonsense\nerror\neyJ.a.b\n{}", pieces: size) == [
        .malformed(JSONError(.valueExpected, line: 1, offset: 0)), .word("eyJ.a.b"),
        .value("{}", line: 4, offset: 23),
      ])
  }

  @Test(arguments: [1, Int.max])
  func othersAreMalformed(size: Int) {
    #expect(
      words("eyJ.a=.b\neyJ\u{e9}\ney\n", pieces: size) == [
        .malformed(JSONError(.valueExpected, line: 1, offset: 5)),
        .malformed(JSONError(.valueExpected, line: 2, column: 4, offset: 12)),
      ])
    #expect(words("ey") == [.malformed(JSONError(.valueExpected, line: 1, offset: 0))])
  }

  @Test func haveALimit() {
    let long = "eyJ" + String(repeating: "a", count: 2000)
    #expect(
      words(long + "\n{}", byteLimit: 1000) == [
        .malformed(JSONError(.tooLong, line: 1, offset: 1001)), .value("{}", line: 2, offset: 2004),
      ])
  }

  @Test func areNotTakenOtherwise() {
    #expect(items("eyJ.a.b") == [.malformed(JSONError(.valueExpected, line: 1, offset: 0))])
  }

  @Test func aWordHasItsLine() {
    var stream = JSONStream(words: "eyJ")
    "{}\n\n eyJa\neyJb ".utf8.withContiguousStorageIfAvailable { stream.append(.init($0)) }
    var lines: [Int] = []
    while true {
      switch stream.next() {
      case .value(_, let line, offset: _): lines.append(line)
      case .word(_, let line): lines.append(line)
      case .malformed, .needsMore, .end:
        #expect(lines == [1, 3, 4])
        return
      }
    }
  }
}
