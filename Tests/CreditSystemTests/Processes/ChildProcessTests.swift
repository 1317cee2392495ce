import CreditSystem
import Testing

@testable import TestSupport

@Suite(.slow) struct ChildProcessTests {
  private func run(
    _ script: String, _ arguments: [ChildProcess.Argument] = [], input: [UInt8] = [],
    environment: [String] = []
  ) throws -> ChildProcess.Ending {
    try ChildProcess(
      "/bin/sh", ["-c", .text(script), "sh"] + arguments, input: input, environment: environment
    ).run()
  }

  @Test func tellsStatusAndOutput() throws {
    let ending = try run("echo out; echo lost >&2; exit 3")
    #expect(ending.status == 3 && ending.output == Array("out\n".utf8))
  }

  @Test func doesNotInheritTheEnvironment() throws {
    let ending = try run("echo $HOME$A; cat", environment: ["A=a"])
    #expect(ending.status == 0 && ending.output == Array("a\n".utf8))
  }

  /// Also more than a pipe holds.
  @Test(arguments: [0, 1, 300_000])
  func readsItsInputAndFiles(count: Int) throws {
    let (one, two) = ([UInt8](repeating: 1, count: count), [UInt8](repeating: 2, count: count))
    let ending = try run("cat; cat \"$1\" \"$2\"", [.file(one), .file(two)], input: [0, 1])
    #expect(ending.status == 0 && ending.output == [0, 1] + one + two)
  }

  @Test func needNotReadThem() throws {
    let bytes = [UInt8](repeating: 1, count: 300_000)
    #expect(try run("exit 3", [.file(bytes)], input: bytes).status == 3)
  }

  @Test func filesAreOnNoDisk() throws {
    #expect(try run("test -f \"$1\"", [.file([1])]).status == 1)
  }

  @Test func oneThatASignalEndedHasNoStatus() throws {
    #expect(try run("kill -KILL $$").status == nil)
  }

  @Test func oneThatPrintsTooMuchIsKilled() throws {
    let ending = try run("while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done")
    #expect(ending.status == nil && ending.output.isEmpty)
  }

  @Test func oneThatIsNotThereIsAnError() {
    #expect(throws: SystemError.self) {
      _ = try ChildProcess("/nonexistent", [], environment: []).run()
    }
  }
}
