import CreditModel
import CreditSystem
import Testing

@testable import CreditCommand
@testable import TestSupport

@Suite(.slow) struct WritingBehindTests {
  private let streams = MemoryStreams([])

  /// A text that is handed over to be written.
  private func start(_ behind: WritingBehind, _ number: Int) {
    var text = JSONWriter()
    text.integer(Int64(number))
    text.endLine()
    behind.start(&text)
    #expect(text.count == 0)
  }

  @Test func partsAreWrittenInTheirOrder() throws {
    let behind = WritingBehind(streams)
    try behind.finish()
    for number in 0..<100 {
      start(behind, number)
      try behind.finish()
    }
    #expect(streams.output == (0..<100).map { "\($0)\n" }.joined())
  }

  @Test func aFailureIsReportedOnce() throws {
    streams.writesLeft = 1
    let behind = WritingBehind(streams)
    start(behind, 1)
    try behind.finish()
    start(behind, 2)
    #expect(throws: SystemError.self) { try behind.finish() }
    try behind.finish()
    #expect(streams.output == "1\n")
  }

  // MARK: Listings

  /// Enough accounts for several parts.
  private func hostWithAccounts() -> MemoryHost {
    let host = MemoryHost(policy: #"{"models":[],"starterCredits":7}"#)
    let names = (0..<12_000).map { #"{"account":"account-\#($0)"}"# + "\n" }
    #expect(host.run(.account, [], MemoryStreams([names.joined()])).status == 0)
    return host
  }

  @Test func aLongListingIsTheSameWhereItIsKept() {
    let host = hostWithAccounts()
    let seen = host.run(.account, ["--all"], streams)
    let keeping = MemoryStreams([])
    keeping.outputIsKept = true
    let kept = host.run(.account, ["--all"], keeping)
    #expect(seen.status == 0 && seen.output.utf8.count > 3 << 18)
    #expect(kept == seen)
  }

  /// The disk may be full by the second part, or the last.
  @Test func aClosedOutputOfAListingIsReported() {
    let host = hostWithAccounts()
    for count in 0..<4 {
      let outcome = host.run(.account, ["--all"], takingWrites: count)
      #expect(outcome.status == CreditError.Code.ioError.exitStatus, "\(count)")
      #expect(outcome.errors.split(separator: "\n").count == 1, "\(count)")
      #expect(outcome.output.isEmpty == (count == 0))
    }
  }
}
