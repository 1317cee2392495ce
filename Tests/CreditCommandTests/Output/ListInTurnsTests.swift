import CreditModel
import Testing

@testable import CreditCommand
@testable import TestSupport

@Suite(.slow) struct ListInTurnsTests {
  private static let policy =
    #"{"models":[],"starterCredits":7,"plans":[{"id":"pro","quota":5,"period":"day"}]}"#
  private static let count = 6_000

  /// Enough accounts for several parts. Some have a plan, and none but the last one credits that
  /// expire; those are read from their records.
  private func hostWithAccounts() -> MemoryHost {
    let host = MemoryHost(policy: Self.policy)
    let requests = (0..<Self.count).map { number in
      let plan = number % 700 < 3 ? #","plan":"pro""# : ""
      return #"{"account":"account-\#(number)"\#(plan)}"# + "\n"
    }
    #expect(host.run(.account, [], MemoryStreams([requests.joined()])).status == 0)
    let last = "account-\(Self.count - 1)"
    let topUp = #"{"account":"\#(last)","key":"k","credits":5,"expiresAfter":"P1D"}"#
    #expect(host.run(.topup, [], MemoryStreams([topUp])).status == 0)
    return host
  }

  private func list(_ host: MemoryHost, _ arguments: String...) -> MemoryHost.Outcome {
    host.run(.balance, ["--all"] + arguments, MemoryStreams([]))
  }

  @Test(arguments: [
    (0, 1_024), (32_768, 1_024), (32_800, 1_025), (131_072, 4_096), (1_000_000, 4_096),
  ])
  func longListsHaveLargeParts(count: Int, partCount: Int) {
    #expect(ListInTurns.partCount(of: count) == partCount)
  }

  @Test func accountsAreListedAsTheyAreAnswered() {
    let host = hostWithAccounts()
    let names = (0..<Self.count).map { "account-\($0)" }.sorted()
    let requests = names.map { #"{"account":"\#($0)"}"# + "\n" }
    let answers = host.run(.balance, [], MemoryStreams([requests.joined()]))
    let list = list(host)
    #expect(list.status == 0 && list.output.contains(#""plan":"pro""#))
    #expect(list.output.contains("expiresAt"))
    #expect(list.output == answers.output)
  }

  @Test func aListBelowABalanceLeavesTheOthersOut() {
    let host = hostWithAccounts()
    let all = list(host).output.split(separator: "\n")
    let below = list(host, "--below", "12")
    #expect(below.output.split(separator: "\n") == all.filter { !$0.contains(#""balance":12,"#) })
    #expect(below.output.split(separator: "\n").count == Self.count - 28)
    #expect(list(host, "--below", "7").output.isEmpty)
  }

  /// The disk may be full by the first part, or by the last.
  @Test func aClosedOutputIsReported() {
    let host = hostWithAccounts()
    let whole = list(host).output
    for count in 0..<6 {
      let outcome = host.run(.balance, ["--all"], takingWrites: count)
      #expect(outcome.status == CreditError.Code.ioError.exitStatus, "\(count)")
      #expect(outcome.errors.split(separator: "\n").count == 1, "\(count)")
      #expect(outcome.output.isEmpty == (count == 0))
      #expect(whole.hasPrefix(outcome.output))
    }
  }

  /// To write each of them by itself would take as long as all else.
  @Test func accountsWithAPlanAreWrittenTogether() {
    let host = MemoryHost(policy: Self.policy)
    let requests = (0..<3_000).map { #"{"account":"account-\#($0)","plan":"pro"}"# + "\n" }
    #expect(host.run(.account, [], MemoryStreams([requests.joined()])).status == 0)
    let streams = MemoryStreams([])
    #expect(host.run(.balance, ["--all"], streams).status == 0)
    #expect(streams.output.split(separator: "\n").count == 3_000)
    #expect(streams.writeCount == 3)
  }
}
