import CreditModel
import CreditSystem
import Testing

@testable import CreditStore
@testable import TestSupport

struct LocalCreditGateTests {
  /// A batch that waited for the lock has the time after that: earlier readers saw the whole past.
  @Test func theTimeIsReadUnderTheLock() throws {
    let ledger = try LedgerStore()
    let system = FaultySystem()
    let store = LocalStore(at: ledger.files.directory.path, system: system)
    let gate = LocalCreditGate(store) { Name(trusted: $0.text) }
    _ = try gate.perform([], under: store.policy())
    system.lockMilliseconds = 60_000
    let before = system.currentMilliseconds()
    let request = GateRequest.authorize(AuthorizeRequest(account: "alice"))
    let policy = try realClockPolicy(store.policy())
    let answer = try gate.perform([request], under: policy)[0].get()
    guard case .authorization(let authorization, _, _) = answer else { return #expect(Bool(false)) }
    #expect(authorization.timestamp.milliseconds >= before + 60_000)
    #expect(authorization.id.text == authorization.timestamp.text)
  }

  /// The last record's time is found wherever the store is taken up.
  @Test(arguments: [true, false]) func noRecordIsEarlierThanTheOneBefore(isSame: Bool) throws {
    let ledger = try LedgerStore()
    let system = FaultySystem()
    let policy = try realClockPolicy(ledger.store.policy())
    var times: [Int64] = []
    var gate: LocalCreditGate?
    for advance in [0, -3_600_000, -1, 3_600_000, 0] as [Int64] {
      system.clockAdvance = advance
      let store = LocalStore(at: ledger.files.directory.path, system: system)
      let current = isSame ? gate ?? LocalCreditGate(store) { Name(trusted: $0.text) } : nil
      gate = current ?? LocalCreditGate(store) { Name(trusted: $0.text) }
      let request = GateRequest.authorize(
        AuthorizeRequest(
          account: Name(trusted: "a\(times.count)"), id: Name(trusted: "\(advance)\(times.count)")))
      let answer = try gate?.perform([request], under: policy)[0].get()
      if case .authorization(let authorization, _, _) = answer {
        times.append(authorization.timestamp.milliseconds)
      }
    }
    #expect(times == times.sorted() && times.count == 5)
    #expect(times[0] == times[1] && times[3] == times[4])
  }

  private func realClockPolicy(_ policy: Policy) -> Policy {
    var policy = policy
    policy.clockIsSimulated = false
    return policy
  }

  /// An account that was idle for a year has hundreds of turns to record.
  @Test func aBatchThatWouldBeTooLongIsServedInParts() throws {
    let ledger = try LedgerStore()
    let names = (0..<80).map { Name(trusted: "idle-\($0)") }
    for name in names {
      try ledger.perform(
        .account(AccountRequest(account: name, plan: .set("pro"), time: ledger.now)))
    }
    ledger.pass(365 * 86_400)
    let gate = LedgerStore.gate(ledger.store, ids: "new")
    var requests = names.map { ledger.charge($0, key: "k", units: 1) }[...]
    var parts: [Int] = []
    while !requests.isEmpty {
      let answers = try gate.perform(Array(requests), under: ledger.store.policy())
      for answer in answers { _ = try answer.get() }
      parts.append(answers.count)
      requests = requests.dropFirst(answers.count)
    }
    #expect(parts.count > 1)
    #expect(parts.reduce(0, +) == 80)
    #expect(try ledger.store.verify().findings.isEmpty)
  }

  /// Refused requests and repeats, which open the account, leave the next record as it is.
  @Test(arguments: [true, false]) func aRefusedRequestLeavesTheAccount(inOneBatch: Bool) throws {
    func journal(withRefusals: Bool) throws -> [[UInt8]] {
      let ledger = try LedgerStore()
      try ledger.perform(
        .account(AccountRequest(account: "alice", plan: .set("pro"), time: ledger.now)),
        .account(AccountRequest(account: "bob", time: ledger.now)))
      try ledger.perform(ledger.authorize("alice", id: "a-1", hold: 20))
      ledger.pass(40 * 3600)
      let refused: [GateRequest] = [
        .transfer(
          TransferRequest(from: "alice", to: "bob", credits: 9_999, key: "g", time: ledger.now)),
        ledger.authorize("alice", id: "a-2", hold: 9_999),
        ledger.authorize("alice", id: "a-1", hold: 20),
        ledger.authorize("new", id: "a-3", hold: 9_999),
      ]
      let charge = ledger.charge("alice", key: "k", units: 7)
      let gate = LocalCreditGate(ledger.store) { Name(trusted: $0.text) }
      let policy = try ledger.store.policy()
      let requests =
        (withRefusals ? refused : []) + [charge, ledger.charge("new", key: "k", units: 1)]
      let batches = inOneBatch ? [requests] : requests.map { [$0] }
      let answers = try batches.flatMap { try gate.perform($0, under: policy) }
      let results = answers.map { (try? $0.get()) != nil }
      #expect(results == (withRefusals ? [false, false, true, false, true, true] : [true, true]))
      #expect(try ledger.store.verify().findings.isEmpty)
      return try ledger.lines().map { line in
        // The end of a line depends on the batches.
        line.dropLast(JournalLine.sealByteCount)
      }.map(Array.init)
    }
    #expect(try journal(withRefusals: true) == journal(withRefusals: false))
  }
}
