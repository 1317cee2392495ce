import CreditJSON
import CreditModel
import Testing

@testable import TestSupport

/// Records whose amounts overflow, or are negative: faults that the check finds without a trap.
@Suite struct HostileRecordTests {
  private struct Checked {
    let record: LedgerRecord
    let before: Account?
    let earlier: LedgerRecord?

    /// True if the record with another event is refused, as text or by the rules.
    func isRefused(_ event: LedgerEvent) -> Bool {
      var changed = record
      changed.event = event
      var writer = JSONWriter()
      writer.openRecord(changed, previous: nil)
      writer.endObject()
      var reader = RecordReader()
      guard let read = writer.withBytes({ reader.readAlone($0) }) else { return true }
      do throws(RecordFault) {
        try read.check(after: before, earlier: earlier)
        return false
      } catch {
        return true
      }
    }
  }

  /// The records of accounts that pay for one another.
  private func records() throws -> [Checked] {
    let books = MemoryBooks()
    let policy = try RandomBatches.decodedPolicy(clockIsReal: false)
    var count = 0
    for seed in UInt64(1)...4 {
      var batches = RandomBatches(seed: seed)
      for step in 0..<100 {
        let now = Timestamp(milliseconds: 1_771_495_200_000 + Int64(step) * 3_600_000)
        let ledger = Ledger(books: books, policy: policy, systemTime: now) { _ in
          count += 1
          return Name(trusted: "id-\(count)")
        }
        for request in batches.next(at: now) { _ = try? ledger.perform(request) }
      }
    }
    var accounts: [Name: Account] = [:]
    var newest: [RecordKey: LedgerRecord] = [:]
    return books.records.map { record in
      defer {
        accounts[record.account.name] = record.account
        if let id = record.event.id { newest[id] = record }
      }
      return Checked(
        record: record, before: accounts[record.account.name],
        earlier: record.event.id.flatMap { newest[$0] })
    }
  }

  @Test func paymentsOfAccountsAboveThatOverflow() throws {
    var count = 0
    for checked in try records() {
      guard case .charge(let charge) = checked.record.event, let details = charge.receipt.details,
        let share = details.paidBy.first
      else { continue }
      var most = share
      most.credits = .max
      var receipt = charge.receipt
      receipt.details = .of(
        usedAt: details.usedAt, tags: details.tags, isArrears: details.isArrears,
        catalogModel: details.catalogModel, paidBy: [most, most, most])
      let changed = Charge(receipt: receipt, key: charge.key, taken: charge.taken)
      #expect(checked.isRefused(.charge(changed)))
      count += 1
    }
    #expect(count > 0)
  }

  @Test func refundsThatOverflow() throws {
    var count = 0
    for checked in try records() {
      guard case .charge(let charge) = checked.record.event else { continue }
      let charged = checked.record
      var refund = Refund(
        credits: charge.receipt.creditsCharged, newBalance: charged.account.balance,
        timestamp: charged.account.updatedAt)
      let share = PaidBackShare(account: "a", credits: .max, forfeited: .max, newBalance: 0)
      refund.refundedTo = [share, share, share]
      let next = Checked(record: charged, before: charged.account, earlier: charged)
      #expect(next.isRefused(.chargeRefund(charge, refund)))
      refund.refundedTo = []
      refund.number = .max
      #expect(next.isRefused(.chargeRefund(charge, refund)))
      var last = charged
      last.event = .chargeRefund(charge, refund)
      let after = Checked(record: charged, before: charged.account, earlier: last)
      #expect(after.isRefused(.chargeRefund(charge, refund)))
      count += 1
    }
    #expect(count > 0)
  }

  @Test func sharesThatGetNegativeCreditsBack() throws {
    var count = 0
    for checked in try records() {
      guard case .share(let share) = checked.record.event, let bucket = share.buckets.first else {
        continue
      }
      for credits in [-1, Credits.min, .max] {
        let changed = Share(
          member: share.member, authorization: share.authorization, step: .refund(number: 1),
          credits: share.credits, buckets: [bucket.with(credits), bucket.with(credits)],
          model: share.model, countedAt: share.countedAt, work: share.work)
        #expect(checked.isRefused(.share(changed)))
        count += 1
      }
    }
    #expect(count > 0)
  }
}
