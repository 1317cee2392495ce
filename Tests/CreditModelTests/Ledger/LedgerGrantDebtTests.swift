import CreditModel
import Testing

@testable import TestSupport

/// Debts that grants settle.
extension LedgerGrantTests {
  // MARK: Debts

  private func owe(_ ledger: LedgerFixture, _ key: Name, _ credits: Int64) throws {
    let request = ChargeRequest(
      reference: .key(key, account: "alice"), model: "unit", usage: units(credits),
      isArrears: true, time: ledger.now)
    _ = try ledger.perform(.charge(request))
  }

  private func refund(_ ledger: LedgerFixture, _ key: Name, _ credits: Credits? = nil) throws
    -> Refund
  {
    var request = RefundRequest(reference: .key(key, account: "alice"), time: ledger.now)
    request.credits = credits
    let result = try ledger.perform(.refund(request))
    guard case .chargeRefund(_, key: _, let refund, isReplay: _) = result.plain else {
      throw CreditError(.corruptStore, "no refund")
    }
    return refund
  }

  /// Credits that settle a debt at the time of a charge are not known to come before it.
  private func pass(_ ledger: LedgerFixture) throws {
    ledger.now = try #require(ledger.now.adding(.seconds(1)))
  }

  /// Credits that settled a debt are used: returned ones are plain, of the same kind and expiry.
  @Test func settlingCreditsComeBackAsPlainCredits() throws {
    let ledger = ledger()
    let hour = TimeSpan.seconds(3600)
    try owe(ledger, "a", 30)
    try owe(ledger, "b", 20)
    _ = try grant(ledger, "g", 40, StatedTerms(expiry: .after(hour)))
    _ = try ledger.perform(ledger.topUp(id: "p", .credits(10)))
    _ = try grant(ledger, "h", 5, kind: .purchase, StatedTerms(expiry: .after(hour)))
    #expect(try grants(ledger) == "h 5")
    // The charge before it was settled first.
    _ = try refund(ledger, "b", 15)
    #expect(try grants(ledger) == "bonus 5, h 5, purchased 10")
    #expect(try refund(ledger, "a").forfeited == 0)
    #expect(try grants(ledger) == "bonus 35, h 5, purchased 10")
    #expect(try ledger.account().buckets.first?.expiresAt == ledger.now.adding(hour))
    ledger.now = try #require(ledger.now.adding(hour))
    #expect(try refund(ledger, "b").forfeited == 5)
    #expect(try grants(ledger) == "purchased 10")
    ledger.expectSound()
  }

  @Test func aCorrectionRecordsTheSettlementOfItsDebt() throws {
    let ledger = ledger(8)
    try owe(ledger, "a", 30)
    _ = try grant(ledger, "g", 50, StatedTerms(priority: 70))
    _ = try ledger.perform(ledger.amend(key: "a", units(20)))
    #expect(try grants(ledger) == "bonus 10, g 28")
    _ = try ledger.perform(ledger.amend(key: "a", units(25)))
    #expect(try grants(ledger) == "bonus 5, g 28")
    _ = try refund(ledger, "a")
    #expect(try grants(ledger) == "bonus 22, starter 8, g 28")
    ledger.expectSound()
  }

  /// The lines of all later corrections and of the refund name the settling credits, too.
  @Test func eachCorrectionOfASettledDebtRecordsItsBuckets() throws {
    let ledger = ledger()
    let hour = TimeSpan.seconds(3600)
    try owe(ledger, "a", 100)
    _ = try grant(ledger, "g", 777, kind: .purchase, StatedTerms(expiry: .after(hour)))
    let dated = Bucket(kind: .purchased, credits: 40, expiresAt: ledger.now.adding(hour))
    for credits in [60, 20] as [Int64] {
      let result = try ledger.perform(ledger.amend(key: "a", units(credits)))
      guard case .receipt(let charge, isReplay: false) = result.plain else {
        throw CreditError(.corruptStore, "no receipt")
      }
      let moved = charge.amendment?.moved.map { Array($0) }
      #expect(moved == [dated])
    }
    #expect(try refund(ledger, "a").shares.map { Array($0) } == [dated.with(20)])
    ledger.expectSound()
  }

  /// A charge after the settling has no part in it.
  @Test func aLaterDebtIsAnotherOne() throws {
    let ledger = ledger()
    try owe(ledger, "a", 30)
    _ = try grant(ledger, "g", 40, StatedTerms(expiry: .after(.seconds(3600))))
    try pass(ledger)
    try owe(ledger, "b", 10)
    try owe(ledger, "c", 20)
    _ = try ledger.perform(ledger.topUp(id: "p", .credits(20)))
    _ = try refund(ledger, "c")
    #expect(try grants(ledger) == "purchased 20")
    _ = try refund(ledger, "a")
    #expect(try grants(ledger) == "bonus 30, purchased 20")
    ledger.expectSound()
  }

  /// Plain credits are noted, too, once others have settled a debt: each charge gets its own
  /// payment back, although a later debt was as large.
  @Test func plainCreditsSettleTheirOwnPartOfTheDebts() throws {
    let (ledger, day) = try ledgerWithNote()
    try pass(ledger)
    try owe(ledger, "a", 28)
    try pass(ledger)
    _ = try ledger.perform(ledger.topUp(id: "p", .credits(30)))
    try pass(ledger)
    try owe(ledger, "b", 29)
    _ = try grant(ledger, "h", 27, StatedTerms(expiry: .after(day)))
    try pass(ledger)
    _ = try refund(ledger, "a")
    #expect(try grants(ledger) == "purchased 28")
    _ = try refund(ledger, "b")
    #expect(try grants(ledger) == "bonus 27, purchased 30")
    ledger.expectSound()
  }

  /// A ledger in which a grant of a day has settled a debt: later settlements are noted.
  private func ledgerWithNote() throws -> (LedgerFixture, day: TimeSpan) {
    let ledger = ledger()
    let day = TimeSpan.seconds(86_400)
    try owe(ledger, "x", 5)
    _ = try grant(ledger, "g", 5, StatedTerms(expiry: .after(day)))
    return (ledger, day)
  }

  /// The older of two debts is the first that plain credits settle.
  @Test func plainCreditsSettleTheOldestDebt() throws {
    let (ledger, day) = try ledgerWithNote()
    try pass(ledger)
    try owe(ledger, "a", 30)
    try owe(ledger, "b", 20)
    try pass(ledger)
    _ = try ledger.perform(ledger.topUp(id: "p", .credits(20)))
    _ = try grant(ledger, "h", 30, StatedTerms(expiry: .after(day)))
    _ = try refund(ledger, "a", 10)
    #expect(try grants(ledger) == "bonus 10")
    _ = try refund(ledger, "a")
    #expect(try grants(ledger) == "bonus 10, purchased 20")
    _ = try refund(ledger, "b")
    #expect(try grants(ledger) == "bonus 30, purchased 20")
    ledger.expectSound()
  }

  /// A part of the first debt is given up, so the second one has moved when the grant settles it.
  @Test func aDebtThatIsGivenUpMovesOthers() throws {
    let (ledger, day) = try ledgerWithNote()
    for (key, credits) in [("a", 10), ("b", 10)] as [(Name, Int64)] {
      try pass(ledger)
      try owe(ledger, key, credits)
    }
    try pass(ledger)
    _ = try refund(ledger, "a", 5)
    try pass(ledger)
    try owe(ledger, "c", 10)
    try pass(ledger)
    _ = try grant(ledger, "h", 8, StatedTerms(expiry: .after(day)))
    try pass(ledger)
    // Three credits of the grant settled its debt, and settle that of "c" now.
    _ = try refund(ledger, "b")
    try pass(ledger)
    _ = try refund(ledger, "c")
    #expect(try grants(ledger) == "bonus 3")
    _ = try refund(ledger, "a")
    #expect(try grants(ledger) == "bonus 8")
    ledger.expectSound()
  }

  /// The debts of an account as a queue. All of each is known, unlike in the account's notes.
  private struct DebtQueue {
    var debts: [(id: Name, credits: Credits)] = []
    /// The credits that settled a charge's debt, the oldest first.
    var settled: [Name: [(isBonus: Bool, credits: Credits)]] = [:]
    var (bonus, purchased) = (Credits(0), Credits(0))

    mutating func receive(_ credits: Credits, isBonus: Bool) {
      var left = credits
      while left > 0, let first = debts.first {
        let paid = min(left, first.credits)
        settled[first.id, default: []].append((isBonus, paid))
        debts[0].credits -= paid
        if debts[0].credits == 0 { debts.removeFirst() }
        left -= paid
      }
      if isBonus { bonus += left } else { purchased += left }
    }

    mutating func refund(_ id: Name, _ credits: Credits) {
      var due = credits
      if let place = debts.firstIndex(where: { $0.id == id }) {
        let own = min(due, debts[place].credits)
        debts[place].credits -= own
        if debts[place].credits == 0 { debts.remove(at: place) }
        due -= own
      }
      while due > 0, let last = settled[id]?.popLast() {
        let back = min(due, last.credits)
        if last.credits > back { settled[id]?.append((last.isBonus, last.credits - back)) }
        receive(back, isBonus: last.isBonus)
        due -= back
      }
    }
  }

  /// Each charge gets back the credits that settled its own debt, as far as the notes go back.
  @Test(arguments: UInt64(1)...150) func refundsGoByAQueueOfDebts(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let ledger = ledger()
    let day = TimeSpan.seconds(86_400)
    var queue = DebtQueue()
    var charges: [(id: Name, credits: Credits, refunded: Credits)] = []
    try owe(ledger, "x", 5)
    _ = try grant(ledger, "g", 5, StatedTerms(expiry: .after(day)))
    for step in 1...20 {
      try pass(ledger)
      let id = Name(trusted: "s\(step)")
      let debt = queue.debts.reduce(0) { $0 + $1.credits }
      let isEmpty = queue.bonus + queue.purchased == 0
      switch step > 10 ? 3 : random.number(below: 4) {
      case 0, 1:
        let credits = Credits(1 + random.number(below: 20))
        guard isEmpty else { break }
        try owe(ledger, id, credits)
        queue.debts.append((id, credits))
        charges.append((id, credits, 0))
      case 2 where debt > 0:
        let credits = Credits(1 + random.number(below: Int(debt)))
        let isBonus = random.once(in: 2)
        if isBonus {
          _ = try grant(ledger, id, credits, StatedTerms(expiry: .after(day)))
        } else {
          _ = try ledger.perform(ledger.topUp(id: id, .credits(credits)))
        }
        queue.receive(credits, isBonus: isBonus)
      default:
        guard let place = charges.indices.randomElement(using: &random) else { break }
        let left = charges[place].credits - charges[place].refunded
        let credits = step > 10 ? left : Credits(1 + random.number(below: Int(left)))
        charges[place].refunded += credits
        _ = try refund(ledger, charges[place].id, charges[place].refunded)
        queue.refund(charges[place].id, credits)
        if charges[place].refunded == charges[place].credits { charges.remove(at: place) }
      }
      let account = try ledger.account()
      if account.settledDebts.count == SettledDebt.countLimit { break }
      let bonus = account.buckets.filter { $0.kind == .bonus }.reduce(0) { $0 + $1.credits }
      let balance = queue.bonus + queue.purchased - queue.debts.reduce(0) { $0 + $1.credits }
      #expect(bonus == queue.bonus && account.balance == balance, "seed \(seed), step \(step)")
    }
    ledger.expectSound()
  }

  @Test func aPoolsDebtIsSettledTheSame() throws {
    let ledger = ledger()
    let hour = TimeSpan.seconds(3600)
    _ = try ledger.perform(ledger.topUp(id: "p", .credits(10)))
    _ = try ledger.perform(ledger.change("bob", parent: "alice"))
    for (key, price) in [("a", 30), ("b", 20)] as [(Name, Int64)] {
      let request = ChargeRequest(
        reference: .key(key, account: "bob"), model: "unit", usage: units(price), isArrears: true,
        time: ledger.now)
      _ = try ledger.perform(.charge(request))
    }
    _ = try grant(ledger, "g", 100, StatedTerms(expiry: .after(hour)))
    #expect(try grants(ledger) == "g 60")
    let request = ChargeRequest(
      reference: .key("b", account: "bob"), model: "unit", usage: units(5), amends: true,
      time: ledger.now)
    _ = try ledger.perform(.charge(request))
    #expect(try grants(ledger) == "g 60, bonus 15")
    _ = try ledger.perform(
      .refund(RefundRequest(reference: .key("a", account: "bob"), time: ledger.now)))
    #expect(try grants(ledger) == "g 60, bonus 35, purchased 10")
    ledger.now = try #require(ledger.now.adding(hour))
    _ = try ledger.perform(
      .refund(RefundRequest(reference: .key("b", account: "bob"), time: ledger.now)))
    #expect(try grants(ledger) == "purchased 10")
    ledger.expectSound()
  }
}
