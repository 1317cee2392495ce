import CreditModel
import TestSupport
import Testing

@testable import CreditCommand

/// Threads of Codex, which go on in later runs.
struct ThreadTotalsTests {
  /// 0x0199C0DE0000 milliseconds since 1970.
  private let thread = "0199c0de-0000-7000-8000-00000000000b"
  private let begun = Timestamp(milliseconds: 0x0199_C0DE_0000)

  @Test func aThreadsIdTellsWhenItWasBegun() {
    let minute: Int64 = 60_000
    for (later, isOlder) in [(-1, false), (0, false), (minute, false), (minute + 1, true)] {
      let time = Timestamp(milliseconds: begun.milliseconds + later)
      #expect(ThreadTotals.isOlder(thread, than: time) == isOlder)
    }
  }

  @Test(arguments: [
    "", "t1", "0199c0de-0000-4000-8000-00000000000b", "0199c0de-0000-7000-8000-0000000000",
    "0199c0dg-0000-7000-8000-00000000000b",
  ])
  func anotherIdTellsNothing(_ id: String) {
    #expect(!ThreadTotals.isOlder(id, than: .latest))
  }

  @Test func aTotalIsReadAsItWasWritten() {
    let total = TokenUsage(
      inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4)
    for last in [
      ThreadTotals.Last(), ThreadTotals.Last(charged: total),
      ThreadTotals.Last(
        charged: total, begun: ThreadTotals.Last.Begun(total: total, authorization: "an id")),
      ThreadTotals.Last(
        charged: nil, begun: ThreadTotals.Last.Begun(total: total, authorization: "a")),
    ] {
      #expect(ThreadTotals.Last(text: last.text) == last)
    }
    #expect(ThreadTotals.Last(charged: total).text == "1,2,3,4")
    for text in ["", "1,2,3", "-1,2,3,4", "1,2,3,4 5,6,7,8", "x y z"] {
      #expect(ThreadTotals.Last(text: text).begun == nil)
    }
    #expect(ThreadTotals.Last(text: "1,2,3").charged == nil)
  }

  @Test func whatIsBilledIsTheRise() {
    let before = TokenUsage(
      inputTokens: 10, outputTokens: 20, cacheReadTokens: 30, cacheWriteTokens: 40)
    let after = TokenUsage(
      inputTokens: 11, outputTokens: 22, cacheReadTokens: 33, cacheWriteTokens: 44)
    #expect(
      after.since(before)
        == TokenUsage(inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4))
    #expect(before.since(before).isZero)
    #expect(after.since(nil) == after)
    // A counter that has begun again.
    #expect(before.since(after) == before)
  }
}
