import CreditModel
import Testing

@testable import TestSupport

/// Every record that the rules make passes the check that does it again, and hardly any other does.
@Suite struct LedgerAuditTests {
  /// A record with its predecessors.
  private struct CheckedRecord {
    let record: LedgerRecord
    let before: Account?
    let earlier: LedgerRecord?
    let earlierPosition: RecordPosition?
    /// Grants' purchases by the previous records.
    var purchases: [Name: GrantPurchase] = [:]

    func problem(of record: LedgerRecord) -> String? {
      failure { () throws(RecordFault) in
        try record.check(after: before, earlier: earlier) { purchases[$0] }
      }?.reason
    }
  }

  private func entries(seed: UInt64) -> [CheckedRecord] { entries(records(seed: seed)) }

  private func records(seed: UInt64) -> [LedgerRecord] {
    var random = RandomRequests(seed: seed)
    let ledger = LedgerFixture(starter: 0) { random.configure(&$0) }
    for step in 0..<400 {
      random.passTime(&ledger.now)
      if random.editsPolicy() {
        ledger.policy.plans = random.plans()
        ledger.policy.clock = random.nextClock()
      }
      ledger.nextID = Name(trusted: "id-\(step)")
      let request = random.next(at: ledger.now)
      if let result = try? ledger.perform(request) { random.learn(from: result) }
    }
    return ledger.books.records
  }

  /// Records of accounts below one another, with limits.
  private func chainRecords(seed: UInt64) throws -> [LedgerRecord] {
    let ledger = LedgerFixture()
    ledger.policy = try RandomBatches.decodedPolicy(clockIsReal: seed % 2 == 1)
    var batches = RandomBatches(seed: seed)
    for step in 0..<150 {
      if step % 40 == 0 {
        let number = Int(seed) + step / 40
        ledger.policy.clock = .of(SlowZone.choices[number % SlowZone.choices.count])
      }
      let hours = Int64(step % 7) * 3_600_000
      ledger.now = Timestamp(milliseconds: ledger.now.milliseconds + hours)
      for request in batches.next(at: ledger.now) { _ = try? ledger.perform(request) }
    }
    return ledger.books.records
  }

  private func entries(_ records: [LedgerRecord]) -> [CheckedRecord] {
    var accounts: [Name: Account] = [:]
    var newest: [RecordKey: Int] = [:]
    var purchases: [Name: GrantPurchase] = [:]
    var entries: [CheckedRecord] = []
    for (position, record) in records.enumerated() {
      let earlier = record.keys.id.flatMap { newest[$0] }
      entries.append(
        CheckedRecord(
          record: record, before: accounts[record.account.name],
          earlier: earlier.map { records[$0] },
          earlierPosition: earlier.map { RecordPosition(Int64($0)) }, purchases: purchases))
      if case .transaction(let id)? = record.event.id {
        let expired = purchases[id]?.expired ?? 0
        purchases[id] = record.purchase
        purchases[id]?.expired = expired
      }
      if let (grant, credits) = record.expired { purchases[grant]?.expired += credits }
      accounts[record.account.name] = record.account
      if let identity = record.keys.id { newest[identity] = position }
    }
    return entries
  }

  @Test(arguments: UInt64(1)..<40)
  func acceptsRecordsOfTheRules(seed: UInt64) {
    for (position, entry) in entries(seed: seed).enumerated() {
      let record = entry.record
      #expect(entry.problem(of: record) == nil, "seed \(seed), record \(position): \(record)")
      #expect(record.account.isSound)
      #expect(record.original == record.original(after: entry.earlier, at: entry.earlierPosition))
    }
  }

  @Test(arguments: UInt64(1)..<20)
  func acceptsChains(seed: UInt64) throws {
    let records = try chainRecords(seed: seed)
    #expect(records.contains { if case .share = $0.event { true } else { false } })
    for (position, entry) in entries(records).enumerated() {
      let problem = entry.problem(of: entry.record)
      #expect(problem == nil, "seed \(seed), record \(position): \(entry.record)")
      #expect(entry.record.account.isSound)
    }
  }

  @Test func someNumbersOfLimitsReturn() throws {
    var count = 0
    for seed in 1..<20 as Range<UInt64> {
      for entry in entries(try chainRecords(seed: seed)) {
        let after = entry.record.account
        for old in entry.before?.limitsSet ?? [] {
          guard let then = old.then, let end = old.until, end <= after.updatedAt else { continue }
          if after.limitsSet.contains(then) { count += 1 }
        }
      }
    }
    #expect(count > 0)
  }

  /// A share follows the record that says it, and says no other amounts.
  @Test(arguments: UInt64(1)..<10)
  func findsOtherShares(seed: UInt64) throws {
    let records = try chainRecords(seed: seed)
    var count = 0
    for (place, record) in records.enumerated() {
      for (number, expected) in record.expectedShares.enumerated() {
        let next = records[place + 1 + number]
        guard case .share(let share) = next.event else {
          Issue.record("seed \(seed), record \(place): its share is not there")
          return
        }
        #expect(expected.fault(of: next) == nil)
        var other = next
        // As earlier tools recorded it.
        other.event = .share(share.changed(work: Share.Work()))
        #expect(expected.fault(of: other) == nil)
        var changes = [
          share.changed(credits: share.credits.changed), share.changed(member: "nobody"),
          share.changed(held: Share.Hold(credits: 1, passed: 1, expiresAt: .latest)),
          share.changed(released: Share.Hold(credits: 1, passed: 1, expiresAt: .latest)),
          share.changed(work: Share.Work(usedAt: .latest)),
          share.changed(work: Share.Work(model: "another")),
        ]
        if case .charge = share.step {
          changes.append(share.changed(counted: share.counted + 1))
          changes.append(share.changed(countedWork: WorkMeasure(requests: 7)))
        }
        for change in changes {
          other.event = .share(change)
          #expect(expected.fault(of: other) != nil, "seed \(seed), record \(place): \(change)")
        }
        count += 1
      }
    }
    #expect(count > 0)
  }

  @Test(arguments: UInt64(1)..<10)
  func findsRecordsOutsideOfTheRules(seed: UInt64) throws {
    let chains = entries(try chainRecords(seed: seed))
    for entry in entries(seed: seed) + chains {
      for changed in entry.record.account.variations {
        var record = entry.record
        record.account = changed
        #expect(entry.problem(of: record) != nil, "seed \(seed): \(record)")
      }
      for event in entry.record.event.variations {
        var record = entry.record
        record.event = event
        #expect(entry.problem(of: record) != nil, "seed \(seed): \(record)")
      }
      var late = entry
      // Records of `nobody` do not depend on previous ones.
      if let before = entry.before, before.name != .nobody, before.updatedAt < .latest {
        var account = before
        account.updatedAt = .latest
        late = CheckedRecord(
          record: entry.record, before: account, earlier: entry.earlier, earlierPosition: nil,
          purchases: entry.purchases)
        #expect(late.problem(of: entry.record) != nil)
      }
    }
  }

  @Test func coversEveryEvent() {
    var kinds: Set<String> = []
    for seed in UInt64(1)..<40 {
      for record in records(seed: seed) {
        // The name of a case; the text of one without values, which has no children, is its name.
        let name = Mirror(reflecting: record.event).children.first?.label
        kinds.insert(name ?? "\(record.event)")
      }
    }
    #expect(kinds.count == 14, "\(kinds)")
  }

  /// An account counts for exactly the limits that it has, in their order.
  @Test func findsLimitsWithoutTheirCounters() throws {
    let ledger = LedgerFixture()
    var request = AccountRequest(account: "alice", time: ledger.now)
    request.limits = [LimitChange(id: "day", credits: 40), LimitChange(id: "week", credits: 90)]
    _ = try ledger.perform(.account(request))
    let entry = try #require(entries(ledger.books.records).last)
    #expect(entry.record.account.limitCounters.count == 2)
    func total(_ counter: LimitCounter) -> LimitCounter {
      LimitCounter(id: counter.id, period: .total, models: counter.models, since: counter.since)
    }
    let changes: [(inout Account) -> Void] = [
      { _ = $0.limitCounters.removeLast() }, { _ = $0.limitsSet.removeLast() },
      { $0.limitCounters.reverse() }, { $0.limitCounters[1] = total($0.limitCounters[1]) },
    ]
    for (number, change) in changes.enumerated() {
      var record = entry.record
      change(&record.account)
      #expect(entry.problem(of: record) != nil, "change \(number)")
    }
  }

  @Test func namesTheFault() throws {
    let ledger = LedgerFixture(starter: 10) { _ in }
    _ = try ledger.perform(
      .topUp(
        TopUpRequest(
          account: "alice", reference: .key("k"), grant: .credits(5), time: ledger.now)))
    let entry = try #require(entries(ledger.books.records).last)
    var record = entry.record
    record.account.changeBuckets { $0[1].credits += 1 }
    #expect(entry.problem(of: record) == "has the balance 16, but its events make it 15")
    record = entry.record
    record.account.changeBuckets { buckets in
      buckets[0].credits += 1
      buckets[1].credits -= 1
    }
    #expect(
      entry.problem(of: record)
        == "has an account whose buckets its events do not make")
    #expect(
      CheckedRecord(record: record, before: nil, earlier: nil, earlierPosition: nil)
        .problem(of: record) == "is of an account that was not registered before")
  }
}

extension LedgerEvent {
  /// The event with one amount changed at a time.
  fileprivate var variations: [LedgerEvent] {
    switch self {
    case .registration(let starter): [.registration(starter: starter.changed)]
    case .settings(let credits): [.settings(credits: credits.changed)]
    case .refill(let n, let old): [(n.changed, old), (n, n.changed)].map(LedgerEvent.refill)
    case .dropped(let credits): [.dropped(credits: credits.changed)]
    case .expiry(let kind, let credits, let grant):
      [.expiry(kind, credits: credits.changed, grant: grant)]
    case .authorization, .void, .claim, .payment: []
    case .charge(let charge):
      [
        {
          var receipt = charge.receipt
          receipt.creditsCharged.change()
          return .charge(Charge(receipt: receipt, key: charge.key, taken: charge.taken))
        }()
      ]
    case .amend(let charge):
      [
        {
          var receipt = charge.receipt
          receipt.creditsCharged.change()
          return .amend(
            Charge(
              receipt: receipt, key: charge.key, taken: charge.taken,
              unreadUsage: charge.unreadUsage))
        }(),
        .amend(
          Charge(
            receipt: charge.receipt, key: charge.key,
            taken: charge.taken.reduce(into: charge.taken) { $0.append($1) },
            unreadUsage: charge.unreadUsage)),
        .charge(charge),
      ].filter { $0 != self }
    case .chargeRefund(let charge, var refund):
      [
        {
          refund.credits.change()
          return .chargeRefund(charge, refund)
        }()
      ]
    case .share(let share):
      [.share(share.changed(credits: share.credits.changed))]
    case .topUp(var topUp):
      [
        {
          topUp.creditsAdded.change()
          return .topUp(topUp)
        }()
      ]
    case .topUpRefund(let topUp, var refund):
      [
        {
          refund.newBalance.change()
          return .topUpRefund(topUp, refund)
        }(),
        {
          refund.number.change()
          return .topUpRefund(topUp, refund)
        }(),
        {
          refund.before.change()
          return .topUpRefund(topUp, refund)
        }(),
        {
          refund.price = decimal("1000000")
          return .topUpRefund(topUp, refund)
        }(),
        {
          refund.priceBefore = decimal("0.5")
          return .topUpRefund(topUp, refund)
        }(),
      ]
    case .transferOut(var transfer), .transferIn(var transfer):
      [
        {
          transfer.credits.change()
          if case .transferOut = self { return .transferOut(transfer) }
          return .transferIn(transfer)
        }()
      ]
    case .topUpNews(var topUp, let refund):
      [
        {
          topUp.creditsAdded.change()
          return .topUpNews(topUp, refund)
        }()
      ]
    }
  }
}

extension Share {
  fileprivate func changed(
    member: Name? = nil, held: Share.Hold? = nil, released: Share.Hold? = nil,
    credits: Credits? = nil, counted: Credits? = nil, countedWork: WorkMeasure? = nil,
    work: Share.Work? = nil
  ) -> Share {
    Share(
      member: member ?? self.member, authorization: authorization, step: step,
      held: held ?? self.held, released: released ?? self.released,
      credits: credits ?? self.credits, buckets: buckets, counted: counted ?? self.counted,
      countedWork: countedWork ?? self.countedWork, model: model, countedAt: countedAt,
      work: work ?? self.work)
  }
}

extension Account {
  /// The account with one part changed at a time.
  fileprivate var variations: [Account] {
    var all: [Account] = []
    func add(_ change: (inout Account) -> Void) {
      var copy = self
      change(&copy)
      if copy != self { all.append(copy) }
    }
    add { $0.recordCount.change() }
    add { $0.transactionCount.change() }
    add { $0.registeredAt = Timestamp(milliseconds: registeredAt.milliseconds - 1) }
    for index in Array(buckets).indices {
      add { $0.changeBuckets { $0[index].credits.change() } }
      add { $0.changeBuckets { $0[index].expiresAt = .latest } }
      add { $0.changeBuckets { _ = $0.remove(at: index) } }
    }
    for index in holds.indices {
      add { $0.holds[index].credits.change() }
      add { _ = $0.holds.remove(at: index) }
    }
    for index in passedHolds.indices { add { $0.passedHolds[index].credits.change() } }
    for (index, set) in limitsSet.enumerated() {
      let other = LimitSetting(id: set.id, amount: 7)
      add { $0.limitsSet[index] = LimitSetting(set, until: set.until, then: other) }
    }
    for index in limitCounters.indices {
      add { $0.limitCounters[index].used += 1 }
      add { $0.limitCounters[index].since = Timestamp(milliseconds: registeredAt.milliseconds - 1) }
    }
    if parent != nil { add { $0.parent = name } }
    let dated = Bucket(kind: .purchased, credits: 1, expiresAt: .latest)
    add { $0.changeBuckets { $0.append(dated) } }
    return all
  }

  fileprivate mutating func changeBuckets(_ change: (inout [Bucket]) -> Void) {
    var list = Array(buckets)
    change(&list)
    buckets = Buckets(list)
  }
}

extension Int64 {
  /// Another number, whichever this is.
  fileprivate var changed: Int64 { self == .max ? self - 1 : self + 1 }

  fileprivate mutating func change() { self = changed }
}
