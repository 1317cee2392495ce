internal import CreditJSON
internal import CreditModel
internal import CreditSystem

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
  init(
    _ app: AppStore, _ root: (String) throws(CreditError) -> [UInt8], _ openSSL: OpenSSL
  ) throws(CreditError) {
    self.app = app
    self.openSSL = openSSL
    guard app.environment.signs else {
      self.root = []
      return
    }
    guard let file = app.rootCertificate else { throw StoreKitRejection.notConfigured.error }
    self.root = CertificateText.encode(try root(file))
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
        try StoreKitPayload(value, isSigned: true).date("signedDate")
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

/// A chain of certificates of a signature, with its known results.
final class CertificateChain {
  private let signer: [UInt8]
  private let issuer: [UInt8]
  private let root: [UInt8]
  /// The signer's key, in PEM; or why its signatures are rejected in any chain.
  private let key: Result<[UInt8], StoreKitRejection>
  /// Seconds since 1970 at both ends of which the chain is valid: so it is in between.
  private var validity: ClosedRange<Int64>?
  /// The second at which it was last found not to be.
  private var invalidity: Int64?

  /// How far from the known time another is tried: most texts come soon after one another.
  private static let stride: Int64 = 30 * 86_400

  /// - Parameters:
  ///   - signer: the certificate, in DER, whose key signed.
  ///   - issuer: the certificate, in DER, of who issued that.
  ///   - root: the trusted certificate, in PEM.
  init(signer: [UInt8], issuer: [UInt8], root: [UInt8]) {
    self.signer = CertificateText.encode(signer)
    self.issuer = CertificateText.encode(issuer)
    self.root = root
    key = Self.key(of: signer, issuedBy: issuer)
  }

  // MARK: The chain

  /// Checks that the chain is Apple's, and was valid at a time.
  /// - Throws: `unverified_transaction`, `unavailable`.
  func verify(at seconds: Int64, _ openSSL: OpenSSL) throws(CreditError) {
    guard key != .failure(.chain), invalidity != seconds else {
      throw StoreKitRejection.chain.error
    }
    if !(validity?.contains(seconds) ?? false) {
      try extendValidity(to: seconds, openSSL)
    }
    if case .failure(let rejection) = key { throw rejection.error }
  }

  private func extendValidity(to seconds: Int64, _ openSSL: OpenSSL) throws(CreditError) {
    let known = validity ?? seconds...seconds
    let beyond = seconds < known.lowerBound ? seconds - Self.stride : seconds + Self.stride
    for end in validity == nil ? [seconds] : [beyond, seconds]
    where try isValid(at: end, openSSL) {
      validity = min(end, known.lowerBound)...max(end, known.upperBound)
      return
    }
    invalidity = seconds
    throw StoreKitRejection.chain.error
  }

  private func isValid(at seconds: Int64, _ openSSL: OpenSSL) throws(CreditError) -> Bool {
    // Without the two -no-CA flags the certificates of the system would be trusted, too.
    let verify: [ChildProcess.Argument] = [
      "-no-CApath", "-no-CAstore", "-show_chain", "-CAfile", .file(root),
      "-attime", .text(String(seconds)),
    ]
    let result = try openSSL.run("verify", verify + ["-untrusted", .file(issuer)], input: signer)
    let depths = result.lines.count { $0.hasPrefix("depth=") }
    switch result.status {
    case 0 where result.lines.first == "stdin: OK" && depths > 0: return depths == 3
    case 2: return false
    default: break
    }
    // An issuer that it can't read ends it in the same way as any failure. A check of the issuer
    // itself then fails.
    if try openSSL.run("verify", verify, input: issuer).status == 2 { return false }
    throw openSSL.unavailable(result)
  }

  // MARK: The signature

  private static func key(of signer: [UInt8], issuedBy issuer: [UInt8])
    -> Result<[UInt8], StoreKitRejection>
  {
    guard let signer = Certificate(signer), let issuer = Certificate(issuer) else {
      return .failure(.chain)
    }
    guard signer.hasExtension(signerMark), issuer.hasExtension(issuerMark) else {
      return .failure(.certificatePurpose)
    }
    guard signer.publicKey.starts(with: p256) else { return .failure(.algorithm) }
    return .success(CertificateText.encode(signer.publicKey, label: "PUBLIC KEY"))
  }

  /// Apple's marks: 1.2.840.113635.100.6.11.1 on App Store signers, and 1.2.840.113635.100.6.2.1 on
  /// issuers of such certificates.
  private static let signerMark = apple + [0x06, 0x0b, 0x01]
  private static let issuerMark = apple + [0x06, 0x02, 0x01]

  /// 1.2.840.113635.100
  private static let apple: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x63, 0x64]

  /// How a key of the curve that ES256 means begins (RFC 5480): any other curve is another
  /// algorithm.
  private static let p256: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a,
    0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
  ]

  /// - Throws: `unverified_transaction`, `unavailable`.
  func verify(
    _ signature: SignedText.Signature, of signedPart: [UInt8], _ openSSL: OpenSSL
  ) throws(CreditError) {
    let key = try rejecting { () throws(StoreKitRejection) in try self.key.get() }
    let result = try openSSL.run(
      "dgst", ["-sha256", "-verify", .file(key), "-signature", .file(signature.der)],
      input: signedPart)
    switch (result.status, result.lines.first?.lowercased()) {
    case (0, "verified ok"): return
    case (1, "verification failure"): throw StoreKitRejection.signature.error
    default: throw openSSL.unavailable(result)
    }
  }
}

/// The `openssl` command, which does all the cryptography. Its input comes through pipes, so that
/// no file is left behind if this process is killed.
final class OpenSSL {
  private let path: String?
  private var command: String?

  /// - Parameter path: the folders of commands, as the variable `PATH` lists them.
  init(path: String?) { self.path = path }

  /// Outcome of one `openssl` run. Each subcommand's caller decides whether it is a verdict, and
  /// which: it is one only if status and output show that `openssl` has looked at its input.
  struct Result {
    fileprivate let subcommand: String
    let status: Int32
    fileprivate let output: [UInt8]

    var lines: [Substring] { String(decoding: output, as: UTF8.self).split(separator: "\n") }
  }

  /// Runs a subcommand without this process's environment, so that no variable can name other
  /// trusted certificates.
  /// - Parameter input: its standard input.
  /// - Throws: `unavailable` if there is no `openssl` that can be run to its end.
  func run(
    _ subcommand: String, _ arguments: [ChildProcess.Argument], input: [UInt8]
  ) throws(CreditError) -> Result {
    command = command ?? ChildProcess.find("openssl", in: path)
    guard let command else {
      throw CreditError(
        .unavailable,
        "there is no openssl command in the PATH, which verifies signatures of the App Store")
    }
    let child = ChildProcess(
      command, [.text(subcommand)] + arguments, input: input,
      environment: ["LC_ALL=C", "OPENSSL_CONF=/dev/null"])
    let ending: ChildProcess.Ending
    do {
      ending = try child.run()
    } catch {
      throw Self.unavailable("\(error)")
    }
    guard let status = ending.status else { throw Self.unavailable("it did not end by itself") }
    return Result(subcommand: subcommand, status: status, output: ending.output)
  }

  /// Returns the error for a run without a verdict.
  func unavailable(_ result: Result) -> CreditError {
    Self.unavailable("\(result.subcommand) came to no verdict (status \(result.status))")
  }

  private static func unavailable(_ problem: String) -> CreditError {
    CreditError(.unavailable, "openssl can't be used: \(problem)")
  }
}
