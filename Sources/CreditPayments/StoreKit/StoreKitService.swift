public import CreditModel

/// The forms in which StoreKit's own news is a request.
public enum StoreKitForm: Equatable, Sendable {
  case signedTransaction(String)
  /// A transaction in unsigned JSON; nil if it is the request itself.
  case transaction(String?)
  /// A signed notification of the App Store's server.
  case signedNotification(String)

  public init(transaction text: String) {
    let isObject = text.utf8.first { !$0.isJSONSpace } == UInt8(ascii: "{")
    self = isObject ? .transaction(text) : .signedTransaction(text)
  }
}

/// Turns StoreKit's news into requests of the gate's, verified before anything else is done.
public final class StoreKitService {
  private let root: (String) throws(CreditError) -> [UInt8]
  private let openSSL: OpenSSL
  private var verifier: StoreKitVerifier?

  /// - Parameters:
  ///   - path: the folders of commands, of which `openssl` is one.
  ///   - root: reads the root certificate that a policy names, in DER.
  public init(path: String?, root: @escaping (String) throws(CreditError) -> [UInt8]) {
    self.root = root
    openSSL = OpenSSL(path: path)
  }

  /// Returns the request of StoreKit's news, without members of its own.
  /// - Parameters:
  ///   - value: the request itself, which may be the transaction.
  ///   - now: the signing time of news without one.
  /// - Throws: `unverified_transaction`, `invalid_request`, `unavailable`, `invalid_policy`.
  public func request(
    _ form: StoreKitForm, _ value: JSONValue?, under policy: Policy, at now: Timestamp
  ) throws(CreditError) -> GateRequest {
    switch form {
    case .signedTransaction(let text):
      return .storeKit(request(of: try verify(text, under: policy, at: now)))
    case .transaction(let text):
      return .storeKit(request(of: try accept(text, value, under: policy)))
    case .signedNotification(let text): return try notification(text, under: policy, at: now)
    }
  }

  private func request(of transaction: StoreKitTransaction) -> StoreKitRequest {
    StoreKitRequest(transaction.revokedShare.map { .takeBack($0) } ?? .grant, transaction)
  }

  // MARK: Transactions

  private func verify(
    _ text: String, under policy: Policy, at now: Timestamp, mayBeShared: Bool = false
  ) throws(CreditError) -> StoreKitTransaction {
    let (app, verifier) = try verifier(under: policy)
    let payload = try verifier.payload(of: text, at: now)
    return try rejecting { () throws(StoreKitRejection) in
      // Apple's have some 5,000 bytes.
      if app.keepsSigned && text.utf8.count > 1 << 16 { throw .malformed }
      return try payload.withRoot { value throws(StoreKitRejection) in
        let payload = try StoreKitPayload(value, isSigned: true)
        if payload.member("notificationType") != nil { throw .notification }
        try payload.claims.check(against: app, isNotification: false)
        var transaction = try payload.transaction(mayBeShared: mayBeShared)
        if app.keepsSigned { transaction.signedText = text }
        return transaction
      }
    }
  }

  /// Accepts an unsigned transaction, if the policy does.
  private func accept(_ text: String?, _ value: JSONValue?, under policy: Policy)
    throws(CreditError) -> StoreKitTransaction
  {
    try rejecting { () throws(StoreKitRejection) in
      guard policy.acceptsUnverifiedTransactions else { throw .unsigned }
      guard let text else {
        guard let value else { throw .malformed }
        return try Self.unsigned(value, under: policy)
      }
      return try Self.document(Array(text.utf8)).withRoot { value throws(StoreKitRejection) in
        try Self.unsigned(value, under: policy)
      }
    }
  }

  private static func unsigned(_ value: JSONValue, under policy: Policy)
    throws(StoreKitRejection) -> StoreKitTransaction
  {
    let payload = try StoreKitPayload(value, isSigned: false)
    if let app = policy.appStore {
      // Its claims about the app must be right, but may be missing.
      var claims = payload.claims
      claims.bundleID = claims.bundleID ?? app.bundleID
      claims.environment = claims.environment ?? app.environment.rawValue
      try claims.check(against: app, isNotification: false)
    }
    return try payload.transaction()
  }

  // MARK: Notifications

  private func notification(
    _ text: String, under policy: Policy, at now: Timestamp
  ) throws(CreditError) -> GateRequest {
    let (app, verifier) = try verifier(under: policy)
    let payload = try verifier.payload(of: text, at: now)
    let (notification, inner) = try rejecting { () throws(StoreKitRejection) in
      try payload.withRoot { value throws(StoreKitRejection) in
        let payload = try StoreKitPayload(value, isSigned: true)
        try payload.notificationClaims.check(against: app, isNotification: true)
        let notification = try payload.notification()
        let inner = payload.signedTransaction
        if notification.isOfSubscription { return (notification, inner) }
        guard Self.changingTypes.contains(notification.type) else { return (notification, nil) }
        if inner == nil { throw .missingTransaction }
        return (notification, inner)
      }
    }
    guard let inner else { return .notification(notification) }
    var transaction: StoreKitTransaction
    do {
      transaction = try verify(
        inner, under: policy, at: now, mayBeShared: notification.isOfSubscription)
    } catch {
      let isOfType = error.details.contains {
        if case .reason(StoreKitRejection.type.rawValue) = $0 { true } else { false }
      }
      // The App Store also reports the end of sharing for purchases without expiry.
      if notification.isOfSubscription, isOfType { return .notification(notification) }
      throw error
    }
    if notification.type == "REFUND_REVERSED" { transaction.revokedShare = nil }
    var request = self.request(of: transaction)
    request.notification = notification
    switch notification.type {
    case "REFUND", "REVOKE": request.effect = .takeBack(transaction.revokedShare ?? .whole)
    case "REFUND_REVERSED": request.effect = .restore(notification)
    case "EXPIRED", "GRACE_PERIOD_EXPIRED": request.effect = .end(notification)
    default: break
    }
    return .storeKit(request)
  }

  /// The types of notifications that change an account, besides those of subscriptions.
  private static let changingTypes: Set<String> = ["ONE_TIME_CHARGE", "REFUND", "REFUND_REVERSED"]

  // MARK: Verification

  /// The verifier of the policy's app: it is kept until that changes.
  private func verifier(under policy: Policy) throws(CreditError) -> (AppStore, StoreKitVerifier) {
    guard let app = policy.appStore else { throw StoreKitRejection.notConfigured.error }
    if let verifier, verifier.app == app { return (app, verifier) }
    let made = try StoreKitVerifier(app, root, openSSL)
    verifier = made
    return (app, made)
  }

  static func document(_ text: [UInt8]) throws(StoreKitRejection) -> JSONDocument {
    guard let document = try? JSONDocument(text), document.duplicateName == nil else {
      throw .malformed
    }
    return document
  }
}

/// Why a StoreKit transaction or notification is rejected: the `reason` of an
/// `unverified_transaction`.
enum StoreKitRejection: String, Error, CaseIterable, Sendable {
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
  case notification
  case missingTransaction = "missing_transaction"
  case missingID = "missing_id"
  case missingProduct = "missing_product"
  case type
  case familyShared = "family_shared"
  case quantity
  case date
  case revocation

  var message: String {
    switch self {
    case .notConfigured:
      "the policy's appStore does not name the app, environment and rootCertificate to verify by"
    case .unsigned:
      "the transaction is not signed; the policy accepts that with "
        + #""unverifiedTransactions":"accept"; a sale of another shop has its id in "transaction""#
    case .malformed: "the text is not a signed transaction or notification of the App Store"
    case .algorithm: "the signature is not of the kind ES256"
    case .certificates: "the signature does not come with three certificates"
    case .chain:
      "the certificates do not lead to the policy's rootCertificate, or were not valid when it "
        + "was signed"
    case .certificatePurpose: "the certificates are not those that the App Store signs with"
    case .signature: "the signature does not match"
    case .bundleID: "it is for an app other than the policy's bundleID"
    case .appID: "it is for an app other than the policy's appAppleID"
    case .environment: "its environment is not the policy's"
    case .notification:
      #"it is a notification, which comes as the App Store sends it: {"signedPayload":"…"}"#
    case .missingTransaction: "the notification has no transaction"
    case .missingID: "the transaction has no usable transactionId"
    case .missingProduct: "the transaction has no usable productId"
    case .type: CreditError.transactionType.message
    case .familyShared: "the transaction was shared in a family, not bought"
    case .quantity: "the transaction's quantity is not a whole number of at least 1"
    case .date: "a date of the transaction is not a number of milliseconds"
    case .revocation: "the transaction's revocationPercentage is not from 0 to 100000"
    }
  }

  var error: CreditError {
    // A notification has no bundle id at its top, as a transaction has.
    let reason = self == .notification ? Self.bundleID : self
    return CreditError(.unverifiedTransaction, message, [.reason(reason.rawValue)])
  }
}

/// Runs steps whose rejection of StoreKit's news is an error of the request.
func rejecting<Result: ~Copyable>(_ body: () throws(StoreKitRejection) -> Result)
  throws(CreditError) -> Result
{
  do {
    return try body()
  } catch {
    throw error.error
  }
}
