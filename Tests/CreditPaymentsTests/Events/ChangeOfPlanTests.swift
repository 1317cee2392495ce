import CreditModel
import Testing

@testable import CreditPayments
@testable import TestSupport

/// Changes of plans that have credits and a quota: all orders of their events leave the same.
@Suite struct ChangeOfPlanTests {
  /// A line of an invoice: the part of a period, in days of 2026, for a price in cents.
  private struct Line {
    let id: String
    let amount: Int
    let price: String
    let part: Range<Int>
    var isProrated = true
  }

  /// 2026-01-01T00:00:00Z.
  private static let year: Int64 = 1_767_225_600

  private static func seconds(_ day: Int) -> Int64 { year + Int64(day) * 86_400 }

  private static func event(_ id: String, _ type: String, _ day: Int, _ object: String) -> String {
    """
    {"id":"evt_\(id)","object":"event","type":"\(type)","created":\(seconds(day)),"livemode":true,
     "data":{"object":\(object)}}
    """
  }

  private static func invoice(_ id: String, _ day: Int, paid: Int, _ lines: Line...) -> String {
    let data = lines.map { line in
      """
      {"id":"il_\(line.id)","amount":\(line.amount),"quantity":1,
       "period":{"start":\(seconds(line.part.lowerBound)),"end":\(seconds(line.part.upperBound))},
       "pricing":{"price_details":{"price":"\(line.price)"}},
       "parent":{"subscription_item_details":{"subscription":"sub_1",
       "proration":\(line.isProrated)}}}
      """
    }
    return event(
      id, "invoice.paid", day,
      """
      {"id":"in_\(id)","amount_paid":\(paid),"currency":"usd","parent":{"subscription_details":
       {"subscription":"sub_1","metadata":{"account":"ana"}}},
       "lines":{"has_more":false,"data":[\(data.joined(separator: ","))]}}
      """)
  }

  private static func deleted(_ day: Int, until end: Int) -> String {
    event(
      "deleted", "customer.subscription.deleted", day,
      """
      {"id":"sub_1","metadata":{"account":"ana"},
       "items":{"data":[{"price":{"id":"basic"},"current_period_end":\(seconds(end))}]}}
      """)
  }

  private static func deliver(_ events: [String], at day: Int, to books: MemoryBooks) throws {
    func product(_ id: Name, _ credits: Credits, _ price: String) -> Product {
      Product(
        id: id, name: id.text, credits: credits, price: ExactDecimal(text: price),
        currency: "USD", plan: id)
    }
    var policy = Policy(
      prices: try PriceCatalog(
        models: [], products: [product("basic", 500, "10.00"), product("pro", 2000, "30.00")]))
    policy.plans = [
      Plan(id: "basic", quota: 300, period: .month), Plan(id: "pro", quota: 300, period: .month),
    ]
    policy.starterCredits = 0
    let ledger = Ledger(
      books: books, policy: policy,
      systemTime: Timestamp(milliseconds: seconds(day) * 1000 + 43_200_000)
    ) { _ in "id" }
    var source = PaymentSource(format: .stripe, secretFile: "secret")
    source.products = ["basic": "basic", "pro": "pro"]
    for event in events {
      let request = try EventReader.read(EventDelivery(body: Array(event.utf8)), of: source)
      _ = try ledger.perform(.payment(request))
    }
  }

  /// A month of one plan, a change in its middle, a renewal, and the end of that.
  @Test(arguments: [200, 212], [true, false])
  func allOrdersLeaveTheSame(at day: Int, isDowngrade: Bool) throws {
    let (old, new) = isDowngrade ? ("pro", "basic") : ("basic", "pro")
    let (before, after) = isDowngrade ? (3000, 1000) : (1000, 3000)
    // July has 31 days.
    let events = [
      Self.invoice(
        "1", 181, paid: before,
        Line(id: "1", amount: before, price: old, part: 181..<212, isProrated: false)),
      Self.invoice(
        "2", 196, paid: max(0, after - before) / 2,
        Line(id: "2a", amount: -before / 2, price: old, part: 196..<212),
        Line(id: "2b", amount: after / 2, price: new, part: 196..<212)),
      Self.invoice(
        "3", 212, paid: after,
        Line(id: "3", amount: after, price: new, part: 212..<243, isProrated: false)),
      Self.event(
        "link", "invoice_payment.paid", 212,
        #"{"id":"inpay","invoice":"in_3","payment":{"payment_intent":"pi_3"}}"#),
      Self.deleted(213, until: 243).replacing(#""basic""#, with: "\"\(new)\""),
    ]
    // 16 of 31 days: 1032 of 2000, and 258 of 500.
    let left: Credits = isDowngrade ? 2000 - 1032 + 258 + 500 : 500 - 258 + 1032 + 2000
    for order in orders(events) {
      let books = MemoryBooks()
      try Self.deliver(order, at: day, to: books)
      #expect(books.account("ana")?.balance == left, "\(order)")
      let count = books.records.count
      try Self.deliver(order.reversed() + order, at: day, to: books)
      #expect(books.records.count == count)
    }
  }

  /// Before its first payment is known, a line's amount says of which period it is a part.
  @Test(arguments: [1, 3, 6, 12], [2, 20, 27, 50, 80, 200, 340])
  func aPartOfAnyPeriod(months: Int, left days: Int) throws {
    let starts = [1: 334, 3: 273, 6: 181, 12: 0]
    guard let start = starts[months], case let change = 365 - days, change > start else { return }
    for (old, new) in [("pro", "basic"), ("basic", "pro")] {
      let prices = ["basic": 1000, "pro": 3000]
      let (before, after) = (prices[old] ?? 0, prices[new] ?? 0)
      let length = 365 - start
      let first = Self.invoice(
        "1", start, paid: before,
        Line(id: "1", amount: before, price: old, part: start..<365, isProrated: false))
      let second = Self.invoice(
        "2", change, paid: max(0, after - before) * days / length,
        Line(id: "2a", amount: -before * days / length, price: old, part: change..<365),
        Line(id: "2b", amount: after * days / length, price: new, part: change..<365))
      let credits: [String: Int] = ["basic": 500, "pro": 2000]
      let (had, has) = (credits[old] ?? 0, credits[new] ?? 0)
      for order in orders([first, second]) {
        let books = MemoryBooks()
        try Self.deliver(order, at: change, to: books)
        let balance = had - had * days / length + has * days / length
        #expect(books.account("ana")?.balance == Credits(balance) + 300, "\(order)")
      }
    }
  }
}
