/// The members of requests that no flag fills in: ``RequestReader`` reads them.
package enum RequestShape {
  /// When a request happens: a simulated clock alone takes it.
  package static let now = JSONMember(
    "now", .value(.timeOrDay), isRequired: false,
    summary: "When it happens, if the policy's clock is simulated")

  /// What requests with a usage may have besides.
  package static let ofUsage: [JSONMember] = [
    JSONMember(
      "serviceTier", .any, isRequired: false,
      summary: "The service tier, where the usage does not say it"),
    JSONMember(
      "reportedUSD", .value(.numberOrDecimal), isRequired: false,
      summary: "What the provider says that it cost, in dollars"),
    JSONMember(
      "unread", .list(.value(.text)), isRequired: false,
      summary: "What was not read of a provider's usage"),
  ]

  /// Members of providers' responses whose names are like those of a request's own.
  package static let ofProviders = [
    "completed_at", "expires_at", "part", "service_tier", "updated_at", "user",
  ]

  /// StoreKit's news, by the names that Apple and its clients give them.
  package static let ofStoreKit: [JSONMember] =
    (RequestReader.transactionTexts + RequestReader.notificationTexts
    + ["app_account_token", "product_id", "productId"])
    .map { JSONMember("\($0)", .value(.text)).optional }
    + RequestReader.ownIDs.map {
      JSONMember("\($0)", .anyOf([.value(.text), .value(.integer)])).optional
    }
}
