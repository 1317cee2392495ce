import CreditModel
import Testing

@testable import TestSupport

/// Random events of a few payments, in any order and number, between charges: at any time the
/// balance follows by a rule of a few lines from the events so far.
@Suite(.slow) struct PaymentPropertyTests {
  /// Facts of one payment of 1000, for 100 credits or for lines of 60 and 40.
  private struct Facts {
    var isBought = false
    /// Whether its invoice and the payment are known to belong together.
    var isLinked = false
    /// The newest news of each refund, and of each dispute.
    var refunds: [Int64: (at: Int64, isFailed: Bool)] = [:]
    var disputes: [Int64: (at: Int64, isTaken: Bool)] = [:]
    /// The total refunded, and its time.
    var total: (at: Int64, amount: Int64)?

    /// The amount that the customer has again.
    private var refunded: Int64 {
      if disputes.values.contains(where: \.isTaken) { return 1000 }
      let single = refunds.reduce(0) { $0 + ($1.value.isFailed ? 0 : amount(of: $1.key)) }
      guard let total else { return min(1000, single) }
      let undone = refunds.reduce(0) { sum, refund in
        sum + (refund.value.isFailed && refund.value.at >= total.at ? amount(of: refund.key) : 0)
      }
      return min(1000, max(single, total.amount - undone, 0))
    }

    func left(of lines: [Credits]) -> Credits {
      if !isBought { return 0 }
      let refunded = isLinked ? refunded : 0
      return lines.reduce(0) { $0 + $1 - ($1 * refunded + 999) / 1000 }
    }
  }

  private static func amount(of refund: Int64) -> Int64 { 70 * refund + 31 }

  /// The first two payments are of one purchase each, the others of invoices with two lines.
  private static func lines(_ payment: Int) -> [Credits] { payment < 2 ? [100] : [60, 40] }

  private static func id(_ payment: Int) -> Name { Name(trusted: "pi\(payment)") }

  private static func bought(_ payment: Int) -> [PaymentChange] {
    let lines = lines(payment)
    var changes: [PaymentChange] = []
    for (number, credits) in lines.enumerated() {
      let id = lines.count == 1 ? id(payment) : Name(trusted: "in\(payment)/\(number)")
      var change = PaymentChange(transaction: id, .purchase(.completed, reason: nil))
      (change.account, change.product, change.quantity) = ("alice", "pack", credits / 10)
      change.paid = 1000
      if lines.count > 1 { change.others = [Name(trusted: "in\(payment)")] }
      changes.append(change)
    }
    return changes
  }

  private struct Script {
    var random: SeededGenerator
    var facts = [Facts](repeating: Facts(), count: 4)

    /// A random event, which the facts take in. One of an id and a time is always the same.
    mutating func next() -> PaymentRequest {
      let payment = random.number(below: 4)
      let at = Int64(1 + random.number(below: 20))
      let id = PaymentPropertyTests.id(payment)
      let number = Int64(random.number(below: 3))
      let changes: [PaymentChange]
      switch random.number(below: 8) {
      case 0...1:
        facts[payment].isBought = true
        if payment < 2 { facts[payment].isLinked = true }
        changes = PaymentPropertyTests.bought(payment)
      case 2 where payment >= 2:
        facts[payment].isLinked = true
        changes = [LedgerPaymentTests.linked(id, [Name(trusted: "in\(payment)")])]
      case 2...3:
        let amount = 41 * at
        if at >= facts[payment].total?.at ?? 0 { facts[payment].total = (at, amount) }
        var change = PaymentChange(transaction: id, .refunded(amount))
        change.paid = 1000
        changes = [change]
      case 4...5:
        let isFailed = (number + at) % 3 == 0
        if at >= facts[payment].refunds[number]?.at ?? 0 {
          facts[payment].refunds[number] = (at, isFailed)
        }
        let refund = PaymentRefund(
          id: Name(trusted: "re\(number)"), amount: PaymentPropertyTests.amount(of: number),
          isFailed: isFailed, at: Timestamp(milliseconds: at))
        changes = [PaymentChange(transaction: id, .refund(refund))]
      default:
        let isTaken = (number + at) % 2 == 0
        if at >= facts[payment].disputes[number]?.at ?? 0 {
          facts[payment].disputes[number] = (at, isTaken)
        }
        let dispute = PaymentDispute(
          id: Name(trusted: "dp\(number)"), isTaken: isTaken, at: Timestamp(milliseconds: at),
          amount: number == 0 ? nil : 300 * number, currency: number == 2 ? "USD" : "EUR")
        changes = [PaymentChange(transaction: id, .dispute(dispute))]
      }
      return PaymentRequest(
        PaymentEvent(
          format: .stripe, id: "evt", type: "test", at: Timestamp(milliseconds: at)), changes)
    }
  }

  @Test(arguments: UInt64(1)...60)
  func agreesWithTheRule(seed: UInt64) throws {
    var script = Script(random: SeededGenerator(seed: seed))
    let ledger = LedgerFixture(starter: 0)
    var spent: Credits = 0
    for step in 0..<80 {
      if script.random.once(in: 5), ledger.books.account("alice") != nil {
        let price = Int64(1 + script.random.number(below: 30))
        _ = try ledger.perform(
          .charge(
            ChargeRequest(
              reference: .key(Name(trusted: "k\(step)"), account: "alice"), model: "unit",
              usage: units(price), isArrears: true, time: ledger.now)))
        spent += price
      }
      _ = try ledger.perform(.payment(script.next()))
      let left = script.facts.enumerated().reduce(0) { sum, fact in
        sum + fact.element.left(of: Self.lines(fact.offset))
      }
      #expect(try ledger.balance() == left - spent, "seed \(seed), step \(step)")
    }
    ledger.expectSound()
  }
}
