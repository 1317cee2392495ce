import CreditModel
import Testing

@testable import TestSupport

/// Ten grants with random terms and random charges, against a rule of a few lines; and at any time
/// a grant's credits are used, expired or left.
@Suite(.slow) struct GrantPropertyTests {
  private struct Simple {
    var id: Name
    var credits: Credits
    var granted: Credits
    var start: Int64
    var end: Int64
    var priority: Int64
    var isPurchase: Bool
    var models: [Name]
    var used: Credits = 0
    var expired: Credits = 0
  }

  /// The rule: started and valid grants pay for their models, lowest priority first, then soonest
  /// expiry, then bonuses, then the older one.
  private static func spend(
    _ credits: Credits, of model: Name, at now: Int64, _ all: inout [Simple]
  )
    -> Credits
  {
    var missing = credits
    for place in all.indices where all[place].end <= now {
      all[place].expired += all[place].credits
      all[place].credits = 0
    }
    let order = all.indices.sorted {
      let (left, right) = (all[$0], all[$1])
      return (left.priority, left.end, left.isPurchase ? 1 : 0, $0)
        < (right.priority, right.end, right.isPurchase ? 1 : 0, $1)
    }
    for place in order where all[place].start <= now {
      guard all[place].models.isEmpty || all[place].models.contains(model) else { continue }
      let share = min(missing, all[place].credits)
      all[place].credits -= share
      all[place].used += share
      missing -= share
    }
    return missing
  }

  @Test(arguments: UInt64(1)...40)
  func agreesWithTheRule(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let ledger = LedgerFixture(starter: 0)
    let begin = ledger.now.milliseconds
    var all: [Simple] = []
    for number in 0..<10 {
      let start: Int64 = random.pick(0, 0, 100, 200)
      let end: Int64 = random.once(in: 3) ? .max : start + random.pick(50, 150, 300)
      let credits = Credits.random(in: 1...60, using: &random)
      all.append(
        Simple(
          id: Name(trusted: "g\(number)"), credits: credits, granted: credits, start: start,
          end: end, priority: random.pick(0, 50, 50, 100), isPurchase: random.once(in: 2),
          models: random.pick([], [], ["unit"], ["half", "unit"])))
    }
    func instant(_ second: Int64) -> Timestamp {
      Timestamp(milliseconds: begin + second * 1000)
    }
    for simple in all {
      _ = try ledger.perform(
        ledger.topUp(id: simple.id, .credits(simple.granted)) {
          $0.kind = simple.isPurchase ? .purchase : .bonus
          $0.terms.priority = simple.priority
          $0.terms.start = .at(instant(simple.start))
          if simple.end != .max { $0.terms.expiry = .at(instant(simple.end)) }
          if !simple.models.isEmpty { $0.terms.models = ModelPatterns(trusted: simple.models) }
        })
    }
    var debt: Credits = 0
    for (number, second) in (0..<40).map({ ($0, Int64($0 * 11)) }) where debt == 0 {
      ledger.now = instant(second)
      let price = Credits.random(in: 0...15, using: &random)
      let model: Name = random.pick("unit", "half")
      debt += Self.spend(price, of: model, at: second, &all)
      _ = try ledger.perform(
        .charge(
          ChargeRequest(
            reference: .key(Name(trusted: "c\(number)"), account: "alice"), model: model,
            usage: units(model == "unit" ? price : 2 * price), isArrears: true, time: ledger.now)))
      let account = try ledger.account()
      for simple in all {
        let bucket = (Array(account.buckets) + account.scheduled.map(\.bucket))
          .first { $0.grant?.id == simple.id }
        #expect(bucket?.credits ?? 0 == simple.credits, "seed \(seed), \(simple) at \(second)")
        #expect(simple.granted == simple.used + simple.expired + simple.credits)
      }
      #expect(account.buckets.contains { $0.credits < 0 } == (debt > 0))
    }
    ledger.expectSound()
  }
}
