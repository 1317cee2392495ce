import CreditModel
import Testing

@testable import CreditPayments
@testable import TestSupport

/// A subscription's life by each provider: after any order and number of its events the plan's paid
/// end is the same.
@Suite struct SubscriptionEventTests {
  /// 2026-02-19T10:00:00Z.
  private static let now = 1_771_495_200
  private static let day = 86_400

  struct Life: Sendable, CustomStringConvertible {
    let description: String
    let format: PaymentFormat
    let events: [String]
    /// The paid end of the plan, in days from now; nil if it is over.
    let until: Int?
  }

  static func stripe(_ type: String, _ number: Int, _ object: String) -> String {
    """
    {"id":"evt_\(type)_\(number)","object":"event","type":"\(type)",
     "created":\(now - 1000 + number),"livemode":true,"data":{"object":\(object)}}
    """
  }

  /// An invoice in the form of API version 2025-03-31, which does not say its payment.
  static func invoice(_ number: Int, until end: Int, of subscription: String = "sub_1")
    -> String
  {
    let object = """
      {"id":"in_\(number)","amount_paid":1000,"currency":"usd",
       "parent":{"type":"subscription_details","subscription_details":{
       "subscription":"\(subscription)","metadata":{"account":"ana"}}},
       "lines":{"has_more":false,"data":[{"id":"il_\(number)","amount":1000,"quantity":1,
       "parent":{"type":"subscription_item_details",
       "subscription_item_details":{"subscription":"\(subscription)"}},
       "period":{"start":\(now + (end - 30) * day),"end":\(now + end * day)},
       "pricing":{"price_details":{"price":"price_1"}}}]}}
      """
    return stripe("invoice.paid", number, object)
  }

  /// An invoice in the previous form, with everything in the invoice and its lines.
  static func oldInvoice(_ number: Int, until end: Int) -> String {
    let object = """
      {"id":"in_\(number)","amount_paid":1000,"currency":"usd","subscription":"sub_1",
       "payment_intent":"pi_\(number)","subscription_details":{"metadata":{"account":"ana"}},
       "lines":{"has_more":false,"data":[{"id":"il_\(number)","amount":1000,"quantity":1,
       "type":"subscription","subscription":"sub_1","price":{"id":"price_1"},
       "period":{"start":\(now + (end - 30) * day),"end":\(now + end * day)}}]}}
      """
    return stripe("invoice.paid", number, object)
  }

  private static func payment(_ number: Int) -> String {
    let object = """
      {"id":"inpay_\(number)","invoice":"in_\(number)",
       "payment":{"type":"payment_intent","payment_intent":"pi_\(number)"}}
      """
    return stripe("invoice_payment.paid", number, object)
  }

  private static func refunded(_ number: Int, _ amount: Int = 1000) -> String {
    let object = """
      {"id":"ch_\(number)","payment_intent":"pi_\(number)","amount":1000,
       "amount_refunded":\(amount),"currency":"usd"}
      """
    return stripe("charge.refunded", number + 100, object)
  }

  private static func dispute(_ number: Int, _ type: String, _ status: String) -> String {
    let object = """
      {"id":"dp_\(number)","payment_intent":"pi_\(number)","charge":"ch_\(number)","amount":1000,
       "status":"\(status)"}
      """
    return stripe(type, number + (status == "won" ? 300 : 200), object)
  }

  static func deleted(until end: Int?, price: String = "price_1") -> String {
    let end = end.map { #""current_period_end":\#(now + $0 * day),"# } ?? ""
    let object = """
      {"id":"sub_1","status":"canceled","metadata":{"account":"ana"},"items":{"data":[
       {"id":"si_1",\(end)"price":{"id":"\(price)"}}]}}
      """
    return stripe("customer.subscription.deleted", 400, object)
  }

  private static func paddle(_ number: Int, until end: Int) -> String {
    func time(_ day: Int) -> String {
      Timestamp(milliseconds: Int64(now + day * Self.day) * 1000).text
    }
    return """
      {"event_id":"evt_\(number)","event_type":"transaction.completed",
       "occurred_at":"2026-02-19T09:00:0\(number)Z","data":{"id":"txn_\(number)",
       "subscription_id":"sub_1","currency_code":"USD","custom_data":{"account":"ana"},
       "billing_period":{"starts_at":"\(time(end - 30))","ends_at":"\(time(end))"},
       "details":{"line_items":[{"id":"txnitm_\(number)","price_id":"pri_1","quantity":1,
       "totals":{"total":"1000"}}]}}}
      """
  }

  private static func adjustment(_ number: Int, _ action: String) -> String {
    """
    {"event_id":"evt_\(action)_\(number)","event_type":"adjustment.updated",
     "occurred_at":"2026-02-19T09:10:00Z","data":{"id":"adj_\(action)","action":"\(action)",
     "status":"approved","transaction_id":"txn_\(number)",
     "created_at":"2026-02-19T09:1\(action == "chargeback_reverse" ? 1 : 0):00Z",
     "items":[{"item_id":"txnitm_\(number)","totals":{"total":"1000"}}]}}
    """
  }

  private static func revenueCat(
    _ type: String, _ number: Int, until end: Int, _ rest: String = ""
  ) -> String {
    """
    {"api_version":"1.0","event":{"id":"\(type)-\(number)","type":"\(type)","app_user_id":"ana",
     "event_timestamp_ms":\((now - 1000 + number) * 1000),"product_id":"pro.monthly",
     "currency":"EUR","transaction_id":"20\(number)","original_transaction_id":"201",
     "purchased_at_ms":\((now + (end - 30) * day) * 1000),
     "expiration_at_ms":\((now + end * day) * 1000),"environment":"PRODUCTION",
     "price_in_purchased_currency":9.99\(rest)}}
    """
  }

  private static let support = #","cancel_reason":"CUSTOMER_SUPPORT""#

  static let lives = [
    Life(
      description: "renewed", format: .stripe,
      events: [invoice(1, until: -1), payment(1), invoice(2, until: 29), payment(2)], until: 29),
    Life(
      description: "renewed, as it was said before", format: .stripe,
      events: [oldInvoice(1, until: 5), oldInvoice(2, until: 35), refunded(1)], until: 35),
    Life(
      description: "refunded", format: .stripe,
      events: [invoice(1, until: -1), invoice(2, until: 29), payment(2), refunded(2)], until: nil),
    Life(
      description: "refunded before the renewed time", format: .stripe,
      events: [invoice(1, until: 5), invoice(2, until: 35), payment(2), refunded(2)], until: nil),
    Life(
      description: "deleted, disputed and won", format: .stripe,
      events: [
        oldInvoice(1, until: 5), deleted(until: 5),
        dispute(1, "charge.dispute.created", "needs_response"),
        dispute(1, "charge.dispute.closed", "won"),
      ], until: nil),
    Life(
      description: "refunded in part, as it was said before", format: .stripe,
      events: [oldInvoice(1, until: 5), refunded(1, 300), refunded(1, 500)], until: nil),
    Life(
      description: "disputed and won", format: .stripe,
      events: [
        invoice(1, until: 5), payment(1),
        dispute(1, "charge.dispute.created", "needs_response"),
        dispute(1, "charge.dispute.closed", "won"),
      ], until: 5),
    Life(
      description: "deleted", format: .stripe,
      events: [invoice(1, until: -1), invoice(2, until: 29), deleted(until: 29)], until: nil),
    Life(
      description: "deleted and begun again", format: .stripe,
      events: [invoice(1, until: 5), deleted(until: 5), invoice(3, until: 30, of: "sub_2")],
      until: 30),
    Life(
      description: "deleted before its paid end", format: .stripe,
      events: [invoice(1, until: 5), invoice(2, until: 29), deleted(until: nil)], until: nil),
    Life(
      description: "deleted with another product", format: .stripe,
      events: [invoice(1, until: 5), invoice(2, until: 29), deleted(until: 29, price: "price_2")],
      until: nil),
    Life(
      description: "deleted with a product that is not sold", format: .stripe,
      events: [invoice(1, until: 5), deleted(until: 5, price: "price_9")], until: nil),
    Life(
      description: "deleted with another product before its paid end, and begun again",
      format: .stripe,
      events: [
        invoice(1, until: 5), deleted(until: nil, price: "price_2"),
        invoice(3, until: 30, of: "sub_2"),
      ], until: 30),
    Life(
      description: "renewed", format: .paddle,
      events: [paddle(1, until: -2), paddle(2, until: 28)], until: 28),
    Life(
      description: "charged back, and that reversed", format: .paddle,
      events: [
        paddle(1, until: 20), adjustment(1, "chargeback"), adjustment(1, "chargeback_reverse"),
      ], until: 20),
    Life(
      description: "refunded", format: .paddle,
      events: [paddle(1, until: -1), paddle(2, until: 29), adjustment(2, "refund")], until: nil),
    Life(
      description: "a trial and a month", format: .revenuecat,
      events: [
        revenueCat("INITIAL_PURCHASE", 1, until: -1), revenueCat("RENEWAL", 2, until: 29),
        revenueCat("CANCELLATION", 3, until: 29, #","cancel_reason":"UNSUBSCRIBE""#),
      ], until: 29),
    Life(
      description: "refunded by customer support", format: .revenuecat,
      events: [
        revenueCat("INITIAL_PURCHASE", 1, until: -3), revenueCat("RENEWAL", 2, until: 27),
        revenueCat("CANCELLATION", 2, until: 27, support),
      ], until: nil),
    Life(
      description: "expired early, and begun again", format: .revenuecat,
      events: [
        revenueCat("INITIAL_PURCHASE", 1, until: 3), revenueCat("EXPIRATION", 1, until: 3),
        revenueCat("RENEWAL", 2, until: 33),
      ], until: 33),
    Life(
      description: "expired", format: .revenuecat,
      events: [
        revenueCat("INITIAL_PURCHASE", 1, until: -40), revenueCat("RENEWAL", 2, until: -10),
        revenueCat("EXPIRATION", 2, until: -10),
      ], until: nil),
    Life(
      description: "ended by its developer", format: .revenuecat,
      events: [
        revenueCat("INITIAL_PURCHASE", 1, until: -3), revenueCat("RENEWAL", 2, until: 27),
        revenueCat("EXPIRATION", 5, until: -1),
      ], until: nil),
    Life(
      description: "renewed ahead, and ended before that begins", format: .revenuecat,
      events: [
        revenueCat("INITIAL_PURCHASE", 1, until: 2), revenueCat("RENEWAL", 2, until: 32),
        revenueCat("EXPIRATION", 5, until: 32),
      ], until: nil),
    Life(
      description: "ended by its developer, and bought again for longer", format: .revenuecat,
      events: [
        revenueCat("INITIAL_PURCHASE", 1, until: 20), revenueCat("EXPIRATION", 5, until: -1),
        revenueCat("RENEWAL", 8, until: 25),
      ], until: 25),
    Life(
      description: "ended by its developer, and bought again for less", format: .revenuecat,
      events: [
        revenueCat("INITIAL_PURCHASE", 1, until: 20), revenueCat("EXPIRATION", 5, until: -1),
        revenueCat("RENEWAL", 8, until: 15),
      ], until: 15),
    Life(
      description: "refunded, and that reversed", format: .revenuecat,
      events: [
        revenueCat("INITIAL_PURCHASE", 1, until: 20),
        revenueCat("CANCELLATION", 1, until: 20, support),
        revenueCat("REFUND_REVERSED", 1, until: 20).replacing(
          "000,\"product", with: "001,\"product"),
      ], until: 20),
    Life(
      description: "extended", format: .revenuecat,
      events: [
        revenueCat("INITIAL_PURCHASE", 1, until: 10),
        revenueCat("SUBSCRIPTION_EXTENDED", 1, until: 20),
      ], until: 20),
    Life(
      description: "extended, refunded, and that reversed", format: .revenuecat,
      events: [
        revenueCat("INITIAL_PURCHASE", 1, until: 10),
        revenueCat("SUBSCRIPTION_EXTENDED", 1, until: 20),
        revenueCat("CANCELLATION", 1, until: 20, support),
        revenueCat("REFUND_REVERSED", 1, until: 20).replacing(
          "000,\"product", with: "001,\"product"),
      ], until: 20),
    Life(
      description: "extended and refunded", format: .revenuecat,
      events: [
        revenueCat("INITIAL_PURCHASE", 1, until: 10),
        revenueCat("SUBSCRIPTION_EXTENDED", 1, until: 20),
        revenueCat("CANCELLATION", 1, until: 20, support),
      ], until: nil),
  ]

  @Test(arguments: lives) func anyOrderAndNumberComesToTheSame(_ life: Life) throws {
    for order in orders(life.events) {
      for events in [order, order + order, order + order.reversed() + order] {
        let books = MemoryBooks()
        try Self.deliver(events, of: life.format, to: books)
        let account = books.account("ana")
        let until = life.until.map { Int64(Self.now + $0 * Self.day) * 1000 }
        #expect(account?.subscriptions.active?.until.milliseconds == until, "\(events)")
        #expect(account?.plan == (until == nil ? nil : "pro"), "\(events)")
        #expect(account?.balance ?? 0 == (until == nil ? 0 : 30), "\(events)")
        let count = books.records.count
        try Self.deliver(order, of: life.format, to: books)
        #expect(books.records.count == count)
      }
    }
  }

  /// The invoices of a subscription that grants credits: each is a purchase, found by its payment.
  @Test func aPackByInvoicesIsGrantedByEach() throws {
    let events = [
      Self.invoice(1, until: 5), Self.payment(1), Self.invoice(2, until: 35), Self.payment(2),
      Self.refunded(2, 500), Self.deleted(until: 35),
    ]
    for order in orders(events) {
      let books = MemoryBooks()
      try Self.deliver(order + order, of: .stripe, products: ["price_1": "pack"], to: books)
      #expect(books.account("ana")?.balance == 150, "\(order)")
    }
  }

  /// A refusal names the missing member in the event's own words.
  @Test func aPlanWithoutAnEndIsRefused() throws {
    let end = #""end":\#(Self.now + 5 * Self.day)"#
    let event = Self.invoice(1, until: 5)
    let books = MemoryBooks()
    let nothing = event.replacing(end, with: #""end":null"#)
    let error = #expect(throws: CreditError.self) {
      try Self.deliver([nothing], of: .stripe, to: books)
    }
    guard case .path("period.end") = error?.details.first else {
      Issue.record("\(String(describing: error))")
      return
    }
    let unsaid = event.replacing(#""period""#, with: #""other""#)
    #expect(throws: CreditError.self) { try Self.deliver([unsaid], of: .stripe, to: books) }
    try Self.deliver([unsaid], of: .stripe, products: ["price_1": "pack"], to: books)
    #expect(books.account("ana")?.balance == 100)
  }

  /// An end without an account, or of a product without a plan, belongs to no account.
  @Test func anUnrelatedEndHasNoEffect() throws {
    let object = #"{"id":"sub_9","metadata":{},"items":{"data":[{"price":{"id":"price_9"}}]}}"#
    let books = MemoryBooks()
    try Self.deliver(
      [Self.stripe("customer.subscription.deleted", 1, object)], of: .stripe, to: books)
    try Self.deliver(
      [Self.deleted(until: 3)], of: .stripe, products: ["price_1": "pack"], to: books)
    #expect(books.records.isEmpty)
  }

  static func deliver(
    _ events: [String], of format: PaymentFormat,
    products: [String: Name] = [
      "price_1": "pro.monthly", "price_2": "pro.yearly", "pri_1": "pro.monthly",
    ],
    to books: MemoryBooks
  ) throws {
    var policy = Policy(
      prices: try PriceCatalog(
        models: [],
        products: [
          Product(id: "pro.monthly", name: "Pro", credits: 0, plan: "pro"),
          Product(id: "pro.yearly", name: "Pro", credits: 0, plan: "pro"),
          Product(id: "pack", name: "100", credits: 100),
        ]))
    policy.plans = [Plan(id: "pro", quota: 30, period: .subscription)]
    policy.starterCredits = 0
    let ledger = Ledger(
      books: books, policy: policy, systemTime: Timestamp(milliseconds: Int64(now) * 1000)
    ) { _ in "id" }
    var source = PaymentSource(format: format, secretFile: "secret")
    source.products = products
    for event in events {
      let request = try EventReader.read(EventDelivery(body: Array(event.utf8)), of: source)
      _ = try ledger.perform(.payment(request))
    }
  }
}
