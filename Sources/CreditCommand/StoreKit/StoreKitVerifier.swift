internal import CreditJSON
internal import CreditModel
internal import CreditStore
internal import CreditSystem

/// Verifies what the App Store signed for one app.
///
/// Three certificates, whose chain leads to the policy's root (never to the one that came with the
/// text), with Apple's marks on signer and issuer, valid when it was signed; then the signature. In
/// Xcode and in local tests nothing is signed by Apple, and nothing is checked.
final class StoreKitVerifier {
  let app: AppStore
  private let root: [UInt8]
  private let openSSL: OpenSSL
  private var chains: [[UInt8]: CertificateChain] = [:]

  /// The most chains that are remembered; Apple uses one for years.
  private static let chainLimit = 64

  /// - Throws: `unverified_transaction` where the policy names no root certificate,
  ///   `invalid_policy` where that can't be read.
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

  /// The payload of a signed text that is to be believed.
  /// - Parameter now: when it counts as signed if it does not say.
  /// - Throws: `unverified_transaction`; `unavailable` where `openssl` can't be used.
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
    // A certificate in DER says how long it is, so two never run into one another.
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
