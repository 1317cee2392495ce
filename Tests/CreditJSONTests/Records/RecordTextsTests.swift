import CreditModel
import Testing

@testable import CreditJSON
@testable import TestSupport

struct RecordTextsTests {
  /// A cached day does not change the meaning of texts.
  @Test func timesMatchTheirTexts() {
    var texts = RecordTexts()
    var random = SeededGenerator(seed: 17)
    // The first ones are not cached.
    for round in 0..<20_000 {
      let day = Int64(round % 3) * 86_400_000 + 1_771_500_000_000
      let time = Timestamp(milliseconds: day + .random(in: 0..<86_400_000, using: &random))
      var text = Array(time.text.utf8)
      #expect(text.count == Timestamp.textLength)
      if round % 3 == 0 {
        let place = Int.random(in: 0..<text.count, using: &random)
        text[place] = [
          UInt8.random(in: 0...255, using: &random), text[place] ^ 1,
          UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "9"),
        ].randomElement(using: &random)!
      }
      let found = text.withBytes { texts.time($0) }
      let parsed = text.withBytes { Timestamp.parse($0) }
      let expected = parsed.flatMap { Array($0.text.utf8) == text ? $0 : nil }
      #expect(found == expected)
    }
  }
}
