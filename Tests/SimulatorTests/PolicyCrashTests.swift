import CreditModel
import Testing

@testable import CreditStore
@testable import TestSupport

/// A policy with a catalog and a certificate, and crashes while it is put in place.
@Suite(.slow) struct PolicyCrashTests {
  /// The three ways in which a process can be stopped at a call.
  enum Stop: CaseIterable {
    case kill
    case powerCut
    case failure

    var event: SimulatedProcess.Event {
      switch self {
      case .kill: .kill
      case .powerCut: .powerCut
      case .failure: .fail(code: 28, isLasting: false)
      }
    }
  }

  /// A machine with a store that has the first policy, and the next one's files beside it.
  private struct Life {
    let machine: SimulatedMachine

    init(seed: UInt64) throws {
      machine = SimulatedMachine(seed: seed)
      machine.makeDirectory("/home")
      machine.syncNames(in: "/")
      let process = SimulatedProcess(machine)
      let store = try store(process)
      _ = try store.create(
        fixture(process).draft(1, for: store), at: Timestamp(milliseconds: machine.milliseconds))
      _ = try fixture(process).write(2)
      process.exit()
    }

    func store(_ process: SimulatedProcess) throws -> LocalStore {
      LocalStore(
        at: SimulatedMachine.storePath, options: StoreOptions(lockTimeoutSeconds: 0),
        system: process)
    }

    func fixture(_ process: SimulatedProcess) -> PolicyFixture {
      PolicyFixture(drafts: StoreDirectory(path: "/home/drafts", system: process))
    }

    /// Reads the next policy and puts it in place.
    func set(_ process: SimulatedProcess) throws {
      let store = try store(process)
      try store.setPolicy(store.policyDraft("/home/drafts/draft.json"))
    }

    /// The number of the pair that a new process sees.
    func number() throws -> Int? {
      let process = SimulatedProcess(machine)
      defer { process.exit() }
      let store = try store(process)
      return try PolicyFixture.number(of: store.policy(), in: store.directory)
    }
  }

  @Test(arguments: Stop.allCases) func oneRenameDecides(stop: Stop) throws {
    for seed in 1...4 as ClosedRange<UInt64> {
      var (calls, old, new) = (0, 0, 0)
      while true {
        calls += 1
        let life = try Life(seed: seed &* 1000 &+ UInt64(calls))
        let process = SimulatedProcess(life.machine)
        process.arm(stop.event, at: calls)
        let isDone = (try? life.set(process)) != nil
        let isStopped = process.isDead || process.hasFailed
        if process.isDead { _ = life.machine.settle() } else { process.exit() }
        let number = try life.number()
        #expect(number == 2 || number == 1 && !isDone, "seed \(seed), call \(calls)")
        if number == 1 { old += 1 } else { new += 1 }
        // Remaining files block nobody.
        let next = SimulatedProcess(life.machine)
        try life.set(next)
        next.exit()
        #expect(try life.number() == 2)
        #expect(life.machine.names.keys.filter { $0.contains("/policy-") }.count <= 4)
        #expect(life.machine.storeFile(StoreDirectory.temporaryName) == nil)
        if !isStopped { break }
      }
      #expect(calls > 30 && old > 10 && new > 1)
    }
  }
}
