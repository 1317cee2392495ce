import CreditModel
import CreditStore

@testable import TestSupport

/// Crashes of processes, and recovery from them.
extension Simulation {
  /// Has something happen to a process soon, most of the times: at a call that changes something,
  /// or at any.
  func arm(_ process: SimulatedProcess) {
    let isAtChange = !machine.random.once(in: 4)
    let limit = isAtChange ? machine.random.pick(3, 6, 12) : machine.random.pick(8, 20, 50)
    process.arm(event(), at: 1 + machine.random.number(below: limit), countsChangesOnly: isAtChange)
  }

  private func event() -> SimulatedProcess.Event? {
    switch machine.random.number(below: 8) {
    case 0...1: .kill
    case 2...4 where syncs: .powerCut
    case 5: .fail(code: failureCode(), isLasting: false)
    case 6: .fail(code: failureCode(), isLasting: true)
    default: nil
    }
  }

  /// A device that fails, or is full.
  private func failureCode() -> Int32 { machine.random.once(in: 2) ? 5 : 28 }

  /// Lets a crash take its course, and forgets the processes that it ended.
  func settle(_ process: SimulatedProcess) {
    guard process.isDead else { return }
    if machine.settle() {
      counts.powerCuts += 1
      removeWorkers { _ in true }
    } else {
      counts.kills += 1
      removeWorkers { $0 === process }
    }
  }

  /// Has something done that takes as many tries as it is interrupted.
  private func insist(_ body: (LocalStore) throws -> Void) throws {
    while true {
      let process = SimulatedProcess(machine)
      arm(process)
      do {
        try body(store(process))
        return end(process)
      } catch let error as CreditError {
        guard process.isDead || process.hasFailed else { throw Violation(outOfNothing: error) }
        end(process)
      }
    }
  }

  private func end(_ process: SimulatedProcess) {
    if process.isDead { settle(process) } else { process.exit() }
  }

  /// Makes the store.
  func create() throws {
    try insist { store in
      _ = try store.create(
        store.policyDraft(
          text: Array(RandomBatches.policy(clockIsReal: clockIsReal, in: zone).utf8)),
        at: Timestamp(milliseconds: machine.milliseconds))
    }
    if machine.storeFile("policy.json") == nil { throw Violation("a store without its policy") }
  }

  /// Makes the index anew.
  func rebuild() throws {
    try insist { try $0.rebuild() }
    try checkAfterCrash()
  }

  /// Replaces the index by an old one, garbage or an empty file, while processes use it.
  func spoilIndex() {
    let path = "\(SimulatedMachine.storePath)/\(IndexFile.name)"
    guard let index = machine.storeFile(IndexFile.name) else { return }
    let spare = spareIndex
    spareIndex = index.bytes
    switch machine.random.number(below: 3) {
    case 0: machine.remove(path)
    case 1:
      let garbage = (0..<machine.random.number(below: 600)).map { _ in machine.random.next() }
      garbage.withBytes { machine.makeFile(path).write($0, at: 0) }
    default: spare.withBytes { machine.makeFile(path).write($0, at: 0) }
    }
  }

  /// Finds the result of an unacknowledged batch.
  func recover(from error: CreditError, _ process: SimulatedProcess) throws {
    if process.isDead {
      settle(process)
    } else {
      guard process.hasFailed else { throw Violation(outOfNothing: error) }
      counts.faults += 1
      process.arm(nil)
    }
    while machine.random.once(in: 4) { try recoverAndCrash() }
    var records = try newRecords(recovering: machine.random.once(in: 4))
    if records.count == model.records.count - checkedCount {
      counts.doubtfulDropped += 1
    } else {
      if !process.isDead, case .outcome("none")? = error.details.last {
        throw Violation("something was done, and the outcome was to be none")
      }
      // It is there for good once a process has built on it.
      records = try newRecords(recovering: true)
      _ = modelResults()
      counts.doubtfulKept += 1
    }
    try checkAfterCrash(records)
  }

  /// Lets a process recover the store, and something happen to it meanwhile.
  private func recoverAndCrash() throws {
    try repairFailedSync()
    let process = SimulatedProcess(machine)
    arm(process)
    do {
      _ = try makeGate(store(process)).perform([], under: policy)
    } catch let error as CreditError {
      guard process.isDead || process.hasFailed else { throw Violation(outOfNothing: error) }
    }
    end(process)
  }

  /// A store with the mark of a failed sync refuses everything until it is rebuilt. A power cut can
  /// bring the mark back, if its removal could not be synced.
  func repairFailedSync() throws {
    var tries = 0
    while let lock = machine.storeFile(StoreLock.name), lock.count > 0 {
      guard machine.hasFailedSync else { throw Violation("a mark, and no sync has failed") }
      tries += 1
      if tries > 100 { throw Violation("a mark that stays") }
      let answers = try quietly { store in
        try? makeGate(store).perform([], under: policy)
      }
      if answers != nil { throw Violation("a store with a failed sync serves on") }
      if syncs && machine.random.once(in: 3) {
        machine.cutPower()
        _ = machine.settle()
        counts.powerCuts += 1
        removeWorkers { _ in true }
      }
      try insist { try $0.rebuild() }
    }
  }
}
