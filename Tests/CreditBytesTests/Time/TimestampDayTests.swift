import CreditModel
import Testing

struct TimestampDayTests {
  /// A day's text is kept, so times in any order must come out as each does by itself.
  @Test func writesTimesOfOtherDaysToo() throws {
    let texts = [
      "2026-02-19T10:00:00.000Z", "2026-02-19T23:59:59.999Z", "2026-02-20T00:00:00.000Z",
      "2026-02-19T00:00:00.000Z", "1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00.000Z",
      "0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z", "2024-02-29T12:34:56.789Z",
    ]
    var day = TimestampDay(of: .earliest)
    var times = TimestampTexts()
    for text in texts + texts.reversed() + texts.flatMap({ [$0, texts[0], $0] }) {
      let time = try #require(Timestamp(text: text))
      let written = written { day.encode(time, into: $0) }
      #expect(written == text)
      #expect(time.text == text)
      let remembered = self.written { buffer in
        if let base = buffer.baseAddress { times.write(time, to: base) }
      }
      #expect(remembered == text)
    }
  }

  private func written(_ encode: (MutableBytes) -> Void) -> String {
    String(unsafeUninitializedCapacity: Timestamp.textLength) { buffer in
      encode(MutableBytes(buffer))
      return Timestamp.textLength
    }
  }
}
