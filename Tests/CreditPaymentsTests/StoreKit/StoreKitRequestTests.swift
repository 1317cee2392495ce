import CreditModel
import Testing

@testable import CreditCommand
@testable import CreditPayments

/// The forms of StoreKit's news among requests.
@Suite struct StoreKitRequestTests {
  private func form(_ text: String, _ flags: String...) throws -> StoreKitForm? {
    let context = RequestContext(
      flags: try RequestFlags(ArgumentParser(.topup).parse(flags)),
      under: Policy(prices: PriceCatalog()))
    return try JSONDocument(text).withRoot {
      try RequestReader(.value($0), context).storeKitForm()
    }
  }

  @Test func recognisesForms() throws {
    #expect(try form(#"{"signedTransactionInfo":"eyJ.e.e"}"#) == .signedTransaction("eyJ.e.e"))
    #expect(try form(#"{"jwsRepresentation":"x"}"#) == .signedTransaction("x"))
    #expect(try form(#"{"transaction_data":" {\"a\":1}"}"#) == .transaction(#" {"a":1}"#))
    #expect(try form(#"{"transactionId":"1"}"#) == .transaction(nil))
    #expect(try form(#"{"original_transaction_id":"1"}"#) == .transaction(nil))
    #expect(try form(#"{"signedPayload":"x"}"#) == .signedNotification("x"))
    #expect(try form(#"{"account":"a","product":"p","key":"k"}"#) == nil)
  }

  @Test(arguments: [
    #"{"signedPayload":"x","transaction_data":"y"}"#, #"{"transactionId":"1","credits":5}"#,
    #"{"transactionId":"1","transaction":"1"}"#, #"{"jwsRepresentation":"x","key":"k"}"#,
    #"{"jwsRepresentation":5}"#, #"{"signedPayload":null}"#,
  ])
  func refusesMixtures(text: String) {
    #expect(throws: CreditError.self) { try form(text) }
  }

  @Test func refusesFlagsOfOurOwn() {
    #expect(throws: CreditError.self) { try form(#"{"transactionId":"1"}"#, "--key", "k") }
  }
}
