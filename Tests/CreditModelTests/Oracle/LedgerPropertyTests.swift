import CreditModel
import Foundation
import Testing

@testable import TestSupport

/// The ledger against the slow one: random requests, the same answer to each, the same accounts
/// after each. `CREDIT_TEST_SEEDS=500 swift test` tries more seeds; a failure names its seed, which
/// `CREDIT_TEST_SEEDS=1308-1308` tries again.
@Suite(.slow) struct LedgerPropertyTests {
  private static let seeds: [UInt64] = {
    let text = ProcessInfo.processInfo.environment["CREDIT_TEST_SEEDS"] ?? ""
    let bounds = text.split(separator: "-").compactMap { UInt64($0) }
    if bounds.count == 2 { return Array(bounds[0]...max(bounds[0], bounds[1])) }
    return (0..<(bounds.first ?? 16)).map { 1000 + $0 }
  }()

  private static let stepCount = 200
  private static let accounts: [Name] = ["alice", "bob", "carol"]

  @Test(arguments: seeds)
  func agreesWithTheSlowLedger(seed: UInt64) throws {
    var random = RandomRequests(seed: seed)
    let ledger = LedgerFixture(starter: 0) { random.configure(&$0) }
    var oracle = LedgerOracle(policy: ledger.policy)
    var audit = BooksAudit(clockIsReal: !ledger.policy.clockIsSimulated)
    var trail: [(time: Timestamp, request: GateRequest, answer: String)] = []
    // Made only for a failure: the texts take longer than the ledger.
    func comment(_ step: Int) -> Comment {
      let steps = trail.suffix(12).map { "\($0.time.text) \($0.request) → \($0.answer)" }
      let plans = "plans \(ledger.policy.plans)"
      return "seed \(seed), step \(step), \(plans), after\n\(steps.joined(separator: "\n"))"
    }
    for step in 0..<Self.stepCount {
      random.passTime(&ledger.now)
      if random.editsPolicy() {
        ledger.policy.plans = random.plans()
        ledger.policy.clock = random.nextClock()
        oracle.policy = ledger.policy
      }
      ledger.nextID = Name(trusted: "id-\(step)")
      let request = random.next(at: ledger.now)
      // Under a simulated clock the ledger makes ids by itself.
      var newID = Name(trusted: "id-\(step)")
      let answer = Self.answer(ledger, request) {
        random.learn(from: $0)
        if ledger.policy.clockIsSimulated { newID = $0.id ?? newID }
      }
      let expected = oracle.answer(request, newID: newID, systemTime: ledger.now)
      trail.append((ledger.now, request, answer))
      try #require(answer == expected, comment(step))
      for name in Self.accounts {
        for time in [ledger.now, random.later(than: ledger.now)] {
          let view = Self.view(ledger, name, at: time)
          try #require(view == Self.view(oracle, name, at: time), comment(step))
        }
      }
      try #require(audit.fault(in: ledger.books) == nil, comment(step))
    }
  }

  private static func answer(
    _ ledger: LedgerFixture, _ request: GateRequest, learn: (GateResult) -> Void
  ) -> String {
    do {
      let result = try ledger.perform(request)
      learn(result)
      return result.text
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
}
