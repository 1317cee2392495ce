/// Why a StoreKit transaction or notification is not believed, or grants nothing: the `reason` of
/// an `unverified_transaction`.
package enum StoreKitRejection: String, Error, CaseIterable, Sendable {
  case notConfigured = "not_configured"
  case unsigned
  case malformed
  case algorithm
  case certificates
  case chain
  case certificatePurpose = "certificate_purpose"
  case signature
  case bundleID = "bundle_id"
  case appID = "app_id"
  case environment
  case missingTransaction = "missing_transaction"
  case missingID = "missing_id"
  case missingProduct = "missing_product"
  case type
  case familyShared = "family_shared"
  case quantity
  case date
  case revocation

  /// A sentence about it.
  package var message: String {
    switch self {
    case .notConfigured:
      "the policy's appStore does not name the app, environment and rootCertificate to verify by"
    case .unsigned:
      "nobody signed the transaction; the policy accepts such with "
        + #""unverifiedTransactions":"accept""#
    case .malformed: "the text is no signed transaction or notification of the App Store"
    case .algorithm: "the signature is not of the kind ES256"
    case .certificates: "the signature does not come with three certificates"
    case .chain:
      "the certificates do not lead to the policy's rootCertificate, or were not valid when it "
        + "was signed"
    case .certificatePurpose: "the certificates are not those that the App Store signs with"
    case .signature: "the signature does not match"
    case .bundleID: "it is of another app than the policy's bundleID"
    case .appID: "it is of another app than the policy's appAppleID"
    case .environment: "it is of another environment than the policy's"
    case .missingTransaction: "the notification has no transaction"
    case .missingID: "the transaction has no usable transactionId"
    case .missingProduct: "the transaction has no usable productId"
    case .type:
      "the transaction is not of type Consumable, nor an Auto-Renewable Subscription to a product "
        + "that has a plan"
    case .familyShared: "the transaction was shared in a family, not bought"
    case .quantity: "the transaction's quantity is not a whole number of at least 1"
    case .date: "a date of the transaction is not a number of milliseconds"
    case .revocation: "the transaction's revocationPercentage is not from 0 to 100000"
    }
  }

  /// The error that the request ends with.
  package var error: CreditError {
    CreditError(.unverifiedTransaction, message, [.reason(rawValue)])
  }
}
