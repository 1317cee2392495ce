import Testing

@testable import CreditCommand

@Suite struct ErrorOutputTests {
  private let streams = MemoryStreams([])

  @Test func progressGivesWayToMessages() {
    let errors = ErrorOutput(tool: "credit-x", isQuiet: false, streams: streams)
    errors.show(progress: "1%")
    errors.show(progress: "1%")
    errors.remark("note")
    errors.flush()
    errors.show(progress: "2%")
    errors.finish()
    errors.finish()
    let clear = "\r\u{1b}[K"
    #expect(
      streams.errors
        == "\(clear)credit-x: 1%\(clear)credit-x: note\n\(clear)credit-x: 2%\(clear)")
  }
}
