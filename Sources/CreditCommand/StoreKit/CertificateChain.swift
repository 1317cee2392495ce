internal import CreditJSON
internal import CreditModel
internal import CreditSystem

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
    let result = try openSSL.run(
      "verify", verify + ["-untrusted", .file(issuer)], input: signer)
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

  /// Checks that the chain's key signed some bytes.
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
  let system: any SystemCalls
  private let environment: (String) -> String?
  private var command: String?

  /// - Parameter environment: has the command's path.
  init(_ system: any SystemCalls, environment: @escaping (String) -> String?) {
    self.system = system
    self.environment = environment
  }

  /// Outcome of one `openssl` run. Each subcommand's caller decides whether it is a verdict, and
  /// which: it is one only if status and output show that `openssl` has looked at its input.
  struct Result {
    fileprivate let subcommand: String
    let status: Int32
    fileprivate let output: [UInt8]

    var lines: [Substring] {
      String(decoding: output, as: UTF8.self).split(separator: "\n")
    }
  }

  /// Runs a subcommand without this process's environment, so that no variable can name other
  /// trusted certificates.
  /// - Parameter input: its standard input.
  /// - Throws: `unavailable` if there is no `openssl` that can be run to its end.
  func run(
    _ subcommand: String, _ arguments: [ChildProcess.Argument], input: [UInt8]
  ) throws(CreditError) -> Result {
    let child = ChildProcess(
      try locate(), [.text(subcommand)] + arguments, input: input,
      environment: ["LC_ALL=C", "OPENSSL_CONF=/dev/null"])
    let ending: ChildProcess.Ending
    do {
      ending = try child.run()
    } catch {
      throw Self.unavailable("\(error)")
    }
    guard let status = ending.status else {
      throw Self.unavailable("it did not end by itself")
    }
    return Result(subcommand: subcommand, status: status, output: ending.output)
  }

  /// Returns the error for a run without a verdict.
  func unavailable(_ result: Result) -> CreditError {
    Self.unavailable("\(result.subcommand) came to no verdict (status \(result.status))")
  }

  private static func unavailable(_ problem: String) -> CreditError {
    CreditError(.unavailable, "openssl can't be used: \(problem)")
  }

  /// Finds the command through the PATH, of which only absolute folders count.
  private func locate() throws(CreditError) -> String {
    if let command { return command }
    let path = environment("PATH") ?? "/usr/bin:/bin"
    for folder in path.split(separator: ":") where folder.hasPrefix("/") {
      let candidate = "\(folder)/openssl"
      if ChildProcess.isExecutable(candidate) {
        command = candidate
        return candidate
      }
    }
    throw CreditError(
      .unavailable,
      "there is no openssl command in the PATH, which verifies signatures of the App Store")
  }
}
