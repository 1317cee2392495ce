import CreditModel
import Testing

@testable import TestSupport

/// The audit rejects faulty records.
@Suite(.slow) struct RecordAuditTests {
  private let time = Timestamp(milliseconds: 1_771_495_200_000)

  /// The account `a` with a balance.
  private func account(_ credits: Credits, at time: Timestamp? = nil) -> Account {
    var account = Account(name: "a", registeredAt: time ?? self.time)
    if credits != 0 { account.buckets = [Bucket(kind: .starter, credits: credits)] }
    return account
  }

  private func registration(_ credits: Credits = 50) -> LedgerRecord {
    LedgerRecord(event: .registration(starter: credits), account: account(credits))
  }

  private func receipt(_ id: Name, _ credits: Credits, leaving balance: Credits) -> CreditReceipt {
    CreditReceipt(
      authorization: CreditAuthorization(id: id, account: "a", timestamp: time), model: "unit",
      usage: .units(credits), creditsCharged: credits, newBalance: balance, timestamp: time)
  }

  private func charge(
    _ id: Name, _ credits: Credits, leaving balance: Credits, key: Name? = nil
  ) -> Charge {
    Charge(receipt: receipt(id, credits, leaving: balance), key: key, taken: [])
  }

  private func charge(
    _ id: Name, _ credits: Credits, leaving balance: Credits, key: Name? = nil
  ) -> LedgerRecord {
    let charge: Charge = charge(id, credits, leaving: balance, key: key)
    return LedgerRecord(event: .charge(charge), account: account(balance))
  }

  private func topUp(_ id: Name, leaving balance: Credits) -> LedgerRecord {
    let transaction = Transaction(
      id: id, account: "a", kind: .purchase, status: .completed, credits: 20, timestamp: time)
    return LedgerRecord(
      event: .topUp(TopUp(transaction: transaction, creditsAdded: 20, newBalance: balance)),
      account: account(balance))
  }

  private func audit(_ records: LedgerRecord...) throws(Violation) -> RecordAudit {
    var audit = RecordAudit(clockIsReal: true)
    for record in records { try audit.take(record) }
    return audit
  }

  @Test func soundRecordsPass() throws {
    let audit = try audit(
      registration(), charge("1", 3, leaving: 47, key: "k"), topUp("t", leaving: 67))
    #expect(audit.balances == ["a": 67])
    #expect(audit.sumOfBalances == 67)
  }

  @Test func balanceIsTheSumOfTheRecords() {
    #expect(throws: Violation.self) { try audit(registration(), charge("1", 3, leaving: 48)) }
    #expect(throws: Violation.self) { try audit(topUp("t", leaving: 0)) }
  }

  @Test func noRecordIsEarlierThanTheOneBeforeIt() throws {
    let earlier = Timestamp(milliseconds: time.milliseconds - 1)
    let settings = LedgerRecord(event: .settings(credits: 0), account: account(50, at: earlier))
    #expect(throws: Violation.self) { try audit(registration(), settings) }
    var simulated = RecordAudit(clockIsReal: false)
    for record in [registration(), settings] { try simulated.take(record) }
  }

  @Test func numbersOfLimitsReturn() throws {
    let end = Timestamp(milliseconds: time.milliseconds + 10)
    let endless = LimitSetting(id: "day", amount: 5)
    let raised = LimitSetting(id: "day", amount: 9, until: end, then: endless)
    func settings(_ set: LimitSetting) -> LedgerRecord {
      var record = LedgerRecord(event: .settings(credits: 0), account: account(50))
      record.account.limitsSet = [set]
      return record
    }
    func charged(_ set: [LimitSetting], at time: Timestamp) throws(Violation) -> RecordAudit {
      var record: LedgerRecord = charge("1", 3, leaving: 47)
      record.account.limitsSet = set
      record.account.updatedAt = time
      return try audit(registration(), settings(endless), settings(raised), record)
    }
    _ = try charged([raised], at: time)
    _ = try charged([endless], at: end)
    #expect(throws: Violation.self) { try charged([endless], at: time) }
    #expect(throws: Violation.self) { try charged([], at: end) }
    #expect(throws: Violation.self) {
      let forgetful = LimitSetting(id: "day", amount: 9, until: end)
      return try audit(registration(), settings(endless), settings(forgetful))
    }
  }

  @Test func noActionHappensTwice() {
    #expect(throws: Violation.self) { try audit(registration(), registration(0)) }
    #expect(throws: Violation.self) {
      try audit(registration(), charge("1", 3, leaving: 47), charge("1", 3, leaving: 44))
    }
    #expect(throws: Violation.self) {
      try audit(
        registration(), charge("1", 3, leaving: 47, key: "k"),
        charge("2", 3, leaving: 44, key: "k"))
    }
    #expect(throws: Violation.self) { try audit(topUp("t", leaving: 20), topUp("t", leaving: 40)) }
  }

  @Test func acknowledgedActionsExist() throws {
    var audit = try audit(registration(), charge("1", 3, leaving: 47))
    audit.acknowledge(.receipt(charge("1", 3, leaving: 47), isReplay: false))
    try audit.checkAcknowledged()
    audit.acknowledge(.receipt(charge("2", 3, leaving: 44), isReplay: false))
    #expect(throws: Violation.self) { try audit.checkAcknowledged() }
    audit.acknowledge(.receipt(charge("1", 4, leaving: 46), isReplay: true))
    #expect(throws: Violation.self) { try audit.checkAcknowledged() }
  }
}
