import CreditModel
import Foundation
import Testing

/// The ledger against the slow one: random requests, the same answer to each, the same accounts
/// after each. `CREDIT_TEST_SEEDS=500 swift test` tries more seeds; a failure names its seed.
@Suite struct LedgerPropertyTests {
  private static let seeds: [UInt64] = {
    let count = ProcessInfo.processInfo.environment["CREDIT_TEST_SEEDS"].flatMap(Int.init) ?? 16
    return (0..<count).map { 1000 + UInt64($0) }
  }()

  private static let stepCount = 200
  private static let accounts: [Name] = ["alice", "bob", "carol"]

  @Test(arguments: seeds)
  func agreesWithTheSlowLedger(seed: UInt64) throws {
    var random = RandomRequests(seed: seed)
    let ledger = LedgerFixture(starter: 0) { random.configure(&$0) }
    var oracle = LedgerOracle(policy: ledger.policy)
    var trail: [String] = []
    for step in 0..<Self.stepCount {
      random.passTime(&ledger.now)
      if random.editsPolicy() {
        ledger.policy.plans = random.plans()
        oracle.policy = ledger.policy
        trail.append("plans \(ledger.policy.plans)")
      }
      ledger.nextID = Name(trusted: "id-\(step)")
      let request = random.next(at: ledger.now, step: step)
      let answer = Self.answer(ledger, request)
      let expected = oracle.answer(request, newID: Name(trusted: "id-\(step)"))
      trail.append("\(ledger.now.text) \(request) → \(answer)")
      let comment = Comment(
        rawValue: "seed \(seed), step \(step), after\n" + trail.suffix(12).joined(separator: "\n"))
      try #require(answer == expected, comment)
      for name in Self.accounts {
        for time in [ledger.now, random.later(than: ledger.now)] {
          let view = Self.view(ledger, name, at: time)
          try #require(view == Self.view(oracle, name, at: time), comment)
        }
      }
      try Self.checkInvariants(ledger.books, comment)
    }
  }

  private static func answer(_ ledger: LedgerFixture, _ request: GateRequest) -> String {
    do {
      return try ledger.perform(request).text
    } catch {
      return error.text
    }
  }

  private static func view(_ ledger: LedgerFixture, _ name: Name, at time: Timestamp) -> String {
    guard var account = ledger.books.account(name) else { return "none" }
    do {
      _ = try account.advance(to: time, under: ledger.policy)
      return account.text
    } catch {
      return error.text
    }
  }

  private static func view(_ oracle: LedgerOracle, _ name: Name, at time: Timestamp) -> String {
    do {
      return try oracle.account(name, at: time)?.text ?? "none"
    } catch {
      return "refused \(error.code.rawValue)"
    }
  }

  /// What must hold of any books, whoever wrote them.
  private static func checkInvariants(_ books: MemoryBooks, _ comment: Comment) throws {
    var balances: [Name: Credits] = [:]
    var times: [Name: Timestamp] = [:]
    for record in books.records {
      let account = record.account
      balances[account.name, default: 0] += record.event.credits
      try #require(balances[account.name] == account.balance, comment)
      try #require(times[account.name, default: .earliest] <= account.updatedAt, comment)
      times[account.name] = account.updatedAt
    }
    for name in accounts {
      guard let account = books.account(name) else { continue }
      let buckets = account.buckets
      let isInDebt = buckets.contains { $0.credits < 0 }
      try #require(!isInDebt || account.bucketsInBurnOrder.count == 1, comment)
      try #require(!isInDebt || buckets == [Bucket(kind: .purchased, credits: account.balance)], comment)
      try #require(buckets.allSatisfy { $0.credits != 0 && $0.kind != .quota }, comment)
      try #require(buckets.allSatisfy { $0.expiresAt ?? .latest > account.updatedAt }, comment)
      try #require(account.holds.allSatisfy { $0.credits > 0 }, comment)
      try #require(account.holds.allSatisfy { $0.expiresAt > account.updatedAt }, comment)
      try #require(account.holds.map(\.expiresAt) == account.holds.map(\.expiresAt).sorted(), comment)
      try #require(Set(account.holds.map(\.expiresAt)).count == account.holds.count, comment)
    }
  }
}

extension LedgerEvent {
  /// What the balance changed by.
  fileprivate var credits: Credits {
    switch self {
    case .registration(let starter): starter
    case .settings(let credits), .expiry(_, let credits), .refill(let credits): credits
    case .authorization, .void: 0
    case .charge(let charge): -charge.receipt.creditsCharged
    case .chargeRefund(_, let refund): refund.credits
    case .topUp(let topUp): topUp.creditsAdded
    case .topUpRefund(_, let refund): -refund.credits
    }
  }
}
