import CreditModel
import Testing

@testable import TestSupport

/// Random holds, charges, corrections and refunds of accounts that are moved from parent to parent,
/// beside the oracle: every balance, hold and counter, each refusal, and the audit of the records.
@Suite struct ChainOracleTests {
  private static let names: [Name] = ["a", "b", "c", "d", "e", "f"]
  /// A thousandth of a dollar in its smallest parts: a credit.
  private static let thousandth: Int128 = 1_000_000_000_000_000

  private struct Run {
    let ledger: LedgerFixture
    var oracle = ChainOracle()
    var random: SeededGenerator
    var ids: [Name] = ["none"]
    /// How often each thing came about.
    var counts: [String: Int] = [:]

    mutating func note(_ what: String) { counts[what, default: 0] += 1 }

    mutating func anID() -> Name {
      ids[Int.random(in: max(0, ids.count - 12)..<ids.count, using: &random)]
    }
  }

  @Test(arguments: UInt64(0)..<30)
  func agrees(seed: UInt64) throws {
    var random = SeededGenerator(seed: 9000 + seed)
    let deny = random.once(in: 2)
    let ledger = LedgerFixture(starter: 0) {
      $0.allowsOverdraft = !deny
      $0.plans = [
        Plan(
          id: "day",
          limits: [
            SpendLimit(id: "day", period: .day, amount: 90, alerts: [50]),
            SpendLimit(id: "calls", period: .total, unit: .requests, amount: 40, alerts: [10, 90]),
            SpendLimit(id: "money", period: .day, unit: .usd, amount: 300 * Self.thousandth),
          ])
      ]
    }
    var run = Run(ledger: ledger, random: random)
    for name in Self.names {
      let credits: Credits = run.random.pick(5, 30, 200)
      _ = try ledger.perform(ledger.topUp(name, key: "s", .credits(credits)))
      run.oracle.deposit(credits, to: name)
    }
    var audit = BooksAudit(clockIsReal: true)
    for step in 0..<220 {
      ledger.now = Timestamp(
        milliseconds: ledger.now.milliseconds + 1
          + run.random.pick(0, 0, 1000, 600_000, 9_000_000))
      ledger.nextID = Name(trusted: "made-\(step)")
      try Self.step(step, &run)
      let comment = Comment(rawValue: "seed \(seed), step \(step)")
      let fault = audit.fault(in: ledger.books)
      try #require(fault == nil, comment)
      try Self.compare(&run, comment)
    }
    for what in ["authorize", "charge", "amend", "refund", "work", "returned"] {
      #expect(run.counts[what, default: 0] > 0, "seed \(seed): \(what)")
    }
  }

  private static func step(_ step: Int, _ run: inout Run) throws {
    let name = names[Int.random(in: 0..<names.count, using: &run.random)]
    switch Int.random(in: 0..<18, using: &run.random) {
    case 0...1: move(name, &run)
    case 2, 14...17: try limit(name, &run)
    case 3...4: authorize(name, "h\(step)", &run)
    case 5: void(&run)
    case 6...7: settle(&run)
    case 8...9: amend(&run)
    case 10...11: refund(&run)
    default: direct(name, "k\(step)", &run)
    }
  }

  private static func move(_ name: Name, _ run: inout Run) {
    var request = AccountRequest(account: name, time: run.ledger.now)
    let parent = run.random.pick("a", "b", "c", "d", "e", "f", nil) as Name?
    request.parent = parent.map { .set($0) } ?? .remove
    let above = parent.map(run.oracle.chain) ?? []
    let isWrong = above.contains(name) || above.count + run.oracle.height(name) > 5
    let isNew = run.oracle.parents[name] != parent
    let code = run.ledger.code(.account(request))
    #expect(code == (isNew && isWrong ? .invalidRequest : nil))
    if code == nil { run.oracle.parents[name] = parent }
  }

  private static func limit(_ name: Name, _ run: inout Run) throws {
    var request = AccountRequest(account: name, time: run.ledger.now)
    switch Int.random(in: 0..<10, using: &run.random) {
    case 0...3: request.plan = .set("day")
    case 4: request.plan = .remove
    default: setOwn(&request, &run)
    }
    _ = try run.ledger.perform(.account(request))
  }

  /// Sets, lifts or removes a limit of the account's own, for a while or for good.
  private static func setOwn(_ request: inout AccountRequest, _ run: inout Run) {
    let now = run.ledger.now
    request.account = run.random.pick("a", "b", "c")
    let key = ChainOracle.LimitKey(account: request.account, id: run.random.pick("total", "day"))
    let isPlanned = run.ledger.books.account(request.account)?.plan == key.id
    if run.random.once(in: 10) {
      request.limits = [LimitChange(id: key.id, .plan)]
      return run.oracle.set(nil, for: key, at: now, isPlanned: isPlanned)
    }
    let credits: Credits? = run.random.pick(nil, 40, 300)
    request.limits = [
      credits.map { LimitChange(id: key.id, credits: $0) } ?? LimitChange(id: key.id, .lifted)
    ]
    if run.random.once(in: 2) {
      request.limitUntil = now.adding(.seconds(run.random.pick(600, 6000)))
    }
    let number = ChainOracle.OwnNumber(credits: credits, until: request.limitUntil)
    run.oracle.set(number, for: key, at: now, isPlanned: isPlanned)
  }

  private static func authorize(_ name: Name, _ id: String, _ run: inout Run) {
    let id = Name(trusted: id)
    let hold: Credits? = run.random.pick(nil, 3, 20, 60)
    let now = run.ledger.now
    let available = run.oracle.available(name, at: now)
    do throws(CreditError) {
      let result = try run.ledger.perform(
        run.ledger.authorize(name, id: id, hold: hold, expiresIn: .seconds(3600)))
      run.note("authorize")
      run.ids.append(id)
      #expect(available >= hold ?? 1)
      let parts = hold.map { run.oracle.parts(of: $0, for: name, at: now) } ?? []
      let made = result.authorization?.hold
      if parts.count > 1 {
        #expect(made?.heldBy.map(\.account) == parts.map(\.account))
        #expect(made?.heldBy.map(\.credits) == parts.map(\.credits))
      } else {
        #expect(made?.heldBy.isEmpty ?? true)
      }
      run.oracle.open[id] = ChainOracle.Hold(
        account: name, parts: parts, until: made?.expiresAt ?? now)
    } catch {
      expectRefusal(error, isTooFew: available < hold ?? 1, &run)
    }
  }

  private static func void(_ run: inout Run) {
    let id = run.anID()
    let isOpen = run.oracle.open[id] ?? nil != nil
    let result = try? run.ledger.perform(run.ledger.void(id))
    #expect(isOpen ? result != nil : result?.isReplay ?? true)
    if isOpen { run.oracle.open[id] = .some(nil) }
  }

  private static func settle(_ run: inout Run) {
    let id = run.anID()
    guard case .some(.some(let hold)) = run.oracle.open[id] else { return }
    let price: Credits = run.random.pick(1, 15, 70)
    let now = run.ledger.now
    var after = run.oracle
    after.open[id] = .some(nil)
    let available = after.available(hold.account, at: now)
    do throws(CreditError) {
      let result = try run.ledger.perform(run.ledger.charge(id, units(price)))
      after.charge(id, price, to: hold.account, at: now)
      run.oracle = after
      #expect(run.ledger.policy.allowsOverdraft || price <= available)
      check(result, id, &run)
    } catch {
      #expect(!run.ledger.policy.allowsOverdraft)
      expectRefusal(error, isTooFew: price > available, &run)
    }
  }

  private static func direct(_ name: Name, _ key: String, _ run: inout Run) {
    let price: Credits = run.random.pick(1, 12, 50, 150)
    let now = run.ledger.now
    let available = run.oracle.available(name, at: now)
    let need = run.ledger.policy.allowsOverdraft ? 1 : price
    do throws(CreditError) {
      let result = try run.ledger.perform(
        run.ledger.charge(name, key: Name(trusted: key), units(price)))
      #expect(available >= need)
      guard let id = result.receipt?.authorization.id else { return }
      run.ids.append(id)
      run.oracle.charge(id, price, to: name, at: now)
      check(result, id, &run)
    } catch {
      expectRefusal(error, isTooFew: available < need, &run)
    }
  }

  private static func amend(_ run: inout Run) {
    let id = run.anID()
    guard let charged = run.oracle.charges[id], charged.refunded == 0 else { return }
    let price: Credits = run.random.pick(0, 4, 25, 90)
    let request = ChargeRequest(
      reference: .authorization(id, account: nil), model: "unit", usage: units(price),
      amends: true, time: run.ledger.now)
    guard let result = try? run.ledger.perform(.charge(request)) else {
      Issue.record("an amend is refused")
      return
    }
    if !result.isReplay {
      run.note("amend")
      run.oracle.amend(id, to: price, at: run.ledger.now)
    }
    check(result, id, &run)
  }

  private static func refund(_ run: inout Run) {
    let id = run.anID()
    guard let charged = run.oracle.charges[id], charged.refunded < charged.price + charged.refunded
    else { return }
    let all = charged.price + charged.refunded
    let total = Credits.random(in: 1...all, using: &run.random)
    let request = RefundRequest(
      reference: .authorization(id), credits: total, time: run.ledger.now)
    guard total > charged.refunded else {
      #expect(
        (run.ledger.code(.refund(request)) == nil) == (total == charged.refunded))
      return
    }
    let result = try? run.ledger.perform(.refund(request))
    #expect(result?.refund?.credits == total - charged.refunded)
    run.note("refund")
    run.oracle.refund(id, upTo: total)
  }

  private static func check(_ result: GateResult, _ id: Name, _ run: inout Run) {
    guard let receipt = result.receipt, let charged = run.oracle.charges[id] else { return }
    run.note("charge")
    if !receipt.paidBy.isEmpty { run.note("shared") }
    #expect(receipt.creditsCharged == charged.price && receipt.ownCredits == charged.own)
    #expect(receipt.paidBy.map(\.account) == charged.above.map(\.account))
    #expect(receipt.paidBy.map(\.credits) == charged.above.map(\.credits))
  }

  /// Credits are looked at before limits.
  private static func expectRefusal(
    _ error: CreditError, isTooFew: Bool, _ run: inout Run
  ) {
    run.note(error.code.rawValue)
    #expect(error.code == (isTooFew ? .insufficientCredits : .spendLimit), "\(error.message)")
  }

  private static func compare(_ run: inout Run, _ comment: Comment) throws {
    for name in names {
      let account = try run.ledger.account(name)
      try #require(account.balance == run.oracle.balances[name], comment)
      try #require(account.held == run.oracle.held(name, at: run.ledger.now), comment)
      try compareOwn(account, &run, comment)
      for counter in account.limitCounters {
        let work = run.oracle.worked(name, since: counter.since)
        let used: Int128 =
          switch counter.unit {
          case .credits: Int128(run.oracle.used(name, since: counter.since))
          case .requests: Int128(work.requests)
          case .usd: Int128(work.thousandths) * thousandth
          case .tokens: 0
          }
        try #require(counter.used == used, comment)
        if counter.unit != .credits, used > 0 { run.note("work") }
      }
    }
  }

  private static func compareOwn(_ account: Account, _ run: inout Run, _ comment: Comment) throws {
    let views = account.limitViews(under: run.ledger.policy)
    for id in ["total", "day"] as [Name] {
      let key = ChainOracle.LimitKey(account: account.name, id: id)
      let own = run.oracle.number(of: key, at: run.ledger.now)
      let planned: Credits? = id == "day" && account.plan == "day" ? 90 : nil
      let view = views.first { $0.limit.id == id }
      try #require((view != nil) == (own != nil || planned != nil), comment)
      let credits = own.map(\.credits) ?? planned
      try #require(view?.amount == credits.map { Int128($0) }, comment)
      try #require(view?.limit.own?.until == own?.until, comment)
      let counter = account.limitCounters.first { $0.id == id }
      if id == "total", own != nil {
        try #require(counter?.since == run.oracle.start(of: key), comment)
      }
      if run.oracle.hasReturned(key, at: run.ledger.now) { run.note("returned") }
    }
  }
}
