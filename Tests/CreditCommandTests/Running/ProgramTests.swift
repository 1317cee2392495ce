import CreditSystem
import Testing

@testable import CreditCommand
@testable import TestSupport

/// Whole commands in memory, from their command line to their exit status.
@Suite struct ProgramTests {
  private static let policy = #"{"models":[{"id":"unit","creditsPerUnit":1}],"starterCredits":100}"#
  private let host = MemoryHost(policy: policy)
  /// The machine's time.
  private static let now = "2026-02-19T10:00:00.000Z"

  @discardableResult
  private func run(_ tool: Tool, _ arguments: String..., input: String...) -> MemoryHost.Outcome {
    host.run(tool, arguments, MemoryStreams(input))
  }

  private func succeeded(_ output: String) -> MemoryHost.Outcome {
    MemoryHost.Outcome(status: 0, output: output + "\n")
  }

  // MARK: Every tool

  @Test func pricesUsage() {
    #expect(
      run(.price, "--model", "unit", "--units", "3")
        == succeeded(#"{"model":"unit","usage":{"units":3},"credits":3}"#))
  }

  @Test func authorizesThenCharges() {
    let authorization = #"{"id":"id-1","account":"alice","timestamp":"\#(Self.now)"}"#
    #expect(
      run(.authorize, "--account", "alice")
        == succeeded(#"{"authorization":\#(authorization),"balance":100}"#))
    #expect(
      run(.charge, "--authorization", "id-1", "--model", "unit", "--units", "7")
        == succeeded(
          #"{"authorization":\#(authorization),"model":"unit","usage":{"units":7},"#
            + #""creditsCharged":7,"newBalance":93,"timestamp":"\#(Self.now)"}"#))
  }

  @Test func toppedUpCreditsAreRefunded() {
    let id = ["--account", "alice", "--transaction", "t1"]
    #expect(
      host.run(.topup, id + ["--credits", "5", "--get", "newBalance"], MemoryStreams([]))
        == succeeded("105"))
    #expect(run(.refund, "--transaction", "t1", "--get", "newBalance") == succeeded("100"))
  }

  @Test func registersAndListsAccounts() {
    #expect(run(.account, "--account", "bob", "--exempt", "true").status == 0)
    #expect(
      run(.account, "--all")
        == succeeded(#"{"account":"bob","exempt":true,"registeredAt":"\#(Self.now)"}"#))
    #expect(run(.balance, "--account", "bob", "--get", "balance") == succeeded("100"))
    #expect(
      run(.balance, "--all", "--total")
        == succeeded(
          #"{"accounts":1,"balance":100,"owedToCustomers":100,"owedByCustomers":0}"#))
  }

  @Test func historyBecomesAReport() {
    run(.charge, "--account", "alice", "--key", "k1", "--model", "unit", "--units", "7")
    let history = run(.history, "--account", "alice", "--type", "usage")
    #expect(history.status == 0 && history.output.contains(#""credits":-7,"balance":93"#))
    let report = run(.report, input: history.output)
    #expect(report.status == 0 && report.output.hasPrefix("<!DOCTYPE html>"))
  }

  @Test func aCopyOfTheStoreIsSound() {
    run(.charge, "--account", "alice", "--key", "k1", "--model", "unit", "--units", "7")
    let export = run(.store, "export")
    host.environment["CREDIT_STORE"] = "/home/copy"
    #expect(run(.store, "init", "--get", "created") == succeeded("true"))
    #expect(run(.store, "import", "--get", "accounts", input: export.output) == succeeded("1"))
    #expect(run(.store, "verify", "--get", "credits") == succeeded("93"))
    #expect(run(.store, "export") == export)
  }

  @Test func introducesItself() {
    #expect(run(.charge, "--version") == succeeded("credit-charge \(ToolSuite.version)"))
    for name in ToolName.allCases {
      #expect(
        run(name.tool, "--help") == succeeded(String(HelpText.text(for: name.tool).dropLast())))
    }
  }

  // MARK: The command line and the environment

  @Test func misusedIsAUsageError() {
    let outcome = run(.balance, "--acount", "alice")
    #expect(outcome.status == 64 && outcome.output.isEmpty)
    #expect(
      outcome.errors == """
        credit-balance: unknown flag "--acount"; did you mean "--account"?
        try 'credit-balance --help'

        """)
  }

  @Test func theStoreIsTheFlagsThenTheEnvironments() {
    host.environment = ["HOME": "/home"]
    #expect(run(.balance, "--account", "alice", "--get", "balance").output == "1000\n")
    host.environment["XDG_DATA_HOME"] = "/data"
    host.machine.makeDirectory("/data")
    #expect(run(.topup, "--account", "a", "--key", "k", "--credits", "1").status == 0)
    #expect(host.machine.names["/data/credit/journal.jsonl"] != nil)
    host.environment["CREDIT_STORE"] = "/nowhere"
    #expect(run(.balance, "--account", "alice").status == 66)
    #expect(run(.balance, "--account", "alice", "--store", SimulatedMachine.storePath).status == 0)
    host.environment = [:]
    #expect(run(.balance, "--account", "alice").status == 64)
  }

  @Test func aTimeIsTheFlagsThenTheEnvironments() {
    host.environment["CREDIT_NOW"] = "2026-02-19T10:01:00Z"
    let get = ["--get", "authorization.timestamp"]
    #expect(
      host.run(.authorize, ["--account", "alice"] + get, MemoryStreams([]))
        == succeeded("2026-02-19T10:01:00.000Z"))
    let later = "2026-02-19T10:02:00.000Z"
    #expect(
      host.run(.authorize, ["--account", "bob", "--now", later] + get, MemoryStreams([]))
        == succeeded(later))
    #expect(run(.authorize, "--account", "bob", "--now", "2026-02-19T10:05:00.001Z").status == 65)
    host.environment["CREDIT_NOW"] = "soon"
    #expect(run(.authorize, "--account", "bob").status == 64)
  }

  @Test func aLockedStoreIsReported() throws {
    let other = SimulatedProcess(host.machine)
    let lock = try other.openFile("\(SimulatedMachine.storePath)/lock", .updateOrCreate)
    #expect(try other.lock(lock, .exclusive, waitMilliseconds: 0))
    let charge = ["--account", "alice", "--key", "k", "--model", "unit", "--units", "7"]
    let outcome = host.run(.charge, charge, MemoryStreams([]))
    #expect(outcome.status == 75)
    other.unlock(lock)
    #expect(host.run(.charge, charge, MemoryStreams([])).status == 0)
  }

  // MARK: Streams

  @Test func answersBeforeItWaitsForMore() {
    let request = #"{"model":"unit","usage":{"units":1}}"# + "\n"
    let answer = #"{"model":"unit","usage":{"units":1},"credits":1}"# + "\n"
    let streams = MemoryStreams([request, request + request])
    #expect(host.run(.price, [], streams).status == 0)
    #expect(streams.outputAtReads == ["", answer, answer + answer + answer])
  }

  @Test func aRequestMayComeInParts() {
    #expect(
      run(.price, "--get", "credits", input: #"{"model":"un"#, #"it","usage":{"units":4}}"#)
        == succeeded("4"))
  }

  @Test func aTerminalIsNeverWaitedFor() {
    // credit-doctor reads no input.
    for tool in ToolName.allCases.filter({ $0 != .doctor }).map(\.tool)
    where tool.subcommands.isEmpty {
      let streams = MemoryStreams([])
      streams.inputKind = .terminal
      #expect(host.run(tool, [], streams).status == 64, "\(tool.name)")
      #expect(streams.outputAtReads.isEmpty)
    }
  }

  @Test func aClosedInputIsAUsageError() {
    let streams = MemoryStreams([])
    streams.inputKind = .closed
    #expect(host.run(.charge, [], streams).status == 64)
  }

  /// Missing flags are reported if there is no request to fill in.
  @Test(arguments: [
    (
      ToolName.charge, ["--account=a", "--units=1"], "--key or --authorization: nothing was charged"
    ),
    (.charge, ["--account=a"], "--key, and a count such as --input-tokens: nothing was charged"),
    (.refund, ["--reason=x"], "--transaction or --authorization: nothing was refunded"),
    (.topup, ["--account=a", "--key=k"], "--product or --credits or --to: nothing was credited"),
  ])
  func aPartialRequestIsReported(name: ToolName, flags: [String], end: String) {
    let empty = host.run(name.tool, flags, MemoryStreams([]))
    #expect(empty.status == 0 && empty.output.isEmpty)
    #expect(
      empty.errors == "\(name.command): no requests on standard input, and these flags make none "
        + "without \(end)\n")
    #expect(host.run(name.tool, flags + ["--quiet"], MemoryStreams([])).errors.isEmpty)
    for kind in [InputKind.nullDevice, .terminal, .closed] {
      let streams = MemoryStreams([])
      streams.inputKind = kind
      let outcome = host.run(name.tool, flags, streams)
      #expect(outcome.status == 64 && outcome.errors.contains(end.prefix { $0 != ":" }))
    }
  }

  /// A request that lacks its usage alone is told how to say it.
  @Test(arguments: [
    (ToolName.charge, ["--authorization=a"], "charged"),
    (.charge, ["--account=a", "--key=k", "--model=m"], "charged"),
    (.price, ["--model=m", "--used-at=2026-02"], "priced"),
  ])
  func aMissingUsageIsReported(name: ToolName, flags: [String], past: String) {
    let sentence =
      "\(name.command): say what was used: --input-tokens N --output-tokens N, --units N, --flat "
      + "or --response; nothing was \(past)\n"
    let empty = host.run(name.tool, flags, MemoryStreams([]))
    #expect(empty.status == 0 && empty.output.isEmpty && empty.errors == sentence)
    for kind in [InputKind.nullDevice, .terminal, .closed] {
      let streams = MemoryStreams([])
      streams.inputKind = kind
      let outcome = host.run(name.tool, flags, streams)
      #expect(outcome.status == 64 && outcome.errors.hasPrefix(sentence))
    }
  }

  /// A job without work succeeds, and says so.
  @Test func noRequestIsNotAnError() {
    let streams = MemoryStreams([])
    streams.inputKind = .nullDevice
    let outcome = host.run(.charge, ["--pretty"], streams)
    #expect(outcome.status == 0 && outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("credit-charge: standard input is empty, and no flags"))
  }

  @Test func aTerminalIsShownATable() {
    run(.account, "--account", "alice")
    let table = """
      ACCOUNT  BALANCE  AVAILABLE  HELD
      alice        100        100     0

      """
    func listing(_ arguments: String...) -> String {
      let streams = MemoryStreams([])
      streams.outputIsTerminal = true
      return host.run(.balance, ["--all"] + arguments, streams).output
    }
    #expect(listing() == table)
    #expect(listing("--json") == run(.balance, "--all").output)
    #expect(listing("--get", "account") == "alice\n")
  }

  @Test func unreadOutputIsStillCharged() {
    let streams = MemoryStreams([])
    streams.writesLeft = 0
    streams.writeError = 28  // ENOSPC
    let charge = ["--account", "alice", "--key", "k", "--model", "unit", "--units", "7"]
    let outcome = host.run(.charge, charge, streams)
    #expect(outcome.status == 74)
    #expect(
      outcome.errors == """
        credit-charge: can't write standard output: no space left on device
        credit-charge: the results are recorded: a repeat of a request with an id or a key prints \
        its result again, and changes nothing; credit-history shows the others

        """)
    #expect(run(.balance, "--account", "alice", "--get", "balance") == succeeded("93"))
  }

  /// A reader that has gone ends the process by a signal, after its writes.
  @Test func aReaderThatHasGoneEndsARunQuietly() {
    let streams = MemoryStreams([])
    streams.writesLeft = 0
    let charge = ["--account", "alice", "--key", "k", "--model", "unit", "--units", "7"]
    let outcome = host.run(.charge, charge, streams)
    #expect(outcome.status == ThisProcess.brokenPipeStatus)
    #expect(outcome.errors == "")
    #expect(run(.balance, "--account", "alice", "--get", "balance") == succeeded("93"))
  }

  /// A batch that is being served on another thread is finished before the process ends.
  @Test func aCurrentChargeIsFinishedAfterTheOutputCloses() {
    // Each part is a batch.
    let space = String(repeating: " ", count: 3_000)
    let parts = (0..<3).map { part in
      (0..<400).map { number in
        #"{"account":"bob","key":"\#(part)-\#(number)",\#(space)"model":"unit","units":0}"# + "\n"
      }.joined()
    }
    let streams = MemoryStreams(parts)
    streams.hasInput = true
    streams.writesLeft = 0
    #expect(host.run(.charge, [], streams).status == ThisProcess.brokenPipeStatus)
    let history = run(.history, "--account", "bob", "--limit", "1000").output
    #expect(history.split(separator: "\n").filter { $0.contains(#""type":"usage""#) }.count > 700)
  }

  @Test func aListingEndsWithItsReader() {
    let requests = (0..<3000).map { #"{"account":"account \#($0)"}"# + "\n" }
    #expect(run(.account, "--quiet", input: requests.joined()).status == 0)
    let streams = MemoryStreams([])
    streams.writesLeft = 1
    let outcome = host.run(.balance, ["--all"], streams)
    #expect(outcome.status == ThisProcess.brokenPipeStatus)
    #expect(outcome.output.utf8.count < 200_000)
  }

  /// Omissions of a log are not counted if its reading ends early.
  @Test(arguments: [(1, 0), (3000, ThisProcess.brokenPipeStatus)])
  func aLogEndsWithItsReader(count: Int, status: Int32) {
    let failed = #"{"custom_id":"a","response":null,"error":{"code":"batch_expired"}}"# + "\n"
    let answered = (0..<count).map { number in
      #"{"custom_id":"b","response":{"status_code":200,"body":{"id":"chatcmpl-\#(number)","#
        + #""model":"gpt-4o","usage":{"prompt_tokens":100,"completion_tokens":9}}}}"# + "\n"
    }
    let streams = MemoryStreams([failed] + answered)
    streams.writesLeft = 1
    let outcome = host.run(.usage, ["openai", "--account", "ana"], streams)
    #expect(outcome.status == status)
    #expect(outcome.errors.contains("left out 1: ") == (status == 0))
  }

  @Test func followingEndsWithItsReader() {
    run(.account, "--account", "alice")
    let streams = MemoryStreams([])
    streams.waitsLeft = 3
    #expect(
      host.run(.history, ["--all", "--follow"], streams)
        == MemoryHost.Outcome(status: 0, output: ""))
    #expect(streams.waitsLeft == -1)
  }
}
