import CreditModel
import Testing

@testable import CreditPayments
@testable import TestSupport

/// Numbers and texts that events must not have.
extension EventReaderTests {
  @Test func refusalsNameTheMember() {
    let body = Self.stripe(
      "checkout.session.completed",
      Self.session("paid").replacing(#""quantity":"2""#, with: #""quantity":"none""#))
    let error = #expect(throws: CreditError.self) { try Self.read(.stripe, body) }
    #expect(
      error?.message.hasPrefix(#"event evt_1 (payment pi_1 of "ana", 250.00 USD): "#) == true)
  }

  @Test func aTransferMovesNoCredits() throws {
    let body = """
      {"event":{"id":"e","type":"TRANSFER","event_timestamp_ms":1658726378679,
       "transferred_from":["ana"],"transferred_to":["ben"]},"api_version":"1.0"}
      """
    #expect(Self.text(try Self.read(.revenuecat, body)) == "not_moved")
  }

  /// An inquiry may become a dispute of the same id.
  @Test(arguments: [
    ("funds_withdrawn", "needs_response", "pi_1=ch_1 disputed"),
    ("updated", "under_review", "pi_1=ch_1 disputed"),
    ("updated", "warning_under_review", "inquiry"),
    ("funds_reinstated", "under_review", "pi_1=ch_1 won"),
    ("funds_reinstated", "lost", "pi_1=ch_1 disputed"),
  ])
  func aDisputeTakesMoney(_ type: String, _ status: String, _ says: String) throws {
    let body = Self.stripe(
      "charge.dispute.\(type)",
      #"{"id":"dp_1","charge":"ch_1","payment_intent":"pi_1","status":"\#(status)"}"#)
    #expect(Self.text(try Self.read(.stripe, body)) == says)
  }

  /// Each API version has another place for the mark of a part of a period.
  @Test(arguments: [
    #""proration":true"#,
    #""parent":{"invoice_item_details":{"proration":true},"subscription_item_details":null}"#,
    #""parent":{"subscription_item_details":{"proration":true,"subscription":"sub_1"}}"#,
  ])
  func aLineMayBeOfAPart(_ mark: String) throws {
    let body = Self.stripe(
      "invoice.paid",
      #"{"id":"in_1","amount_paid":2000,"currency":"usd","metadata":{"account":"ana"},"#
        + #""lines":{"data":[{"id":"il_1","amount":2000,"quantity":1,"price":"price_1",\#(mark),"#
        + #""subscription":"sub_1","period":{"start":1763892000,"end":1766484000}}]}}"#)
    #expect(
      Self.text(try Self.read(.stripe, body))
        == "in_1 part of completed pack×1 of ana for 20.00 USD until 2025-12-23")
  }

  @Test func anEventsTypeDiffersFromItsObjects() throws {
    for type in ["card", "charge.refunded"] {
      let body = Self.stripe("payment_method.attached", #"{"id":"pm_1","type":"\#(type)"}"#)
      let request = try Self.read(.stripe, body)
      #expect(request.event.type == "payment_method.attached")
      #expect(request.changes.isEmpty)
    }
  }

  @Test func thePolicyMayNameOtherPathsOfAnItem() throws {
    let body = """
      {"event_id":"evt_1","event_type":"transaction.completed",
       "occurred_at":"2024-04-12T10:18:49Z","data":{"id":"txn_1",
       "custom_data":{"pack":"small","count":3},
       "customer_id":"ana","currency_code":"USD",
       "details":{"line_items":[{"id":"item","price_id":"pri_1","quantity":2,
       "totals":{"total":"100"},"product":{"id":"large"}}]}}}
      """
    var source = Self.source(.paddle)
    source.accountFrom = ["data.customer_id"]
    func says(_ paths: [String], of quantity: [String] = []) throws -> String {
      (source.productFrom, source.quantityFrom) = (paths, quantity)
      let delivery = EventDelivery(body: Array(body.utf8))
      return Self.text(try EventReader.read(delivery, of: source))
    }
    let end = " of ana for 1.00 USD"
    #expect(try says([]) == "txn_1/item completed pack×2" + end)
    #expect(try says(["product.id"]) == "txn_1/item completed large×2" + end)
    #expect(try says(["custom_data.pack"]) == "txn_1/item completed small×2" + end)
    #expect(try says(["data.custom_data.pack"]) == "txn_1/item completed small×2" + end)
    #expect(try says([], of: ["none"]) == "txn_1/item completed pack×2" + end)
    #expect(try says([], of: ["custom_data.count"]) == "txn_1/item completed pack×3" + end)
    let error = #expect(throws: CreditError.self) { try says(["none", "nor this"]) }
    #expect(error?.message.contains("none, nor this") == true)
  }

  @Test func numbersAndIdsHaveTheirLimits() {
    func revenueCat(_ time: String, price: String = "9.99") -> String {
      """
      {"event":{"id":"e","type":"NON_RENEWING_PURCHASE","event_timestamp_ms":\(time),\
      "app_user_id":"ana","product_id":"pack","transaction_id":"1","currency":"USD",\
      "price_in_purchased_currency":\(price)}}
      """
    }
    for price in [#""x""#, "-1", "[]", "true", "null"] {
      let body = revenueCat("1", price: price)
      #expect(throws: CreditError.self) { try Self.read(.revenuecat, body) }
    }
    #expect(throws: Never.self) { try Self.read(.revenuecat, revenueCat("253402300799999")) }
    for time in ["253402300800000", "9223372036854775807", "-1", "1.5"] {
      #expect(throws: CreditError.self) { try Self.read(.revenuecat, revenueCat(time)) }
    }
    let long = String(repeating: "a", count: 130)
    let line = #"{"id":"\#(long)","amount":1,"quantity":1,"price":"price_1"}"#
    let invoice = #"{"id":"\#(long)","lines":{"data":[\#(line)]}}"#
    let body = Self.stripe("invoice.paid", invoice)
    let error = #expect(throws: CreditError.self) { try Self.read(.stripe, body) }
    #expect(error?.code == .invalidRequest)
  }

  @Test func hostileTextIsRefused() {
    let deep = String(repeating: "[", count: 100_000)
    let bodies = [
      "", "\0", "[]", "1", "{\"type\":\"a\0\"}", deep, "{\"a\":\(deep)", "{\"a\":1,\"a\":1}",
    ]
    for body in bodies {
      for format in PaymentFormat.allCases {
        #expect(throws: CreditError.self) { try Self.read(format, body) }
      }
    }
  }

  /// Cut, doubled or replaced text gives an error or a request, and never a trap.
  @Test(arguments: 0..<4) func noTextIsATrap(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "null", "-1", "1e400", "\"\"", "{}", "[]", "true", "9223372036854775808", "\"\\u0000\"",
    ]
    var errorCount = 0
    for event in Self.events {
      for _ in 0..<100 {
        var bytes = Array(event.body.utf8)
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.removeSubrange(place..<min(bytes.count, place + 5))
        case 2:
          let piece = pieces.randomElement(using: &random) ?? ""
          guard let colon = bytes[place...].firstIndex(of: UInt8(ascii: ":")) else { continue }
          let end = bytes[(colon + 1)...].firstIndex { ",}]".utf8.contains($0) } ?? bytes.count
          bytes.replaceSubrange((colon + 1)..<end, with: piece.utf8)
        default: bytes += bytes[place...]
        }
        let delivery = EventDelivery(body: bytes)
        do {
          _ = try EventReader.read(delivery, of: Self.source(event.format))
        } catch {
          errorCount += 1
        }
      }
    }
    #expect(errorCount > 0)
  }
}
