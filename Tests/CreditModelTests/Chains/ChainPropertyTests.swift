import CreditModel
import Testing

@testable import TestSupport

/// Random work of accounts in chains, against rules of a few lines: payments, counts of limits,
/// refusals. The audit replays each record.
@Suite(.slow) struct ChainPropertyTests {
  private static let names: [Name] = ["a", "b", "c", "d", "e", "f"]

  /// A count of one account: kept one by one, and summed over the window on demand.
  private struct Fact {
    let account: Name
    let time: Timestamp
    var credits: Credits
  }

  @Test(arguments: UInt64(0)..<24)
  func paysAndCountsByTheRules(seed: UInt64) throws {
    var random = SeededGenerator(seed: 7000 + seed)
    let ledger = LedgerFixture(starter: 0) {
      $0.allowsOverdraft = random.once(in: 2)
      $0.clock = .of(SlowZone.choices[Int(seed) % SlowZone.choices.count])
      $0.plans = [
        Plan(
          id: "day", limits: [SpendLimit(id: "day", period: .day, amount: 60, alerts: [50, 100])]),
        Plan(id: "quota", quota: 20, period: .day),
      ]
    }
    for name in Self.names {
      _ = try ledger.perform(ledger.topUp(name, key: "s", .credits(random.pick(5, 30, 100))))
    }
    var audit = BooksAudit(clockIsReal: true)
    var facts: [Fact] = []
    for step in 0..<150 {
      ledger.now = Timestamp(
        milliseconds: ledger.now.milliseconds + random.pick(0, 1000, 3_600_000, 20_000_000))
      let name = random.pick("a", "b", "c", "d", "e", "f") as Name
      switch Int.random(in: 0..<10, using: &random) {
      case 0: setParent(of: name, ledger, &random)
      case 1: try setLimits(of: name, ledger, &random)
      case 2...3: hold(name, step, ledger, &random)
      default: try charge(name, step, ledger, &facts, &random)
      }
      let comment = Comment(rawValue: "seed \(seed), step \(step)")
      try #require(audit.fault(in: ledger.books) == nil, comment)
      for name in Self.names {
        let account = try ledger.account(name)
        for counter in account.limitCounters {
          let used = facts.reduce(0) {
            $1.account == name && $1.time >= counter.since ? $0 + $1.credits : $0
          }
          try #require(counter.used == used, comment)
        }
      }
    }
  }

  private func setParent(of name: Name, _ ledger: LedgerFixture, _ random: inout SeededGenerator) {
    var request = AccountRequest(account: name, time: ledger.now)
    let parent = random.pick("a", "b", "c", "d", "e", "f", nil) as Name?
    request.parent = parent.map { .set($0) } ?? .remove
    let above = parent.map { [$0] + chain(above: $0, ledger) } ?? []
    let isRing = above.contains(name)
    let isTooLong = above.count + height(of: name, ledger) > 5
    let isNew = ledger.books.account(name)?.parent != parent
    let code = ledger.code(.account(request))
    #expect((code == .invalidRequest) == (isNew && (isRing || isTooLong)))
  }

  private func chain(above name: Name, _ ledger: LedgerFixture) -> [Name] {
    guard let parent = ledger.books.account(name)?.parent else { return [] }
    return [parent] + chain(above: parent, ledger)
  }

  private func height(of name: Name, _ ledger: LedgerFixture) -> Int {
    let children = Self.names.filter { ledger.books.account($0)?.parent == name }
    return 1 + (children.map { height(of: $0, ledger) }.max() ?? 0)
  }

  private func setLimits(
    of name: Name, _ ledger: LedgerFixture, _ random: inout SeededGenerator
  ) throws {
    // Earlier work of the same time must not count.
    ledger.now = Timestamp(milliseconds: ledger.now.milliseconds + 1)
    var request = AccountRequest(account: name, time: ledger.now)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: request.plan = .set(random.pick("day", "quota"))
    case 1: request.limits = [LimitChange(id: "total", credits: random.pick(40, 200))]
    case 2: request.limits = [LimitChange(id: "week", .lifted)]
    default: request.isExempt = random.once(in: 6)
    }
    _ = try ledger.perform(.account(request))
  }

  private func hold(
    _ name: Name, _ step: Int, _ ledger: LedgerFixture, _ random: inout SeededGenerator
  ) {
    let request = ledger.authorize(
      name, id: Name(trusted: "h\(step)"), hold: random.pick(1, 10, 40, 200))
    guard let result = try? ledger.perform(request) else { return }
    let hold = result.authorization?.hold
    let sum = hold?.heldBy.reduce(0) { $0 + $1.credits }
    // A hold of an exempt account is not kept.
    let isWaived = try? ([name] + chain(above: name, ledger)).contains {
      try ledger.account($0).isExempt
    }
    #expect(
      hold?.heldBy.isEmpty == true || sum == hold?.credits
        || isWaived == true && sum ?? 0 < hold?.credits ?? 0)
    if random.once(in: 3) { _ = try? ledger.perform(ledger.void(Name(trusted: "h\(step)"))) }
  }

  /// Each account of a chain pays its available credits, the last one the rest, or it waives it.
  private func charge(
    _ name: Name, _ step: Int, _ ledger: LedgerFixture, _ facts: inout [Fact],
    _ random: inout SeededGenerator
  ) throws {
    let price: Credits = random.pick(1, 7, 45, 120)
    var due: [(name: Name, credits: Credits)] = []
    var rest = price
    let names = [name] + chain(above: name, ledger)
    for (place, name) in names.enumerated() {
      let account = try ledger.account(name)
      if account.isExempt { break }
      let isPayer = place == names.count - 1
      let part = isPayer ? rest : min(rest, max(0, account.available))
      due.append((name, part))
      rest -= part
      if rest == 0 { break }
    }
    let request = ledger.charge(name, key: Name(trusted: "k\(step)"), units(price))
    guard let receipt = try? ledger.perform(request).receipt else { return }
    #expect(receipt.creditsCharged == price - rest)
    let paid = [(name, receipt.ownCredits)] + receipt.paidBy.map { ($0.account, $0.credits) }
    for (name, credits) in due {
      #expect(paid.first { $0.0 == name }?.1 ?? 0 == credits)
    }
    var reached = price - rest
    for (name, credits) in due {
      facts.append(Fact(account: name, time: ledger.now, credits: reached))
      reached -= credits
    }
  }
}
