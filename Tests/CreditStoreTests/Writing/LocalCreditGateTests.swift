import CreditModel
import Testing

@testable import CreditStore
@testable import TestSupport

struct LocalCreditGateTests {
  /// What was idle for a year has hundreds of turns to record.
  @Test func aBatchThatWouldBeTooLongIsServedInParts() throws {
    let ledger = try LedgerStore()
    let names = (0..<80).map { Name(trusted: "idle-\($0)") }
    for name in names {
      try ledger.perform(
        .account(AccountRequest(account: name, plan: .set("pro"), time: ledger.now)))
    }
    ledger.pass(365 * 86_400)
    var idCount = 0
    let gate = LocalCreditGate(ledger.store) { _ in
      idCount += 1
      return Name(trusted: "new-\(idCount)")
    }
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
}
