import CreditModel
import Testing

@Suite struct TimeSpanTests {
  @Test(arguments: [
    ("0s", 0), ("90s", 90), ("15m", 900), ("1h", 3600), ("30d", 2_592_000), ("007m", 420),
    ("3660000d", 316_224_000_000),
  ])
  func readsANumberAndAUnit(text: String, seconds: Int64) {
    #expect(TimeSpan(text: text) == .seconds(seconds))
  }

  @Test(arguments: [
    "", "s", "10", "1w", "1 h", "-1h", "+1h", "1.5h", "1hm", "1h30m", "H", "1H", "1e3s", "१s",
    "3660001d", "316224000001s", "9223372036854775807d", "99999999999999999999999999s",
  ])
  func refusesOtherText(text: String) {
    #expect(TimeSpan(text: text) == nil)
  }

  @Test(arguments: [
    (0, "0s"), (1, "1s"), (90, "90s"), (60, "1m"), (3600, "1h"), (5400, "90m"), (86_400, "1d"),
    (2_592_000, "30d"), (86_401, "86401s"),
  ])
  func writesTheLargestUnitThatDivides(seconds: Int64, text: String) {
    #expect(TimeSpan.seconds(seconds).text == text)
    #expect(TimeSpan(text: text) == .seconds(seconds))
  }
}
