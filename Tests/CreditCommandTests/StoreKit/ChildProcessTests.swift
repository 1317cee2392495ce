import Testing

@testable import CreditCommand

@Suite struct ChildProcessTests {
  private func run(_ script: String, environment: [String] = []) throws -> ChildProcess.Ending {
    let shield = SignalShield()
    defer { shield.lower() }
    return try ChildProcess("/bin/sh", ["-c", script], environment: environment).run(shield)
  }

  @Test func tellsStatusAndOutput() throws {
    let ending = try run("echo out; echo lost >&2; exit 3")
    #expect(ending.status == 3 && ending.output == Array("out\n".utf8))
  }

  @Test func seesNothingOfThisProcess() throws {
    let ending = try run("echo $HOME$A; cat", environment: ["A=a"])
    #expect(ending.status == 0 && ending.output == Array("a\n".utf8))
  }

  @Test func oneThatASignalEndedHasNoStatus() throws {
    #expect(try run("kill -KILL $$").status == nil)
  }

  @Test func oneThatSaysTooMuchIsEnded() throws {
    let ending = try run("while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done")
    #expect(ending.status == nil && ending.output.isEmpty)
  }

  @Test func oneThatIsNotThereIsAnError() {
    #expect(throws: (any Error).self) {
      let shield = SignalShield()
      defer { shield.lower() }
      _ = try ChildProcess("/nonexistent", [], environment: []).run(shield)
    }
  }
}
