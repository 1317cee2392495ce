import CreditModel
import Testing

@testable import CreditPayments
@testable import TestSupport

/// A purchase's life by each provider: after any order and number of its events the account is the
/// same.
@Suite struct EventOrderTests {
  /// A provider's events of one purchase of 100 credits, and the credits left in the end.
  struct Life: Sendable, CustomStringConvertible {
    let description: String
    let format: PaymentFormat
    let events: [String]
    let left: Credits
  }

  private static func stripe(_ type: String, _ time: Int, _ object: String) -> String {
    """
    {"id":"evt_\(type)_\(time)","object":"event","type":"\(type)","created":\(1_763_892_000 + time),
     "livemode":true,"data":{"object":\(object)}}
    """
  }

  private static func session(_ status: String, invoice: String = "null") -> String {
    """
    {"id":"cs_1","mode":"payment","payment_status":"\(status)","payment_intent":"pi_1",
     "client_reference_id":"ana","metadata":{"product":"pack"},"amount_total":1000,"currency":"usd",
     "invoice":\(invoice)}
    """
  }

  /// A payment intent that names account and product itself.
  private static let intent = """
    {"id":"pi_1","amount":1000,"amount_received":1000,"currency":"usd",
     "metadata":{"account":"ana","product":"pack"}}
    """

  /// One whose session or invoice names the product.
  private static let bareIntent =
    #"{"id":"pi_1","amount":1000,"amount_received":1000,"currency":"usd","metadata":{}}"#

  private static func charge(refunded: Int) -> String {
    """
    {"id":"ch_1","payment_intent":"pi_1","amount":1000,"amount_refunded":\(refunded),
     "currency":"usd"}
    """
  }

  private static func refund(_ id: String, _ amount: Int, _ status: String = "succeeded") -> String
  {
    """
    {"id":"\(id)","payment_intent":"pi_1","charge":"ch_1","amount":\(amount),"currency":"usd",
     "status":"\(status)"}
    """
  }

  private static func dispute(_ status: String) -> String {
    #"{"id":"dp_1","payment_intent":"pi_1","charge":"ch_1","amount":1000,"status":"\#(status)"}"#
  }

  private static func line(_ id: String, _ amount: Int, _ credits: Int) -> String {
    """
    {"id":"\(id)","amount":\(amount),"quantity":\(credits / 10),
     "pricing":{"price_details":{"price":"price_1"}}}
    """
  }

  private static func invoice(_ lines: String...) -> String {
    """
    {"id":"in_1","amount_paid":1000,"currency":"usd","metadata":{"account":"ana"},
     "lines":{"data":[\(lines.joined(separator: ","))],"has_more":false}}
    """
  }

  private static let invoicePayment = """
    {"id":"inpay_1","invoice":"in_1","status":"paid",
     "payment":{"type":"payment_intent","payment_intent":"pi_1"}}
    """

  private static func paddle(_ type: String, _ time: Int, _ data: String) -> String {
    """
    {"event_id":"evt_\(type)_\(time)","event_type":"\(type)",
     "occurred_at":"2026-02-19T10:0\(time):00Z","data":\(data)}
    """
  }

  private static let transaction = """
    {"id":"txn_1","currency_code":"USD","custom_data":{"account":"ana"},"details":{"line_items":[
     {"id":"txnitm_1","price_id":"pri_1","quantity":6,"totals":{"total":"600"}},
     {"id":"txnitm_2","price_id":"pri_1","quantity":4,"totals":{"total":"400"}}]}}
    """

  private static func adjustment(
    _ id: String, _ action: String, _ status: String, _ amount: Int, _ time: Int
  ) -> String {
    """
    {"id":"\(id)","action":"\(action)","status":"\(status)","transaction_id":"txn_1",
     "created_at":"2026-02-19T10:0\(time):00Z","items":[{"item_id":"txnitm_1",
     "totals":{"total":"\(amount)"}}]}
    """
  }

  private static func revenueCat(_ type: String, _ time: Int, _ reason: String = "") -> String {
    """
    {"api_version":"1.0","event":{"id":"\(type)-\(time)","type":"\(type)","app_user_id":"ana",
     "event_timestamp_ms":\(1_763_892_000_000 + time),"product_id":"hundred","currency":"EUR",
     "transaction_id":"2000001","environment":"PRODUCTION","price_in_purchased_currency":9.99
     \(reason.isEmpty ? "" : ",\"cancel_reason\":\"\(reason)\"")}}
    """
  }

  private static func polar(_ type: String, _ time: Int, refunded: Int) -> String {
    """
    {"type":"order.\(type)","timestamp":"2026-02-19T10:0\(time):00Z","data":{"id":"ord_1",
     "product_id":"prod_1","total_amount":1000,"refunded_amount":\(refunded),"currency":"usd",
     "metadata":{"account":"ana"}}}
    """
  }

  static let lives = [
    Life(
      description: "paid late, refunded in parts", format: .stripe,
      events: [
        stripe("checkout.session.completed", 0, session("unpaid")),
        stripe("checkout.session.async_payment_succeeded", 9, session("paid")),
        stripe("charge.refunded", 20, charge(refunded: 300)),
        stripe("refund.created", 20, refund("re_1", 300)),
        stripe("charge.refunded", 30, charge(refunded: 500)),
      ], left: 50),
    Life(
      description: "captured later, by a payment that names no product", format: .stripe,
      events: [
        stripe("checkout.session.completed", 0, session("unpaid")),
        stripe("payment_intent.succeeded", 9, bareIntent),
        stripe("charge.refunded", 20, charge(refunded: 300)),
        stripe("refund.updated", 20, refund("re_1", 300)),
        stripe("charge.dispute.closed", 30, dispute("won")),
      ], left: 70),
    Life(
      description: "all events of one payment", format: .stripe,
      events: [
        stripe("checkout.session.completed", 0, session("paid", invoice: #""in_1""#)),
        stripe("payment_intent.succeeded", 0, bareIntent),
        stripe("invoice.paid", 1, invoice(line("a", 500, 50), line("b", 500, 50))),
        stripe("charge.refunded", 20, charge(refunded: 400)),
        stripe("refund.updated", 20, refund("re_1", 400)),
        stripe("charge.dispute.closed", 30, dispute("won")),
      ], left: 60),
    Life(
      description: "captured in part, and what was left is released", format: .stripe,
      events: [
        stripe(
          "payment_intent.succeeded", 0,
          intent.replacing(#"received":1000"#, with: #"received":800"#)),
        stripe(
          "charge.refunded", 0,
          charge(refunded: 200).replacing("{", with: #"{"amount_captured":800,"#)),
        stripe(
          "charge.refunded", 9,
          charge(refunded: 400).replacing("{", with: #"{"amount_captured":800,"#)),
      ], left: 75),
    Life(
      description: "a refund that fails", format: .stripe,
      events: [
        stripe("checkout.session.completed", 0, session("paid")),
        stripe("refund.created", 20, refund("re_1", 300, "pending")),
        stripe("charge.refunded", 20, charge(refunded: 300)),
        stripe("refund.failed", 90, refund("re_1", 300, "failed")),
      ], left: 100),
    Life(
      description: "a dispute that is won", format: .stripe,
      events: [
        stripe("checkout.session.completed", 0, session("paid")),
        stripe("charge.dispute.created", 20, dispute("warning_needs_response")),
        stripe("charge.dispute.created", 30, dispute("needs_response")),
        stripe("charge.dispute.closed", 90, dispute("won")),
        stripe("charge.refunded", 95, charge(refunded: 100)),
      ], left: 90),
    Life(
      description: "an invoice of three lines, refunded", format: .stripe,
      events: [
        stripe(
          "invoice.paid", 0,
          invoice(line("a", 500, 50), line("b", 300, 30), line("c", 200, 20))),
        stripe("invoice_payment.paid", 0, invoicePayment),
        stripe("payment_intent.succeeded", 0, #"{"id":"pi_1","amount":1000,"metadata":{}}"#),
        stripe("refund.created", 20, refund("re_1", 400)),
        stripe("charge.refunded", 20, charge(refunded: 400)),
      ], left: 60),
    Life(
      description: "an invoice of one line, disputed", format: .stripe,
      events: [
        stripe("invoice.paid", 0, invoice(line("a", 1000, 100))),
        stripe("invoice_payment.paid", 0, invoicePayment),
        stripe("charge.dispute.created", 30, dispute("needs_response")),
        stripe("charge.dispute.closed", 90, dispute("lost")),
      ], left: 0),
    Life(
      description: "a session that makes an invoice, late", format: .stripe,
      events: [
        stripe("checkout.session.completed", 0, session("unpaid", invoice: #""in_1""#)),
        stripe("checkout.session.async_payment_succeeded", 9, session("paid", invoice: "null")),
        stripe("invoice.paid", 9, invoice(line("a", 1000, 100))),
        stripe("invoice_payment.paid", 9, invoicePayment),
        stripe("charge.refunded", 20, charge(refunded: 400)),
      ], left: 60),
    Life(
      description: "a session that makes an invoice of two lines", format: .stripe,
      events: [
        stripe("checkout.session.completed", 0, session("paid", invoice: #""in_1""#)),
        stripe("payment_intent.succeeded", 0, intent),
        stripe("invoice.paid", 1, invoice(line("a", 500, 50), line("b", 500, 50))),
        stripe("charge.refunded", 20, charge(refunded: 400)),
      ], left: 60),
    Life(
      description: "an invoice, and its payment that says what was bought", format: .stripe,
      events: [
        stripe("payment_intent.payment_failed", 0, intent),
        stripe("payment_intent.succeeded", 5, intent),
        stripe("invoice.paid", 5, invoice(line("a", 1000, 100))),
        stripe("invoice_payment.paid", 5, invoicePayment),
        stripe("refund.created", 20, refund("re_1", 400)),
      ], left: 60),
    Life(
      description: "refunded and charged back", format: .paddle,
      events: [
        paddle("transaction.completed", 0, transaction),
        paddle("adjustment.created", 1, adjustment("adj_1", "refund", "pending_approval", 300, 1)),
        paddle("adjustment.updated", 2, adjustment("adj_1", "refund", "approved", 300, 1)),
        paddle("adjustment.created", 3, adjustment("adj_2", "chargeback", "approved", 600, 3)),
        paddle(
          "adjustment.created", 4,
          adjustment("adj_3", "chargeback_reverse", "approved", 600, 4)),
      ], left: 70),
    Life(
      description: "a refund that is rejected", format: .paddle,
      events: [
        paddle("transaction.completed", 0, transaction),
        paddle("adjustment.created", 1, adjustment("adj_1", "refund", "pending_approval", 300, 1)),
        paddle("adjustment.updated", 2, adjustment("adj_1", "refund", "rejected", 300, 1)),
        paddle("adjustment.created", 3, adjustment("adj_4", "credit", "approved", 300, 3)),
      ], left: 100),
    Life(
      description: "a purchase in an app, refunded", format: .revenuecat,
      events: [
        revenueCat("NON_RENEWING_PURCHASE", 0), revenueCat("CANCELLATION", 1, "UNSUBSCRIBE"),
        revenueCat("CANCELLATION", 2, "CUSTOMER_SUPPORT"), revenueCat("TRANSFER", 3),
      ], left: 0),
    Life(
      description: "a purchase in an app, kept", format: .revenuecat,
      events: [
        revenueCat("NON_RENEWING_PURCHASE", 0), revenueCat("CANCELLATION", 1, "UNSUBSCRIBE"),
        revenueCat("BILLING_ISSUE", 2),
      ], left: 100),
    Life(
      description: "an order refunded in parts", format: .standard,
      events: [
        polar("created", 0, refunded: 0), polar("paid", 1, refunded: 0),
        polar("refunded", 2, refunded: 250), polar("refunded", 3, refunded: 600),
        polar("updated", 4, refunded: 600),
      ], left: 40),
  ]

  @Test(arguments: lives) func anyOrderAndNumberComesToTheSame(_ life: Life) throws {
    for order in orders(life.events) {
      let books = MemoryBooks()
      try Self.deliver(order, of: life.format, to: books)
      #expect(books.account("ana")?.balance == life.left, "\(order)")
      let count = books.records.count
      try Self.deliver(order.reversed() + order, of: life.format, to: books)
      #expect(books.records.count == count, "\(order)")
    }
  }

  private static func source(_ format: PaymentFormat) -> PaymentSource {
    var source = EventReaderTests.source(format)
    source.products = ["price_1": "ten", "pri_1": "ten", "prod_1": "hundred", "pack": "hundred"]
    if format == .standard { source.productFrom = ["data.product_id"] }
    return source
  }

  private static func deliver(_ events: [String], of format: PaymentFormat, to books: MemoryBooks)
    throws
  {
    var policy = Policy(
      prices: try PriceCatalog(
        models: [],
        products: [
          Product(id: "ten", name: "10 credits", credits: 10),
          Product(id: "hundred", name: "100 credits", credits: 100),
        ]))
    policy.starterCredits = 0
    let ledger = Ledger(
      books: books, policy: policy, systemTime: Timestamp(milliseconds: 1_771_495_200_000)
    ) { _ in "id" }
    for event in events {
      let request = try EventReader.read(
        EventDelivery(body: Array(event.utf8)), of: source(format))
      _ = try ledger.perform(.payment(request))
    }
  }
}
