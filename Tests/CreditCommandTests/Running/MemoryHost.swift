import CreditModel

@testable import CreditCommand
@testable import TestSupport

/// A machine in memory on which whole commands run, each as a process of its own: with its clock,
/// its ids in order, the streams that it is given, and faults.
final class MemoryHost {
  let machine: SimulatedMachine
  var environment = ["CREDIT_STORE": SimulatedMachine.storePath]
  /// Objects that commands left for the end of their processes.
  private var kept: [AnyObject] = []
  private var idCount = 0

  /// Outcome of a command.
  struct Outcome: Equatable {
    var status: Int32
    var output: String
    var errors = ""
  }

  init(seed: UInt64 = 1) {
    machine = SimulatedMachine(seed: seed)
    machine.makeDirectory("/home")
  }

  /// A machine with a store of a policy.
  convenience init(seed: UInt64 = 1, policy: String) {
    self.init(seed: seed)
    write(policy, to: "/home/policy.json")
    _ = run(.store, "init", "--policy", "/home/policy.json")
  }

  func write(_ text: String, to path: String) {
    let file = machine.makeFile(path)
    Array(text.utf8).withBytes { file.write($0, at: 0) }
  }

  /// Runs a command.
  @discardableResult
  func run(_ tool: Tool, _ arguments: String..., input: String...) -> Outcome {
    run(tool, arguments, MemoryStreams(input))
  }

  /// Runs a command on the streams.
  /// - Parameter process: one that has faults to come.
  func run(
    _ tool: Tool, _ arguments: [String], _ streams: MemoryStreams,
    process: SimulatedProcess? = nil
  ) -> Outcome {
    let process = process ?? SimulatedProcess(machine)
    let host = Host(
      arguments: arguments, environment: { self.environment[$0] }, system: process,
      streams: streams, makeID: makeID, keep: { self.kept.append($0) })
    let status = Program.run(tool, on: host)
    process.exit()
    return Outcome(status: status, output: streams.output, errors: streams.errors)
  }

  /// Runs a command whose output goes to a disk that is full after `count` writes.
  func run(_ tool: Tool, _ arguments: [String], takingWrites count: Int) -> Outcome {
    let streams = MemoryStreams([])
    streams.outputIsKept = true
    streams.writesLeft = count
    streams.writeError = 28  // ENOSPC
    return run(tool, arguments, streams)
  }

  private func makeID(_: Timestamp) -> Name {
    idCount += 1
    return Name(trusted: "id-\(idCount)")
  }
}
