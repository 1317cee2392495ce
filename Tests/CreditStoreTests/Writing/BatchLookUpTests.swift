import CreditModel
import Testing

@testable import CreditStore
@testable import TestSupport

/// Look-ups of requests in their own batch, and of later ones in it.
struct BatchLookUpTests {
  private func gate(of ledger: LedgerStore) -> LocalCreditGate {
    LocalCreditGate(ledger.store) { Name(trusted: $0.text) }
  }

  /// The authorization stays in the journal behind its charge: in the same batch, in a later one,
  /// and for another process.
  @Test func aSettledAuthorizationIsChargedOnce() throws {
    let ledger = try LedgerStore()
    try ledger.perform(ledger.authorize("alice", id: "old", hold: 20))
    let gates = [gate(of: ledger), gate(of: ledger)]
    for (number, gate) in [gates[0], gates[0], gates[1], gates[0]].enumerated() {
      let new = Name(trusted: "new-\(number)")
      let requests = [
        ledger.charge("old", units: 7), ledger.authorize("alice", id: new),
        ledger.charge(new, units: 2), ledger.charge("old", units: 7), ledger.charge(new, units: 2),
      ]
      let answers = try gate.perform(requests, under: ledger.store.policy())
      let replays = try answers.compactMap { answer -> Bool? in
        guard case .receipt(_, let isReplay) = try answer.get() else { return nil }
        return isReplay
      }
      #expect(replays == [number > 0, false, true, true], "batch \(number)")
    }
    let summary = try ledger.store.verify()
    #expect(summary.findings.map(\.message) == [])
    #expect(summary.credits == 100 - 7 - 4 * 2)
    #expect(try ledger.lines().count == 1 + 2 + 1 + 4 * 2)
  }

  /// Refused requests and those without a look-up are among them, so that each kind comes after
  /// each other one, also after look-ups ahead begin again.
  @Test(arguments: [7, 64, 65, 200]) func everyIdOfAMixedBatchIsFound(count: Int) throws {
    let ledger = try LedgerStore()
    let gate = gate(of: ledger)
    var found: [RecordKey] = []
    var open: [Name] = []
    for batch in 0..<3 {
      var requests: [(GateRequest, RecordKey?)] = []
      for number in 0..<count {
        let id = Name(trusted: "\(batch)-\(number)")
        switch (number * number + batch) % 11 {
        case 0, 1:
          requests.append(
            (ledger.charge("alice", key: id, units: 1), .chargeKey(account: "alice", id)))
        case 2:
          requests.append((ledger.authorize("bob", id: id), .authorization(id)))
          open.append(id)
        case 3: requests.append((ledger.charge(id, units: 1), nil))
        case 4: requests.append((ledger.topUp("bob", .transaction(id), 5), .transaction(id)))
        case 5 where !open.isEmpty:
          requests.append((ledger.charge(open.removeFirst(), units: 1), nil))
        case 9 where !open.isEmpty:
          let void = VoidRequest(id: open.removeLast(), time: ledger.now)
          requests.append((.void(void), nil))
        default:
          let gift = TransferRequest(
            from: "alice", to: "bob", credits: 1, key: id, time: ledger.now)
          requests.append((.transfer(gift), nil))
        }
      }
      ledger.pass(60)
      let answers = try gate.perform(requests.map(\.0), under: ledger.store.policy())
      for (answer, (_, key)) in zip(answers, requests) {
        // The policy has five top-ups a minute; the others are refused.
        if let key, case .success = answer { found.append(key) }
      }
    }
    #expect(found.count > count / 2)
    let records = try StoreReader(ledger.store).newest(of: found)
    let lost = zip(found, records).filter { key, stored in
      stored.map { $0.record.isFound(by: key) } != true
    }
    #expect(lost.map(\.0) == [])
    #expect(try ledger.store.verify().findings.map(\.message) == [])
  }
}
