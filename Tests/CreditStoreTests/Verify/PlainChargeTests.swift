import CreditJSON
import Testing

@testable import CreditModel
@testable import CreditStore
@testable import TestSupport

/// Charges of which no values are made, and verification by the index.
struct PlainChargeTests {
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

  @Test func theIndexSaysWhatKeepingAllSays() throws {
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

  /// A line that is read as a plain charge says what its record says.
  @Test func aPlainChargeIsItsRecord() throws {
    try fill(seed: 4)
    var count = 0
    var reader = RecordReader()
    for line in try ledger.lines().dropFirst() {
      let position = RecordPosition(7)
      line.dropLast().withUnsafeBytes { line in
        let stored = reader.read(line, at: position)
        guard let plain = reader.plainCharge(line, at: position) else { return }
        count += 1
        let account = stored?.record.account
        func text(_ bytes: UnsafeRawBufferPointer) -> String {
          String(decoding: bytes, as: UTF8.self)
        }
        #expect(stored?.record.event.id == .authorization(Name(trusted: text(plain.id))))
        #expect(
          stored?.record.keys.key
            == .chargeKey(
              account: Name(trusted: text(plain.account.name)), Name(trusted: text(plain.key))))
        #expect(
          stored?.previous == plain.previous && account?.balance == plain.account.credits.balance)
        #expect(
          account?.recordCount == plain.recordCount
            && account?.transactionCount == plain.transactionCount
            && account?.registeredAt == plain.registeredAt
            && account?.updatedAt == plain.account.updatedAt)
        guard case .charge(let charge) = stored?.record.event else {
          Issue.record("another event")
          return
        }
        #expect(charge.receipt.creditsCharged == plain.creditsCharged)
      }
    }
    #expect(count > 20)
  }

  /// Whatever byte of its line is another, it is a plain charge only if it is a record.
  @Test func noOtherLineIsAPlainCharge() throws {
    try ledger.perform(ledger.charge("alice", key: "k-1", units: 4))
    let line = try #require(try ledger.lines().last?.dropLast())
    var reader = RecordReader()
    let position = RecordPosition(7)
    var kept = 0
    for place in line.indices {
      for byte in [0, 0x20, 0x22, 0x2D, 0x30, 0x31, 0x5C, 0x61, 0x7B, 0x7D, 0xC3] as [UInt8] {
        var changed = line
        changed[place] = byte
        changed.withUnsafeBytes { line in
          if reader.plainCharge(line, at: position) == nil { return }
          kept += 1
          if reader.read(line, at: position) == nil { Issue.record("byte \(place) as \(byte)") }
        }
      }
    }
    #expect(kept > 0)
  }

  @Test func aChargeFromOneBucketLeavesWhatTheBurnOrderLeaves() throws {
    var random = SeededGenerator(seed: 8)
    for _ in 0..<2000 {
      var account = Account(name: "a", registeredAt: Timestamp(milliseconds: 0))
      var credits = UndatedCredits()
      if random.once(in: 2) { credits.bonus = Int64(1 + random.number(below: 9)) }
      if random.once(in: 2) { credits.starter = Int64(1 + random.number(below: 9)) }
      if random.once(in: 2) { credits.purchased = Int64(random.number(below: 19)) - 9 }
      account.buckets = Buckets(credits, dated: nil)
      let charged = Int64(random.number(below: 12))
      guard let left = credits.afterCharge(of: charged) else { continue }
      let taken = try account.burn(charged)
      #expect(taken.count == (charged == 0 ? 0 : 1) && account.buckets.count == 1)
      #expect(account.balance == left.balance)
      #expect(
        account.buckets.first?.kind
          == (left.bonus != 0 ? .bonus : left.starter != 0 ? .starter : .purchased))
    }
  }

  @Test func keysAreForgotten() {
    var random = SeededGenerator(seed: 6)
    var keys = VerifierKeys(expectedCount: 0)
    var model: [UInt64: Int] = [:]
    for step in 0..<20_000 {
      // Many hashes lead to one place.
      let hash = UInt64(random.number(below: 600)) | UInt64(random.number(below: 4)) << 40
      if random.once(in: 3) {
        keys.remove(hash)
        model[hash] = nil
      } else {
        keys.set(hash, step)
        model[hash] = step
      }
      #expect(keys.offset(of: hash) == model[hash])
    }
    var count = 0
    keys.visit { hash, offset in count += model[hash] == offset ? 1 : 0 }
    #expect(count == model.count && keys.count == model.count)
  }
}
