@testable import CreditModel
@testable import TestSupport

/// Common steps and checks of subscriptions' tests.
extension LedgerFixture {
  /// A payment for a plan until a number of days from now.
  func payment(
    _ id: Name, _ product: Name = "sub", days: Int64,
    _ configure: (inout TopUpRequest) -> Void = { _ in }
  ) -> GateRequest {
    topUp(id: id, .product(product, quantity: 1)) {
      $0.terms.expiry = .at(now.adding(.seconds(days * 86_400)) ?? .latest)
      configure(&$0)
    }
  }

  func pay(
    _ id: Name, _ product: Name = "sub", days: Int64,
    _ configure: (inout TopUpRequest) -> Void = { _ in }
  ) throws {
    _ = try perform(payment(id, product, days: days, configure))
  }

  func pass(hours: Int64) { now = now.adding(.seconds(hours * 3600)) ?? .latest }

  /// A dispute of a payment is lost or won, some seconds after the beginning of time.
  func dispute(_ id: Name, isTaken: Bool, _ seconds: Int64) throws {
    let at = Timestamp(milliseconds: seconds * 1000)
    var change = PaymentChange(
      transaction: id, .dispute(PaymentDispute(id: "d", isTaken: isTaken, at: at)))
    change.paid = 999
    let event = LedgerPaymentTests.event("\(id.text)-\(seconds)", seconds, change)
    _ = try perform(.payment(event))
  }

  /// Loses a dispute of a payment, or wins it later.
  func dispute(_ id: Name, isTaken: Bool) throws {
    try dispute(id, isTaken: isTaken, isTaken ? 1 : 2)
  }
}
