/// Source of a policy's payment events: their signer, and the paths to their facts.
package struct PaymentSource: Hashable, Sendable {
  package var format: PaymentFormat
  /// The file of the secrets, relative to the folder of secrets. A secret is never in a policy.
  package var secretFile: String
  /// How far the time of a signature may be from the store's clock.
  package var tolerance = TimeSpan.seconds(300)
  /// Paths of members that name the account; the first one present counts.
  ///
  /// Empty for the format's own.
  package var accountFrom: [String] = []
  package var productFrom: [String] = []
  package var quantityFrom: [String] = []
  /// The products of the catalog, by the provider's names for them.
  package var products: [String: Name] = [:]
  /// Whether events of a provider's test mode are refused.
  package var isLiveOnly = false
  /// True if a sale of something else is an error.
  package var isOnlyOurs = false
  /// What the bodies of Standard Webhooks mean.
  package var body = StandardBody()

  /// What the body of an event means whose signature alone is standard.
  package struct StandardBody: Hashable, Sendable {
    package enum Meaning: String, CaseIterable, Sendable {
      case purchase, pending, failed, refund
      /// A payment for a plan, and the end of that.
      case subscription, end
    }

    /// By the value of the body's `type`.
    package var types: [String: Meaning] = [:]
    package var idFrom: [String] = []
    package var amountFrom: [String] = []
    package var refundedFrom: [String] = []
    package var currencyFrom: [String] = []
    package var timeFrom: [String] = []
    /// The end of a subscription's paid period.
    package var untilFrom: [String] = []

    package init() {}
  }

  package init(format: PaymentFormat, secretFile: String) {
    self.format = format
    self.secretFile = secretFile
  }

  /// The product that a provider's name for it means: another one by the policy, or of that id.
  package func product(_ name: String) -> Name { products[name] ?? Name(trusted: name) }
}
