import Testing

@testable import CreditModel
@testable import CreditPayments
@testable import TestSupport

/// A sale that a person enters, too, under any of its ids: all orders of its events and of that
/// leave the same credits and the same money.
///
/// Each world has an event with the account. Without one a key is of no known account: no tool can
/// know that a sale by hand under `--key pi_1` and a refund of `pi_1` alone belong together. The
/// same holds for a sale under an id that no event names, such as `ch_1` beside a session alone.
@Suite(.slow) struct SaleOrderTests {
  /// Events that sell 100 credits for 10.00 USD, and the ids that they name.
  struct World: Sendable, CustomStringConvertible {
    let description: String
    let ids: [Name]
    let events: [String]
    var product: Name = "hundred"
    /// True if a person enters the sum of the invoice's lines, which may be refused.
    var isInLines = false
  }

  /// The events of refunds or a dispute, and the cents that went back.
  struct Back: Sendable, CustomStringConvertible {
    let description: String
    let events: [String]
    let cents: Int64
  }

  private static let start: Int64 = 1_763_892_000
  private static let day: Int64 = 86_400

  private static func stripe(_ type: String, _ time: Int, _ object: String) -> String {
    """
    {"id":"evt_\(type)_\(time)","object":"event","type":"\(type)","created":\(start + Int64(time)),
     "livemode":true,"data":{"object":\(object)}}
    """
  }

  private static func session(_ invoice: String = "null") -> String {
    stripe(
      "checkout.session.completed", 0,
      """
      {"id":"cs_1","mode":"payment","payment_status":"paid","payment_intent":"pi_1",
       "client_reference_id":"ana","metadata":{"product":"hundred"},"amount_total":1000,
       "currency":"usd","invoice":\(invoice)}
      """)
  }

  private static func intent(_ metadata: String = "") -> String {
    stripe(
      "payment_intent.succeeded", 0,
      """
      {"id":"pi_1","amount":1000,"amount_received":1000,"currency":"usd","latest_charge":"ch_1",
       "capture_method":"automatic_async","metadata":{\(metadata)}}
      """)
  }

  private static func line(_ id: String, _ amount: Int, _ price: String, _ count: Int) -> String {
    """
    {"id":"\(id)","amount":\(amount),"quantity":\(count),
     "period":{"start":\(start),"end":\(start + 30 * day)},
     "pricing":{"price_details":{"price":"\(price)"}}}
    """
  }

  private static func invoice(_ rest: String, _ lines: String...) -> String {
    stripe(
      "invoice.paid", 1,
      """
      {"id":"in_1","amount_paid":1000,"currency":"usd","metadata":{"account":"ana"},\(rest)
       "lines":{"data":[\(lines.joined(separator: ","))],"has_more":false}}
      """)
  }

  private static let invoicePayment = stripe(
    "invoice_payment.paid", 2,
    #"{"id":"inpay_1","invoice":"in_1","payment":{"payment_intent":"pi_1"}}"#)

  private static let subscriptionSession = stripe(
    "checkout.session.completed", 0,
    """
    {"id":"cs_1","mode":"subscription","subscription":"sub_1","client_reference_id":"ana",
     "invoice":"in_1"}
    """)

  private static let subscribed =
    #""parent":{"subscription_details":{"subscription":"sub_1"}},"#

  private static let whole = line("a", 1000, "hundred", 1)
  private static let halves = [line("a", 500, "ten", 5), line("b", 500, "ten", 5)]

  static let worlds = [
    World(description: "a session", ids: ["pi_1", "cs_1"], events: [session()]),
    World(
      description: "a session and its intent", ids: ["pi_1", "cs_1", "ch_1"],
      events: [session(), intent()]),
    World(
      description: "an intent", ids: ["pi_1", "ch_1"],
      events: [intent(#""account":"ana","product":"hundred""#)]),
    World(
      description: "an invoice", ids: ["pi_1", "in_1", "ch_1"],
      events: [invoice("", whole), invoicePayment, intent()]),
    World(
      description: "an invoice that says its payment", ids: ["pi_1", "in_1", "ch_1"],
      events: [invoice(#""payment_intent":"pi_1","charge":"ch_1","#, whole)]),
    World(
      description: "a session with an invoice", ids: ["pi_1", "cs_1", "in_1"],
      events: [session(#""in_1""#), invoice("", whole), invoicePayment]),
    World(
      description: "an invoice of two lines", ids: ["pi_1", "in_1"],
      events: [invoice("", halves[0], halves[1]), invoicePayment], isInLines: true),
    World(
      description: "a session with an invoice of two lines", ids: ["pi_1", "cs_1", "in_1"],
      events: [session(#""in_1""#), invoice(#""payment_intent":"pi_1","#, halves[0], halves[1])],
      isInLines: true),
    World(
      description: "a subscription", ids: ["pi_1", "in_1", "cs_1", "sub_1"],
      events: [
        invoice(subscribed, line("a", 1000, "pro", 1)), invoicePayment, subscriptionSession,
      ], product: "pro"),
  ]

  private static func refunded(_ cents: Int) -> String {
    stripe(
      "charge.refunded", 20,
      """
      {"id":"ch_1","payment_intent":"pi_1","amount":1000,"amount_refunded":\(cents),
       "currency":"usd"}
      """)
  }

  private static func refund(_ cents: Int) -> String {
    stripe(
      "refund.created", 20,
      """
      {"id":"re_1","payment_intent":"pi_1","charge":"ch_1","amount":\(cents),"currency":"usd",
       "status":"succeeded"}
      """)
  }

  private static func dispute(_ status: String, _ time: Int) -> String {
    stripe(
      "charge.dispute.\(status == "needs_response" ? "created" : "closed")", time,
      """
      {"id":"dp_1","payment_intent":"pi_1","charge":"ch_1","amount":1000,"currency":"usd",
       "status":"\(status)"}
      """)
  }

  static let backs = [
    Back(description: "none", events: [], cents: 0),
    Back(description: "a part", events: [refunded(400)], cents: 400),
    Back(description: "a part, alone", events: [refund(400)], cents: 400),
    Back(description: "a part, twice said", events: [refunded(400), refund(400)], cents: 400),
    Back(description: "all", events: [refunded(1000)], cents: 1000),
    Back(description: "lost", events: [dispute("lost", 40)], cents: 1000),
    Back(
      description: "won", events: [dispute("needs_response", 30), dispute("won", 40)], cents: 0),
  ]

  /// Orders of the steps: all of a few, or some of many.
  private static func some(_ count: Int) -> [[Int]] {
    let steps = Array(0..<count)
    if count < 4 { return orders(steps) }
    var random = SeededGenerator(seed: UInt64(count))
    return (0..<8).map { _ in steps.shuffled(using: &random) }
  }

  @Test(arguments: worlds, backs)
  func allOrdersLeaveTheSame(_ world: World, _ back: Back) throws {
    let events = world.events + back.events
    for id in world.ids {
      for isKey in [false, true] {
        let reference: TopUpRequest.Reference = isKey ? .key(id) : .transaction(id)
        for order in Self.some(events.count + 1) {
          let books = MemoryBooks()
          let steps = order.map { $0 < events.count ? events[$0] : nil }
          let says = "\(isKey ? "key" : "transaction") \(id.text), \(order)"
          for event in steps { try Self.perform(event, reference, world, on: books) }
          try Self.expect(back, of: world, in: books, says)
          let count = books.records.count
          for event in steps.reversed() { try Self.perform(event, reference, world, on: books) }
          for event in steps { try Self.perform(event, reference, world, on: books) }
          #expect(books.records.count == count, "\(says), again")
          try Self.expect(back, of: world, in: books, "\(says), again")
        }
      }
    }
  }

  private static func expect(_ back: Back, of world: World, in books: MemoryBooks, _ says: String)
    throws
  {
    #expect(books.account("ana")?.balance == (1000 - back.cents) / 10, "\(says)")
    var money: Int128 = 0
    let ids = Set(books.records.compactMap { $0.event.topUp.topUp?.transaction.id })
    for id in ids {
      let entry = try #require(try books.transaction(id))
      let price = ExactDecimal(text: entry.topUp.transaction.price ?? "0")
      money += price?.coefficient(atScale: 2) ?? 0
      if entry.topUp.transaction.status == .refunded {
        money -= entry.refund?.priceTotal?.coefficient(atScale: 2) ?? 0
      }
    }
    #expect(money == Int128(1000 - back.cents), "\(says)")
    // A refund of a part ends a plan, too.
    let hasPlan = world.product == "pro" && back.cents == 0
    #expect((books.account("ana")?.plan != nil) == hasPlan, "\(says)")
    var audit = BooksAudit(clockIsReal: true)
    #expect(audit.fault(in: books) == nil, "\(says)")
  }

  /// - Parameter event: nil for the sale by hand.
  private static func perform(
    _ event: String?, _ reference: TopUpRequest.Reference, _ world: World, on books: MemoryBooks
  ) throws {
    func product(_ id: Name, _ credits: Credits, _ price: String, _ plan: Name? = nil) -> Product {
      Product(
        id: id, name: id.text, credits: credits, price: ExactDecimal(text: price),
        currency: "USD", plan: plan)
    }
    var policy = Policy(
      prices: try PriceCatalog(
        models: [],
        products: [
          product("hundred", 100, "10.00"), product("ten", 10, "1.00"),
          product("pro", 100, "10.00", "pro"),
        ]))
    policy.plans = [Plan(id: "pro", limits: [])]
    policy.starterCredits = 0
    policy.payments = [PaymentSource(format: .stripe, secretFile: "secret")]
    let count = books.records.count
    let ledger = Ledger(
      books: books, policy: policy, systemTime: Timestamp(milliseconds: (start + 60) * 1000)
    ) { _ in Name(trusted: "uuid-\(count)") }
    if let event {
      let request = try EventReader.read(
        EventDelivery(body: Array(event.utf8)), of: policy.payments[0])
      _ = try ledger.perform(.payment(request))
      return
    }
    var terms = StatedTerms()
    if world.product == "pro" {
      terms.expiry = .at(Timestamp(milliseconds: (start + 30 * day) * 1000))
    }
    do throws(CreditError) {
      _ = try ledger.perform(
        .topUp(
          TopUpRequest(
            account: "ana", reference: reference, grant: .product(world.product, quantity: 1),
            terms: terms)))
    } catch {
      guard world.isInLines, error.code == .idempotencyConflict else { throw error }
    }
  }
}
