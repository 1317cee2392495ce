internal import CreditJSON
internal import CreditModel
internal import CreditStore
internal import CreditSystem

/// Turns StoreKit's news into requests of the gate's, verified before anything else is done.
final class StoreKitService {
  /// The longest signed text that is recorded, in bytes: Apple's have some 5,000.
  private static let keptTextLimit = 1 << 16

  private let policyFolder: () -> String
  private let openSSL: OpenSSL
  private var verifier: StoreKitVerifier?
  /// See ``WritingService/waitUntilServed``.
  var waitUntilServed: () -> Void = {}

  /// - Parameter policyFolder: the folder of a relative path to the root certificate.
  init(policyFolder: @escaping () -> String, _ openSSL: OpenSSL) {
    self.policyFolder = policyFolder
    self.openSSL = openSSL
  }

  /// Returns the request of StoreKit's news.
  /// - Parameter systemTime: the signing time of news without one.
  /// - Throws: `unverified_transaction`, `invalid_request`, `unavailable`, `invalid_policy`.
  func request(
    _ reader: RequestReader, _ form: StoreKitForm, under policy: Policy, systemTime: Timestamp,
    isStrict: Bool
  ) throws(CreditError) -> GateRequest {
    // To verify one runs `openssl`.
    waitUntilServed()
    let now = try reader.time() ?? systemTime
    switch form {
    case .signedTransaction(let text):
      let transaction = try verify(text, under: policy, at: now)
      return .storeKit(
        try reader.storeKitRequest(transaction, form, isStrict: isStrict))
    case .transaction(let text):
      let transaction = try accept(text, reader, under: policy)
      return .storeKit(
        try reader.storeKitRequest(transaction, form, isStrict: isStrict))
    case .signedNotification(let text):
      return try notification(text, form, reader, under: policy, at: now, isStrict: isStrict)
    }
  }

  // MARK: Transactions

  private func verify(
    _ text: String, under policy: Policy, at now: Timestamp, mayBeShared: Bool = false
  ) throws(CreditError) -> StoreKitTransaction {
    let (app, verifier) = try verifier(under: policy)
    let payload = try verifier.payload(of: text, at: now)
    return try rejecting { () throws(StoreKitRejection) in
      if app.keepsSigned && text.utf8.count > Self.keptTextLimit { throw .malformed }
      return try payload.withRoot { value throws(StoreKitRejection) in
        let payload = try StoreKitPayload(value, isSigned: true)
        try payload.claims.check(against: app, isNotification: false)
        var transaction = try payload.transaction(mayBeShared: mayBeShared)
        if app.keepsSigned { transaction.signedText = text }
        return transaction
      }
    }
  }

  /// Accepts an unsigned transaction, if the policy does.
  private func accept(_ text: String?, _ reader: RequestReader, under policy: Policy)
    throws(CreditError) -> StoreKitTransaction
  {
    try rejecting { () throws(StoreKitRejection) in
      guard policy.acceptsUnverifiedTransactions else { throw .unsigned }
      guard let text else {
        guard let value = reader.source.value else { throw .malformed }
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
    _ text: String, _ form: StoreKitForm, _ reader: RequestReader, under policy: Policy,
    at now: Timestamp, isStrict: Bool
  ) throws(CreditError) -> GateRequest {
    let (app, verifier) = try verifier(under: policy)
    let payload = try verifier.payload(of: text, at: now)
    let (notification, inner) = try rejecting { () throws(StoreKitRejection) in
      try payload.withRoot { value throws(StoreKitRejection) in
        let payload = try StoreKitPayload(value, isSigned: true)
        try payload.notificationClaims.check(against: app, isNotification: true)
        let notification = try payload.notification()
        if notification.isOfSubscription { return (notification, try? payload.signedTransaction()) }
        return (
          notification,
          Self.changingTypes.contains(notification.type) ? try payload.signedTransaction() : nil
        )
      }
    }
    guard let inner else { return .notification(notification) }
    var transaction: StoreKitTransaction
    do {
      transaction = try verify(
        inner, under: policy, at: now, mayBeShared: notification.isOfSubscription)
    } catch {
      // The App Store also reports the end of sharing for purchases without expiry.
      if notification.isOfSubscription, error.isOfType { return .notification(notification) }
      throw error
    }
    if notification.type == "REFUND_REVERSED" { transaction.revokedShare = nil }
    var request = try reader.storeKitRequest(transaction, form, isStrict: isStrict)
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
    let made = try StoreKitVerifier(app, policyFolder: policyFolder(), openSSL)
    verifier = made
    return (app, made)
  }

  static func document(_ text: [UInt8]) throws(StoreKitRejection) -> JSONDocument {
    do {
      let document = try JSONDocument(text)
      if document.duplicateName == nil { return document }
    } catch {
      throw .malformed
    }
    throw .malformed
  }
}

extension CreditError {
  /// Whether a transaction was accepted but has a type that grants nothing.
  fileprivate var isOfType: Bool {
    details.contains { detail in
      guard case .reason(let reason) = detail else { return false }
      return reason == StoreKitRejection.type.rawValue
    }
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

/// Verifies the App Store's signatures for one app.
///
/// It requires three certificates whose chain leads to the policy's root (never to the one in the
/// text), with Apple's marks on signer and issuer, valid at the signing; then the signature. In
/// Xcode and in local tests Apple signs nothing, and nothing is checked.
final class StoreKitVerifier {
  let app: AppStore
  private let root: [UInt8]
  private let openSSL: OpenSSL
  private var chains: [[UInt8]: CertificateChain] = [:]

  /// The most chains that are remembered; Apple uses one for years.
  private static let chainLimit = 64

  /// - Throws: `unverified_transaction` if the policy names no root certificate, `invalid_policy`
  ///   if that can't be read.
  init(_ app: AppStore, policyFolder: String, _ openSSL: OpenSSL) throws(CreditError) {
    self.app = app
    self.openSSL = openSSL
    root = app.environment.signs ? try Self.root(of: app, policyFolder, openSSL.system) : []
  }

  private static func root(of app: AppStore, _ folder: String, _ system: any SystemCalls)
    throws(CreditError) -> [UInt8]
  {
    guard let file = app.rootCertificate else { throw StoreKitRejection.notConfigured.error }
    return CertificateText.encode(try RootCertificate.load(file, in: folder, system))
  }

  /// Returns the payload of a signed text after its verification.
  /// - Parameter now: the signing time of a text without one.
  /// - Throws: `unverified_transaction`; `unavailable` if `openssl` can't be used.
  func payload(of text: String, at now: Timestamp) throws(CreditError) -> JSONDocument {
    let signed = try rejecting { () throws(StoreKitRejection) in try SignedText(text) }
    let payload = try rejecting { () throws(StoreKitRejection) in
      try StoreKitService.document(signed.payload)
    }
    guard app.environment.signs else { return payload }
    let (signature, date) = try rejecting { () throws(StoreKitRejection) in
      let date = try payload.withRoot { value throws(StoreKitRejection) in
        try StoreKitPayload(value, isSigned: true).signedDate()
      }
      return (try signed.signature(), date ?? now)
    }
    let chain = chain(of: signature)
    try chain.verify(at: date.milliseconds / 1000, openSSL)
    try chain.verify(signature, of: signed.signedPart, openSSL)
    return payload
  }

  private func chain(of signature: SignedText.Signature) -> CertificateChain {
    let (signer, issuer) = (signature.certificates[0], signature.certificates[1])
    // A certificate in DER contains its length, so two never run into one another.
    if let chain = chains[signer + issuer] { return chain }
    if chains.count >= Self.chainLimit { chains.removeAll() }
    let chain = CertificateChain(signer: signer, issuer: issuer, root: root)
    chains[signer + issuer] = chain
    return chain
  }
}

extension AppStore.Environment {
  /// Whether Apple signs in it.
  var signs: Bool {
    switch self {
    case .production, .sandbox: true
    case .xcode, .localTesting: false
    }
  }
}
