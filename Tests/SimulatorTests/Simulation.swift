import CreditJSON
import CreditModel
import CreditStore

/// The life of a store, with crashes and faults, that a seed decides: processes serve batches, one
/// after another, and after every crash the store has to be what the acknowledged batches make it,
/// with the one that was not acknowledged as a whole or not at all.
final class Simulation {
  /// What the store did that it must not do.
  struct Violation: Error, CustomStringConvertible {
    let description: String
  }

  struct Counts {
    var kills = 0
    var powerCuts = 0
    var faults = 0
    var batches = 0
    var checks = 0
    /// Batches that were not acknowledged and are there.
    var doubtfulKept = 0
    var doubtfulDropped = 0
  }

  private(set) var counts = Counts()

  /// Whether every batch is printed.
  var tracing = false

  /// A batch with what decides its results.
  private struct Attempt {
    var number: Int
    var requests: [GateRequest]
    var time: Timestamp
  }

  private struct Worker {
    let process: SimulatedProcess
    let gate: LocalCreditGate
  }

  private static let path = "/home/credit"

  private let machine: SimulatedMachine
  private let model = ModelBooks()
  private let policy: Policy
  private let syncs: Bool
  private var batches: RandomBatches
  private var workers: [Worker] = []
  private var processCount = 0
  private var attempt: Attempt
  private var idCount = 0
  /// A batch that was not acknowledged, to be repeated.
  private var unanswered: [GateRequest]?

  init(seed: UInt64) throws {
    machine = SimulatedMachine(seed: seed)
    batches = RandomBatches(seed: seed)
    syncs = seed % 8 != 0
    attempt = Attempt(number: 0, requests: [], time: Timestamp(milliseconds: 0))
    policy = try Simulation.policy()
    machine.makeDirectory("/home")
    machine.syncNames(in: "/")
  }

  private static func policy() throws -> Policy {
    let document = try JSONDocument(Array(RandomBatches.policy.utf8))
    return try document.withRoot { value throws(CreditError) in
      try PolicyDecoder.decode(value)
    }
  }

  func run(steps: Int) throws {
    try create()
    for _ in 0..<steps { try step() }
    try check()
  }

  // MARK: Processes

  private func makeProcess() -> SimulatedProcess {
    processCount += 1
    return SimulatedProcess(machine, number: processCount)
  }

  private func store(_ process: SimulatedProcess) throws -> LocalStore {
    try LocalStore(
      StoreLocation(path: Self.path, isNamed: true),
      options: StoreOptions(lockTimeoutSeconds: 0, syncs: syncs), system: process)
  }

  private func makeID(_: Timestamp) -> Name {
    idCount += 1
    return Name(trusted: "made-\(attempt.number)-\(idCount)")
  }

  private func makeWorker() throws -> Worker {
    let process = makeProcess()
    let gate = LocalCreditGate(try store(process)) { [unowned self] in makeID($0) }
    return Worker(process: process, gate: gate)
  }

  /// A process that nothing happens to, for as long as `body` runs.
  private func quietly<Result>(_ body: (LocalStore) throws -> Result) throws -> Result {
    let process = makeProcess()
    defer { process.exit() }
    return try body(store(process))
  }

  /// Makes the store, which takes as many tries as it is interrupted.
  private func create() throws {
    while true {
      let process = makeProcess()
      arm(process, limit: 40)
      let time = Timestamp(milliseconds: machine.milliseconds)
      let result = Result {
        try store(process).create(policy: Array(RandomBatches.policy.utf8), at: time)
      }
      process.exit()
      settle(process)
      if case .success = result {
        guard machine.names[Self.path + "/policy.json"] != nil else {
          throw Violation(description: "a store without its policy")
        }
        return
      }
    }
  }

  // MARK: Events

  private func arm(_ process: SimulatedProcess, limit: Int) {
    let call = 1 + machine.random.number(below: limit)
    let code = machine.random.pick(Int32(5), 28)
    switch machine.random.number(below: 8) {
    case 0...1: process.arm(.kill, at: call)
    case 2...4 where syncs: process.arm(.powerCut, at: call)
    case 5: process.arm(.fail(code: code, isLasting: false), at: call)
    case 6: process.arm(.fail(code: code, isLasting: true), at: call)
    default: process.arm(nil)
    }
  }

  /// Lets a crash take its course, and forgets the processes that it ended.
  private func settle(_ process: SimulatedProcess) {
    guard process.isDead else { return }
    if machine.settle() {
      counts.powerCuts += 1
      workers = []
    } else {
      counts.kills += 1
      workers.removeAll { $0.process === process }
    }
  }

  // MARK: Steps

  private func step() throws {
    machine.milliseconds += Int64(
      machine.random.pick(0, 1, 60_000, 3_600_000, 40_000_000, 180_000_000))
    let time = Timestamp(milliseconds: machine.milliseconds)
    attempt.number += 1
    attempt.time = time
    attempt.requests = batches.next(at: time)
    if let unanswered, machine.random.once(in: 2) { attempt.requests = unanswered }
    unanswered = nil
    if workers.isEmpty || machine.random.once(in: 4) && workers.count < 3 {
      workers.append(try makeWorker())
    }
    let worker = workers[machine.random.number(below: workers.count)]
    arm(worker.process, limit: 60)
    defer { trace(worker.process) }
    try serve(worker)
    worker.process.arm(nil)
    if machine.random.once(in: 10) { try check() }
    if machine.random.once(in: 40) { try quietly { try $0.rebuild() } }
  }

  private func trace(_ process: SimulatedProcess) {
    guard tracing else { return }
    print(
      "batch \(attempt.number) of \(attempt.requests.count) by process \(process.number)",
      "\(process.fate): \(model.records.count) records; \(counts.summary)")
  }

  private func serve(_ worker: Worker) throws {
    counts.batches += 1
    idCount = 0
    let results: [GateAnswer]
    do {
      results = try worker.gate.perform(attempt.requests, under: policy)
    } catch {
      if worker.process.isDead {
        workers.removeAll { $0.process === worker.process }
        settle(worker.process)
      } else {
        guard worker.process.hasFailed else { throw unexpected(error) }
        counts.faults += 1
      }
      return try recover(from: error, worker.process)
    }
    let isDead = worker.process.isDead
    // Killed at a call whose failure changes nothing for the results: they are acknowledged.
    settle(worker.process)
    try expect(results, "the results")
    if isDead { try check() }
  }

  /// Applies the batch to the model.
  private func modelResults() -> [GateAnswer] {
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

  private func expect(_ results: [GateAnswer], _ what: String) throws {
    let expected = modelResults().map(\.summary)
    let summaries = results.map(\.summary)
    guard expected == summaries else {
      let index = zip(expected, summaries).enumerated().first { $1.0 != $1.1 }?.offset ?? 0
      throw Violation(
        description: "\(what): \(summaries[index]) where the model has \(expected[index])")
    }
  }

  private func unexpected(_ error: any Error) -> Violation {
    let text = (error as? CreditError).map { "\($0.code.rawValue): \($0.message)" } ?? "\(error)"
    return Violation(description: "out of nothing: \(text)")
  }

  // MARK: Recovery

  /// Finds out what became of a batch that was not acknowledged.
  private func recover(from error: CreditError, _ process: SimulatedProcess) throws {
    unanswered = attempt.requests
    let isDead = process.isDead
    process.arm(nil)
    if !isDead, case .outcome("none")? = error.details.last {
      return try check()
    }
    try repairFailedSync()
    let known = model.records
    let stored = try storedRecords(recovering: machine.random.once(in: 2))
    if stored.count == known.count {
      counts.doubtfulDropped += 1
    } else {
      _ = modelResults()
      counts.doubtfulKept += 1
    }
    try check()
  }

  /// A store that says that a sync failed refuses everything until it is rebuilt.
  private func repairFailedSync() throws {
    guard case .file(let lock)? = machine.names[Self.path + "/lock"], lock.count > 0 else { return }
    let worker = try makeWorker()
    defer { worker.process.exit() }
    do {
      _ = try worker.gate.perform([], under: policy)
      throw Violation(description: "a store with a failed sync serves on")
    } catch is CreditError {
      if syncs && machine.random.once(in: 3) {
        machine.cutPower()
        _ = machine.settle()
        counts.powerCuts += 1
        workers = []
      }
      while true {
        let process = makeProcess()
        arm(process, limit: 60)
        let result = Result { try store(process).rebuild() }
        process.exit()
        settle(process)
        if case .success = result { return }
      }
    }
  }

  /// The records of the store, as a reader finds them, or a writer that recovers first.
  private func storedRecords(recovering: Bool) throws -> [LedgerRecord] {
    try quietly { store in
      if recovering {
        let gate = LocalCreditGate(store) { [unowned self] in makeID($0) }
        _ = try gate.perform([], under: policy)
      }
      return try Self.records(store)
    }
  }

  /// The records as any process reads them.
  private static func records(_ store: LocalStore) throws -> [LedgerRecord] {
    let directory = StoreDirectory(path: path, system: store.system)
    let journal = try JournalFile(in: directory, .read)
    try journal.refresh()
    try journal.refreshLastBatch()
    var records: [LedgerRecord] = []
    var reader = RecordReader()
    var isHeader = true
    var strange = 0
    try journal.forEachLine(from: 0, to: journal.length) { _, line in
      if let record = reader.read(line) {
        records.append(record.record.withoutPosition)
      } else if !isHeader {
        strange += 1
      }
      isHeader = false
    }
    if strange > 0 { throw Violation(description: "\(strange) lines that are no records") }
    return records
  }

  // MARK: The check

  /// Compares all of the store with the model.
  private func check() throws {
    counts.checks += 1
    do {
      try quietly { store in
        try compare(try Self.records(store), "the reader's records")
        try compareLookups(try StoreReader(store))
      }
      try compare(try storedRecords(recovering: true), "the records")
      try quietly { store in
        let summary = try store.verify()
        if let finding = summary.findings.first {
          throw Violation(description: "verify: \(finding.message)")
        }
        try compareLookups(try StoreReader(store))
      }
    } catch let error as CreditError {
      throw unexpected(error)
    }
  }

  private func compare(_ stored: [LedgerRecord], _ what: String) throws {
    let expected = model.records.map(\.withoutPosition)
    if stored == expected { return }
    let index = zip(stored, expected).enumerated().first { $1.0 != $1.1 }?.offset
    if tracing, let index { print("stored", stored[index], "\nexpected", expected[index]) }
    throw Violation(
      description: "\(what): \(stored.count), not \(expected.count), and number "
        + (index.map { "\($0) differs" } ?? "by number alone"))
  }

  private func compareLookups(_ reader: StoreReader) throws {
    for number in 0..<6 {
      let name = Name(trusted: "account-\(number)")
      guard try reader.newest(of: name)?.record.account == model.account(name) else {
        throw Violation(description: "\(name.text) is not found as it is")
      }
    }
    guard let record = model.records.randomElement(using: &machine.random),
      let id = record.authorizationEntry?.authorization.id
    else { return }
    let found = try reader.authorization(id)
    guard found.map({ "\($0.state)" }) == model.authorization(id).map({ "\($0.state)" }) else {
      throw Violation(description: "authorization \(id.text) is not found as it is")
    }
  }
}

extension GateAnswer {
  /// What a result comes to.
  fileprivate var summary: String {
    switch self {
    case .failure(let error): error.code.rawValue
    case .success(.authorization(let authorization, let balance, let isReplay)):
      "\(authorization.id.text) \(balance) \(isReplay)"
    case .success(.voided(let authorization, let isReplay)): "\(authorization.id.text) \(isReplay)"
    case .success(.receipt(let receipt, let isReplay)):
      "\(receipt.authorization.id.text) \(receipt.creditsCharged) \(receipt.newBalance) \(isReplay)"
    case .success(.topUp(let topUp, let isReplay)):
      "\(topUp.transaction.id.text) \(topUp.creditsAdded) \(topUp.newBalance) \(isReplay)"
    case .success(.skipped(_, let balance)): "skipped \(balance)"
    case .success(.transactionRefund(let transaction, let refund, let isReplay)):
      "\(transaction.id.text) \(refund.credits) \(refund.newBalance) \(isReplay)"
    case .success(.chargeRefund(let authorization, let refund, let isReplay)):
      "\(authorization.id.text) \(refund.credits) \(refund.newBalance) \(isReplay)"
    case .success(.account(let account)): "\(account.name.text) \(account.balance)"
    case .success(.notification): "notification"
    }
  }
}
