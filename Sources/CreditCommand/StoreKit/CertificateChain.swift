internal import CreditJSON
internal import CreditModel

/// A chain of certificates that came with a signature, and what is known of it already.
final class CertificateChain {
  private let signer: [UInt8]
  private let issuer: [UInt8]
  private let root: [UInt8]
  /// The signer's key, once the chain has been found to be Apple's.
  private var publicKey: [UInt8]?
  /// Seconds since 1970 at both ends of which the chain is valid: so it is in between.
  private var validity: ClosedRange<Int64>?

  /// Apple's marks: on what signs for the App Store, and on what issues such certificates.
  private static let signerMark = "1.2.840.113635.100.6.11.1"
  private static let issuerMark = "1.2.840.113635.100.6.2.1"

  /// How far beyond a time it pays to try the next one: most texts come soon after one another.
  private static let stride: Int64 = 30 * 86_400

  /// - Parameters:
  ///   - signer: the certificate, in DER, whose key signed.
  ///   - issuer: the certificate, in DER, of who issued that.
  ///   - root: the trusted certificate, in PEM.
  init(signer: [UInt8], issuer: [UInt8], root: [UInt8]) {
    self.signer = CertificateText.encode(signer)
    self.issuer = CertificateText.encode(issuer)
    self.root = root
  }

  // MARK: The chain

  /// Checks that the chain leads to the root, was valid at a time, and is what the App Store signs with.
  /// - Throws: `unverified_transaction`, `unavailable`.
  func verify(at seconds: Int64, _ session: OpenSSL.Session) throws(CreditError) {
    if let validity, validity.contains(seconds) { return }
    try session.write(root, to: "root.pem")
    try session.write(issuer, to: "issuer.pem")
    try session.write(signer, to: "signer.pem")
    try extendValidity(to: seconds, session)
    if publicKey != nil { return }
    guard try hasMark(Self.signerMark, "signer.pem", session),
      try hasMark(Self.issuerMark, "issuer.pem", session)
    else { throw StoreKitRejection.certificatePurpose.error }
    publicKey = try readKey(session)
  }

  private func extendValidity(to seconds: Int64, _ session: OpenSSL.Session) throws(CreditError) {
    guard let known = validity else {
      guard try isValid(at: seconds, session) else { throw StoreKitRejection.chain.error }
      validity = seconds...seconds
      return
    }
    let beyond = seconds < known.lowerBound ? seconds - Self.stride : seconds + Self.stride
    for end in [beyond, seconds] where try isValid(at: end, session) {
      validity = min(end, known.lowerBound)...max(end, known.upperBound)
      return
    }
    throw StoreKitRejection.chain.error
  }

  private func isValid(at seconds: Int64, _ session: OpenSSL.Session) throws(CreditError) -> Bool {
    // Without the two -no-CA flags the certificates of the system would be trusted, too.
    let result = try session.run([
      "verify", "-no-CApath", "-no-CAstore", "-show_chain", "-CAfile", session.path("root.pem"),
      "-untrusted", session.path("issuer.pem"), "-attime", String(seconds),
      session.path("signer.pem"),
    ])
    return result.succeeded && result.lines.count(where: { $0.hasPrefix("depth=") }) == 3
  }

  private func hasMark(_ mark: String, _ file: String, _ session: OpenSSL.Session)
    throws(CreditError) -> Bool
  {
    let result = try session.run(["asn1parse", "-in", session.path(file)])
    return result.succeeded
      && result.lines.contains { $0.contains("OBJECT ") && $0.hasSuffix(" :" + mark) }
  }

  // MARK: The signature

  private func readKey(_ session: OpenSSL.Session) throws(CreditError) -> [UInt8] {
    let result = try session.run(["x509", "-in", session.path("signer.pem"), "-noout", "-pubkey"])
    guard result.succeeded, let key = CertificateText.decode(result.output, label: "PUBLIC KEY"),
      key.starts(with: Self.p256)
    else { throw StoreKitRejection.algorithm.error }
    return result.output
  }

  /// How a key of the curve that ES256 means begins (RFC 5480): any other curve is another algorithm.
  private static let p256: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a,
    0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
  ]

  /// Checks that the chain's key signed some bytes.
  /// - Throws: `unverified_transaction`, `unavailable`.
  func verify(
    _ signature: SignedText.Signature, of signedPart: [UInt8], _ session: OpenSSL.Session
  ) throws(CreditError) {
    guard let publicKey else { throw StoreKitRejection.chain.error }
    try session.write(publicKey, to: "key.pem")
    try session.write(signature.der, to: "signature")
    try session.write(signedPart, to: "signed")
    let result = try session.run([
      "dgst", "-sha256", "-verify", session.path("key.pem"), "-signature",
      session.path("signature"), session.path("signed"),
    ])
    guard result.succeeded else { throw StoreKitRejection.signature.error }
  }
}
