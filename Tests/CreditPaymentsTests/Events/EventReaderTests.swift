import CreditModel
import Testing

@testable import CreditPayments
@testable import TestSupport

/// The meaning of events, with bodies in the shapes of the providers' documentation.
@Suite struct EventReaderTests {
  static func source(_ format: PaymentFormat) -> PaymentSource {
    var source = PaymentSource(format: format, secretFile: "secret")
    source.products = ["plink_1": "pack", "price_1": "pack", "pri_1": "pack"]
    source.body.types = ["order.paid": .purchase, "order.refunded": .refund]
    source.body.amountFrom = ["data.total_amount"]
    source.body.refundedFrom = ["data.refunded_amount"]
    source.body.currencyFrom = ["data.currency"]
    return source
  }

  static func read(_ format: PaymentFormat, _ body: String) throws(CreditError)
    -> PaymentRequest
  {
    try EventReader.read(EventDelivery(body: Array(body.utf8)), of: source(format))
  }

  /// A request in words: its effects, payment and amounts.
  static func text(_ request: PaymentRequest) -> String {
    if request.changes.isEmpty { return request.reason ?? "nothing" }
    return request.changes.map { change in
      let effect =
        switch change.effect {
        case .purchase(let status, _): status.rawValue
        case .refund(let refund): "\(refund.isFailed ? "failed " : "")refund \(refund.amount)"
        case .refunded(let amount): "refunded \(amount)"
        case .dispute(let dispute): dispute.isTaken ? "disputed" : "won"
        case .linked: "linked"
        case .owner: "owned"
        case .unused: "unused"
        case .ended: "ended"
        }
      let what = change.product.map { " \($0.text)×\(change.quantity)" } ?? ""
      let whose = change.account.map { " of \($0.text)" } ?? ""
      let price = change.price.map { " for \($0) \(change.currency ?? "")" } ?? ""
      let period = change.period.map { " until \($0.until.text.prefix(10))" } ?? ""
      let part = change.isProrated ? "part of " : ""
      let ids = ([change.transaction] + change.others).map(\.text).joined(separator: "=")
      return "\(ids) \(part)\(effect)\(what)\(whose)\(price)\(period)"
    }.joined(separator: ", ")
  }

  static func stripe(_ type: String, _ object: String) -> String {
    """
    {"id":"evt_1","object":"event","api_version":"2025-03-31.basil","created":1763892000,
     "data":{"object":\(object)},"livemode":true,"pending_webhooks":1,"request":null,
     "type":"\(type)"}
    """
  }

  /// An invoice after a change with `create_prorations`: the old price's unused time, the new one's
  /// rest of the period, and the next period.
  static func proration(_ amounts: Int...) -> String {
    let ends = [1_766_484_000, 1_766_484_000, 1_769_076_000]
    let lines = amounts.indices.map { place in
      #"{"id":"il_\#(place)","amount":\#(amounts[place]),"quantity":1,"subscription":"sub_1","#
        + #""period":{"start":\#(place < 2 ? 1_765_000_000 : ends[1]),"end":\#(ends[place])},"#
        + #""pricing":{"price_details":{"price":"price_\#(place == 0 ? 0 : 1)"}}}"#
    }
    return #"{"id":"in_1","amount_paid":\#(amounts.reduce(0, +)),"currency":"usd","metadata":"#
      + #"{"account":"ana"},"lines":{"has_more":false,"data":[\#(lines.joined(separator: ","))]}}"#
  }

  static func session(_ status: String, _ payment: String = "\"pi_1\"") -> String {
    """
    {"id":"cs_1","object":"checkout.session","amount_total":25000,"client_reference_id":"ana",
     "currency":"usd","customer_details":{"email":"a@example.com"},"livemode":true,
     "metadata":{"quantity":"2"},"mode":"payment","payment_intent":\(payment),
     "payment_link":"plink_1","payment_status":"\(status)","status":"complete"}
    """
  }

  /// Bodies by their formats, with their meanings.
  static let events: [(format: PaymentFormat, body: String, says: String)] = [
    (
      .stripe, stripe("checkout.session.completed", session("paid")),
      "pi_1=cs_1 completed pack×2 of ana for 250.00 USD"
    ),
    (
      .stripe, stripe("checkout.session.completed", session("unpaid")),
      "pi_1=cs_1 pending pack×2 of ana for 250.00 USD"
    ),
    (
      .stripe, stripe("checkout.session.completed", session("no_payment_required", "null")),
      "cs_1 completed pack×2 of ana for 250.00 USD"
    ),
    (
      .stripe,
      stripe("checkout.session.completed", session("paid", #"{"id":"pi_2","object":"x"}"#)),
      "pi_2=cs_1 completed pack×2 of ana for 250.00 USD"
    ),
    (
      .stripe, stripe("checkout.session.async_payment_failed", session("unpaid")),
      "pi_1=cs_1 failed pack×2 of ana for 250.00 USD"
    ),
    (
      .stripe,
      stripe(
        "checkout.session.completed",
        #"{"id":"cs_1","mode":"payment","payment_status":"paid","payment_intent":"pi_1","#
          + #""client_reference_id":"ana","payment_link":"plink_1","invoice":"in_1","#
          + #""amount_total":2500,"currency":"eur"}"#),
      "pi_1=cs_1=in_1 completed pack×1 of ana for 25.00 EUR"
    ),
    (.stripe, stripe("checkout.session.completed", #"{"id":"cs_1","mode":"setup"}"#), "no_payment"),
    (
      .stripe,
      stripe(
        "payment_intent.succeeded",
        #"{"id":"pi_1","amount":500,"amount_received":500,"currency":"jpy","#
          + #""metadata":{"account":"ana","product":"pack"}}"#),
      "pi_1 completed pack×1 of ana for 500 JPY"
    ),
    (
      .stripe, stripe("payment_intent.succeeded", #"{"id":"pi_1","amount":500,"metadata":{}}"#),
      "pi_1 completed"
    ),
    (
      .stripe,
      stripe(
        "charge.refunded",
        #"{"id":"ch_1","amount":500,"amount_refunded":200,"payment_intent":"pi_1"}"#),
      "pi_1=ch_1 refunded 200"
    ),
    (
      .stripe,
      stripe(
        "charge.refunded",
        #"{"id":"ch_1","amount":500,"amount_refunded":200,"payment_intent":null}"#),
      "ch_1 refunded 200"
    ),
    (
      .stripe,
      stripe(
        "refund.updated",
        #"{"id":"re_1","amount":200,"charge":"ch_1","payment_intent":"pi_1","status":"failed"}"#),
      "pi_1=ch_1 failed refund 200"
    ),
    (
      .stripe,
      stripe(
        "charge.dispute.created",
        #"{"id":"dp_1","charge":"ch_1","payment_intent":"pi_1","status":"needs_response"}"#),
      "pi_1=ch_1 disputed"
    ),
    (
      .stripe,
      stripe(
        "charge.dispute.closed",
        #"{"id":"dp_1","charge":"ch_1","payment_intent":"pi_1","status":"won"}"#),
      "pi_1=ch_1 won"
    ),
    (
      .stripe,
      stripe(
        "invoice.paid",
        #"{"id":"in_1","amount_paid":2000,"currency":"kwd","#
          + #""parent":{"subscription_details":{"metadata":{"account":"ana"}}},"lines":{"data":["#
          + #"{"id":"il_1","amount":2000,"quantity":1,"#
          + #""pricing":{"price_details":{"price":"price_1","product":"prod_1"}}},"#
          + #"{"id":"il_2","amount":-100,"quantity":1,"pricing":null}]}}"#),
      "in_1 completed pack×1 of ana for 2.000 KWD"
    ),
    (
      .stripe,
      stripe(
        "invoice.paid",
        #"{"id":"in_1","amount_paid":3000,"currency":"usd","payment_intent":"pi_1","#
          + #""metadata":{"account":"ana"},"lines":{"has_more":false,"data":["#
          + #"{"id":"il_1","amount":2000,"quantity":2,"price":{"id":"price_1"}},"#
          + #"{"id":"il_2","amount":1000,"quantity":1,"price":{"id":"price_1"}}]}}"#),
      "in_1/il_1=in_1=pi_1 completed pack×2 of ana for 20.00 USD, "
        + "in_1/il_2=in_1=pi_1 completed pack×1 of ana for 10.00 USD"
    ),
    (
      .stripe,
      stripe(
        "invoice_payment.paid",
        #"{"id":"inpay_1","object":"invoice_payment","amount_paid":2000,"invoice":"in_1","#
          + #""payment":{"type":"payment_intent","payment_intent":"pi_1"},"status":"paid"}"#),
      "pi_1=in_1 linked"
    ),
    (
      .stripe,
      stripe(
        "invoice.paid",
        #"{"id":"in_1","amount_paid":2000,"currency":"usd","subscription":"sub_1","#
          + #""payment_intent":"pi_1","metadata":{"account":"ana"},"lines":{"data":["#
          + #"{"id":"il_1","amount":2000,"quantity":1,"price":{"id":"price_1"},"#
          + #""period":{"start":1763892000,"end":1766484000}}]}}"#),
      "in_1=pi_1 completed pack×1 of ana for 20.00 USD until 2025-12-23"
    ),
    (
      .stripe, stripe("invoice.paid", proration(-500, 1550, 3100)),
      "in_1/il_1=in_1 completed pack×1 of ana for 10.50 USD until 2025-12-23, "
        + "in_1/il_2=in_1 completed pack×1 of ana for 31.00 USD until 2026-01-22, "
        + "in_1/il_0 unused price_0×1 of ana until 2025-12-23"
    ),
    (
      .stripe, stripe("invoice.paid", proration(-2000, 500, 3100)),
      "in_1/il_1=in_1 completed pack×1 of ana for 0.00 USD until 2025-12-23, "
        + "in_1/il_2=in_1 completed pack×1 of ana for 16.00 USD until 2026-01-22, "
        + "in_1/il_0 unused price_0×1 of ana until 2025-12-23"
    ),
    (
      .stripe,
      stripe(
        "customer.subscription.deleted",
        #"{"id":"sub_1","metadata":{"account":"ana"},"items":{"data":[{"price":{"id":"price_1"},"#
          + #""current_period_end":1766484000}]}}"#),
      "sub_1 ended pack×1 of ana until 2025-12-23"
    ),
    (
      .stripe,
      stripe(
        "customer.subscription.deleted", #"{"id":"sub_1","current_period_end":1766484000}"#),
      "sub_1 ended until 2025-12-23"
    ),
    (
      .stripe,
      stripe(
        "customer.subscription.deleted",
        #"{"id":"sub_1","metadata":{"account":"ana"},"items":{"data":[{"price":{"id":"price_9"},"#
          + #""current_period_end":1766484000},{"price":{"id":"price_1"},"#
          + #""current_period_end":1766570400}]}}"#),
      "sub_1 ended price_9×1 of ana until 2025-12-23, sub_1 ended pack×1 of ana until 2025-12-24"
    ),
    (.stripe, stripe("customer.created", #"{"id":"cus_1"}"#), "no_payment"),
    (
      .paddle,
      """
      {"event_id":"evt_1","event_type":"transaction.completed",
       "occurred_at":"2024-04-12T10:18:49.621022Z","notification_id":"ntf_1","data":{"id":"txn_1",
       "status":"completed","currency_code":"USD","custom_data":{"account":"ana"},
       "details":{"line_items":[{"id":"txnitm_1","price_id":"pri_1","quantity":10,
       "totals":{"subtotal":"30000","tax":"2662","total":"32662"}}]}}}
      """,
      "txn_1/txnitm_1 completed pack×10 of ana for 326.62 USD"
    ),
    (
      .paddle,
      """
      {"event_id":"evt_2","event_type":"adjustment.updated",
       "occurred_at":"2024-04-13T10:18:49Z","data":{"id":"adj_1","action":"refund",
       "status":"rejected","transaction_id":"txn_1","items":[{"item_id":"txnitm_1",
       "type":"partial","amount":"100","totals":{"total":"109"}}]}}
      """,
      "txn_1/txnitm_1 failed refund 109"
    ),
    (
      .paddle,
      """
      {"event_id":"evt_3","event_type":"adjustment.created",
       "occurred_at":"2024-04-13T10:18:49Z","data":{"id":"adj_2","action":"chargeback_reverse",
       "status":"approved","transaction_id":"txn_1","created_at":"2024-04-13T10:18:48Z",
       "items":[{"item_id":"txnitm_1","type":"full","amount":"100","totals":{"total":"109"}}]}}
      """,
      "txn_1/txnitm_1 failed refund 109"
    ),
    (
      .revenuecat,
      """
      {"event":{"event_timestamp_ms":1658726378679,"product_id":"pack","app_user_id":"ana",
       "transaction_id":"123456789012345","environment":"PRODUCTION","currency":"USD",
       "price":4.99,"price_in_purchased_currency":4.99,"type":"NON_RENEWING_PURCHASE",
       "id":"12345678-1234-1234-1234-123456789012"},"api_version":"1.0"}
      """,
      "123456789012345 completed pack×1 of ana for 4.99 USD"
    ),
    (
      .standard,
      """
      {"type":"order.refunded","timestamp":"2026-02-19T10:00:00Z","data":{"id":"ord_1",
       "total_amount":1000,"refunded_amount":250,"currency":"usd"}}
      """,
      "ord_1 refunded 250"
    ),
  ]

  @Test func eventsHaveTheirProvidersMeaning() throws {
    for event in Self.events {
      let request = try Self.read(event.format, event.body)
      #expect(Self.text(request) == event.says)
      #expect(request.event.format == event.format)
    }
  }

  @Test func anInvalidMemberIsNamed() {
    func path(_ body: String) -> String? {
      let error = #expect(throws: CreditError.self) { try Self.read(.stripe, body) }
      guard case .path(let path) = error?.details.first else { return nil }
      #expect(error?.code == .invalidRequest)
      return path
    }
    #expect(path(#"{"id":"evt_1","created":1}"#) == "type")
    #expect(path(#"{"type":"x","created":1,"data":{"object":{}}}"#) == "id")
    #expect(path(#"{"type":"x","id":"e","created":"1","data":{"object":{}}}"#) == "created")
    #expect(path(#"{"type":"x","id":7.5,"created":1,"data":{"object":{}}}"#) == "id")
    #expect(path(Self.stripe("charge.refunded", #"{"id":"ch_1"}"#)) == "amount_refunded")
    #expect(
      path(Self.stripe("charge.refunded", #"{"id":"ch_1","amount_refunded":-1}"#))
        == "amount_refunded")
    let invoice = Self.stripe("invoice.paid", #"{"id":"in_1","lines":{"data":{}}}"#)
    #expect(path(invoice) == "lines.data")
    let cut = Self.stripe("invoice.paid", #"{"id":"in_1","lines":{"data":[],"has_more":true}}"#)
    #expect(path(cut) == "amount_paid")
    let session = Self.stripe("checkout.session.completed", #"{"mode":"payment"}"#)
    #expect(path(session) == "payment_status")
    let status = Self.stripe("checkout.session.completed", Self.session("processing"))
    #expect(path(status) == "payment_status")
    // The event's own id is not that of its subject.
    #expect(path(Self.stripe("charge.refunded", #"{"amount_refunded":1,"amount":1}"#)) == "id")
    #expect(
      path(#"{"object":"event","id":"e","type":"charge.refunded","created":1,"data":[]}"#)
        == "data.object")
    let nul = Self.stripe("charge.refunded", #"{"id":"ch\u0000","amount_refunded":1,"amount":1}"#)
    #expect(path(nul) == "id")
    // Paddle's amounts are text, Stripe's are numbers.
    let text = Self.stripe(
      "checkout.session.completed", Self.session("paid").replacing("25000", with: "\"5\""))
    #expect(path(text) == "amount_total")
  }

  /// The catalog's price never replaces a missing amount of an event.
  @Test(arguments: [
    ("\"amount_total\":25000", "amount_total"), ("\"currency\":\"usd\"", "currency"),
    ("\"amount_paid\":100", "amount_paid"), ("\"amount\":70", "amount"),
    ("\"amount_received\":70", "amount_received"), ("\"currency_code\":\"USD\"", "currency_code"),
    ("\"total\":\"32662\"", "totals.total"),
    ("\"price_in_purchased_currency\":4.99", "price_in_purchased_currency"),
    ("\"currency\":\"USD\"", "currency"), ("\"total_amount\":1000", "data.total_amount"),
    ("\"currency\":\"chf\"", "data.currency"),
  ])
  func thePriceComesFromTheEvent(_ member: String, _ path: String) throws {
    let bodies =
      Self.events + [
        (
          .standard,
          """
          {"type":"order.paid","timestamp":"2026-02-19T10:00:00Z","data":{"id":"ord_1",
           "total_amount":1000,"currency":"chf","metadata":{"account":"ana","product":"pack"}}}
          """,
          "ord_1 completed pack×1 of ana for 10.00 CHF"
        ),
        (
          .stripe,
          Self.stripe(
            "payment_intent.succeeded",
            #"""
            {"id":"pi_1","amount":70,"amount_received":70,"currency":"usd",
             "metadata":{"account":"ana","product":"pack"}}
            """#),
          "pi_1 completed pack×1 of ana for 0.70 USD"
        ),
        (
          .stripe,
          Self.stripe(
            "invoice.paid",
            #"""
            {"id":"in_1","amount_paid":100,"currency":"usd","metadata":{"account":"ana"},
             "lines":{"data":[{"id":"il_1","amount":70,"price":{"id":"price_1"}}]}}
            """#),
          "in_1 completed pack×1 of ana for 1.00 USD"
        ),
      ]
    let name = member.prefix { $0 != ":" }
    var count = 0
    for event in bodies where event.says.contains("completed") && event.body.contains(member) {
      #expect(Self.text(try Self.read(event.format, event.body)) == event.says)
      for other in ["\(name):null", "\"other\":1"] {
        // An intent without a received amount has the amount.
        if name == "\"amount_received\"", other == "\"other\":1" { continue }
        if name == "\"amount\"", event.body.contains("amount_received") { continue }
        let body = event.body.replacing(member, with: other)
        let error = #expect(throws: CreditError.self) { try Self.read(event.format, body) }
        #expect(error?.code == .invalidRequest)
        guard case .path(path) = error?.details.first else {
          Issue.record("\(body): \(String(describing: error))")
          continue
        }
        count += 1
      }
    }
    #expect(count > 0)
  }
}
