import CreditModel

@testable import CreditStore
@testable import TestSupport

/// The life of a store, with crashes and faults, by a seed. Processes serve batches, one after
/// another. After every crash the store has to contain the acknowledged batches, and the
/// unacknowledged one as a whole or not at all. That one is sent again until it is answered.
final class Simulation {
  /// A batch with the conditions of its results.
  struct Attempt {
    var number = 0
    var requests: [GateRequest] = []
    var time = Timestamp(milliseconds: 0)
  }

  struct Worker {
    let process: SimulatedProcess
    let gate: LocalCreditGate
  }

  private static let policies = Result {
    try SlowZone.choices.map { zone in
      try [false, true].map { try RandomBatches.decodedPolicy(clockIsReal: $0, in: zone) }
    }
  }

  let machine: SimulatedMachine
  let policy: Policy
  let clockIsReal: Bool
  /// The wall clock of its windows; nil for UTC.
  let zone: SlowZone?
  /// Whether the processes wait for the disk. Without that there are no power cuts.
  let syncs: Bool
  /// Whether a batch comes for which the index has to grow.
  private let isWide: Bool
  let model = MemoryBooks()

  var counts = Counts()
  var audit: RecordAudit
  /// The part of the journal that was found right, and its number of records.
  var checkedBytes: [UInt8] = []
  var checkedCount = 0

  /// An earlier state of the index.
  var spareIndex: [UInt8] = []

  /// Whether every batch is printed.
  var tracing = false

  private(set) var attempt = Attempt()
  /// Batches that were not acknowledged, to be sent again.
  private(set) var unanswered: [[GateRequest]] = []
  private var batches: RandomBatches
  private var workers: [Worker] = []
  private var idCount = 0

  init(seed: UInt64, sabotage: Sabotage? = nil) throws {
    machine = SimulatedMachine(seed: seed, sabotage: sabotage)
    batches = RandomBatches(seed: seed)
    syncs = seed % 8 != 0
    isWide = seed % 150 == 70
    clockIsReal = seed % 2 == 1
    let zoneNumber = Int(seed / 2 % UInt64(SlowZone.choices.count))
    zone = SlowZone.choices[zoneNumber]
    var policy = try Self.policies.get()[zoneNumber][clockIsReal ? 1 : 0]
    policy.prices = KnownPrices(policy.prices)
    self.policy = policy
    audit = RecordAudit(clockIsReal: clockIsReal, in: zone)
    machine.makeDirectory("/home")
    machine.syncNames(in: "/")
  }

  /// Most lives are short, because the effect of a crash hardly depends on the journal's length.
  func run() throws {
    try create()
    let isLong = machine.random.once(in: 20)
    batches.largest = isLong ? 50 : 12
    for number in 0..<(isLong ? 80 : 20) { try step(isWide: isWide && number == 3) }
    while !unanswered.isEmpty {
      try repairFailedSync()
      begin(unanswered.removeFirst())
      try serve(addWorker())
    }
    try checkEverything()
    let index = machine.storeFile(IndexFile.name)
    if isWide, let index, index.count > IndexLayout(seed: (0, 0)).byteCount {
      counts.grownIndexes += 1
    }
  }

  // MARK: Processes

  func store(_ process: SimulatedProcess) throws -> LocalStore {
    LocalStore(
      at: SimulatedMachine.storePath, options: StoreOptions(lockTimeoutSeconds: 0, syncs: syncs),
      system: process)
  }

  func makeGate(_ store: LocalStore) -> LocalCreditGate {
    LocalCreditGate(store) { [unowned self] in makeID($0) }
  }

  private func makeID(_: Timestamp) -> Name {
    idCount += 1
    return Name(trusted: "made-\(attempt.number)-\(idCount)")
  }

  private func addWorker() throws -> Worker {
    let process = SimulatedProcess(machine)
    let worker = Worker(process: process, gate: makeGate(try store(process)))
    workers.append(worker)
    return worker
  }

  func removeWorkers(where isGone: (SimulatedProcess) -> Bool) {
    workers.removeAll { isGone($0.process) }
  }

  /// Runs `body` in a process without crashes or faults.
  func quietly<Result>(_ body: (LocalStore) throws -> Result) throws -> Result {
    let process = SimulatedProcess(machine)
    defer { process.exit() }
    do {
      return try body(store(process))
    } catch let error as CreditError {
      throw Violation(outOfNothing: error)
    }
  }

  // MARK: Steps

  private func step(isWide: Bool) throws {
    try repairFailedSync()
    machine.milliseconds += Int64(
      machine.random.pick(0, 1, 60_000, 3_600_000, 40_000_000, 180_000_000))
    let time = Timestamp(milliseconds: machine.milliseconds)
    if isWide {
      begin(RandomBatches.ofNewAccounts(at: time))
    } else if unanswered.isEmpty || machine.random.once(in: 2) {
      begin(batches.next(at: time))
    } else {
      begin(unanswered.removeFirst())
    }
    if workers.isEmpty || machine.random.once(in: 4) && workers.count < 3 { _ = try addWorker() }
    let worker = workers[machine.random.number(below: workers.count)]
    arm(worker.process)
    defer { if tracing { trace(worker.process) } }
    try serve(worker)
    worker.process.arm(nil)
    if machine.random.once(in: 50) { try rebuild() }
    if machine.random.once(in: 30) { spoilIndex() }
  }

  private func begin(_ requests: [GateRequest]) {
    attempt.number += 1
    attempt.time = Timestamp(milliseconds: machine.milliseconds)
    attempt.requests = requests
  }

  private func trace(_ process: SimulatedProcess) {
    print(
      "batch \(attempt.number) of \(attempt.requests.count) by process \(process.number)",
      "\(process.fate): \(model.records.count) records; \(counts.summary)")
  }

  private func serve(_ worker: Worker) throws {
    counts.batches += 1
    idCount = 0
    let results: [GateAnswer]
    do throws(CreditError) {
      results = try worker.gate.perform(attempt.requests, under: policy)
    } catch {
      unanswered.append(attempt.requests)
      return try recover(from: error, worker.process)
    }
    // Killed at a call whose failure does not change the results: they are acknowledged.
    let isDead = worker.process.isDead
    settle(worker.process)
    try expect(results)
    if isDead { try checkAfterCrash() }
  }

  // MARK: The model

  /// Applies the batch to the model.
  func modelResults() -> [GateAnswer] {
    idCount = 0
    let ledger = Ledger(
      books: model, policy: policy, systemTime: attempt.time,
      makeID: { [unowned self] in makeID($0) })
    return attempt.requests.map { request in
      do throws(CreditError) {
        return .success(try ledger.perform(request))
      } catch {
        return .failure(error)
      }
    }
  }

  private func expect(_ results: [GateAnswer]) throws(Violation) {
    let expected = modelResults()
    guard results.count == expected.count else {
      throw Violation("\(results.count) results of \(expected.count) requests")
    }
    for (result, expected) in zip(results, expected) {
      guard result.isSame(as: expected) else {
        throw Violation("\(result.summary) where the model has \(expected.summary)")
      }
      if case .success(let result) = expected { audit.acknowledge(result) }
    }
  }
}
