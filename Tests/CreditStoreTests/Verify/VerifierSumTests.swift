import Testing

@testable import CreditModel
@testable import CreditStore
@testable import TestSupport

/// Verification by the index's contents.
struct VerifierSumTests {
  private let ledger: LedgerStore

  init() throws {
    ledger = try LedgerStore()
  }

  /// Requests of every kind, many of them refused.
  private func fill(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for number in 0..<300 {
      let account = Name(trusted: "user-\(random.number(below: 9))")
      let key = Name(trusted: "k-\(number)")
      let earlier = Name(trusted: "k-\(random.number(below: number + 1))")
      ledger.pass(Int64(random.number(below: 25)))
      let request =
        switch random.number(below: 12) {
        case 0: ledger.topUp(account, .key(key), 200)
        case 1: ledger.topUp(account, .transaction(key), 90, status: .pending)
        case 2: ledger.topUp(account, .transaction(earlier), 90)
        case 3: ledger.authorize(account, id: key, hold: 3)
        case 4: ledger.charge(earlier, units: 2)
        case 5: GateRequest.void(VoidRequest(id: earlier, time: ledger.now))
        case 6:
          GateRequest.refund(RefundRequest(reference: .authorization(earlier), time: ledger.now))
        case 7:
          GateRequest.refund(
            RefundRequest(
              reference: .authorization(Name(trusted: "made-\(number / 3)")), time: ledger.now))
        default: ledger.charge(account, key: key, units: Int64(random.number(below: 9)))
        }
      _ = try? ledger.perform(request)
    }
  }

  @Test func theIndexAgreesWithKeepingAllKeys() throws {
    try fill(seed: 2)
    let byIndex = try ledger.store.verify()
    let lines = try ledger.lines()
    try ledger.write(lines)
    let keepingAll = try ledger.store.verify()
    #expect(byIndex.findings.map(\.message) == [])
    #expect(keepingAll.findings.map(\.message) == [])
    #expect(
      [byIndex.records, byIndex.accounts, byIndex.bytes] == [
        keepingAll.records, keepingAll.accounts, keepingAll.bytes,
      ])
    #expect(byIndex.records == lines.count - 1 && byIndex.credits == keepingAll.credits)
    // An index that is made anew holds the same.
    try ledger.store.rebuild()
    #expect(try ledger.store.verify().findings.map(\.message) == [])
  }
}
