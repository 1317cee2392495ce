import CreditBytes
import Foundation

@testable import TestSupport

/// A throw-away chain of certificates like the App Store's, made with the `openssl` command, and a
/// key that signs with it.
struct SigningChain: Sendable {
  /// The certificates in DER: signer, issuer, root.
  let certificates: [[UInt8]]
  private let key: Data

  /// Whether there is a command to make one with.
  static let isPossible = MachineCommands.expects("openssl")

  static let command = MachineCommands.path(of: "openssl")

  struct Failure: Error {}

  /// - Parameters:
  ///   - signer, issuer: which of the extensions below each gets.
  ///   - curve: that of the signer's key.
  ///   - subjects: names that they have in place of their usual ones.
  init(
    signer: String = "signer", issuer: String = "issuer", curve: String = "P-256",
    subjects: [String: String] = [:], signerIsIssuedByRoot: Bool = false
  ) throws {
    let folder = try Folder()
    defer { folder.remove() }
    try folder.write(Data(Self.configuration.utf8), "config")
    let subject = ["-config", "config", "-nodes", "-newkey", "ec", "-pkeyopt"]
    let root =
      subject + ["ec_paramgen_curve:P-384", "-keyout", "root.key", "-subj", "/CN=Root"]
    try folder.run(
      ["req", "-x509", "-days", "3650", "-extensions", "root", "-out", "root.pem"] + root)
    for (name, parent, extensions, curve) in [
      ("issuer", "root", issuer, "P-384"),
      ("signer", signerIsIssuedByRoot ? "root" : "issuer", signer, curve),
    ] {
      try folder.run(
        ["req", "-new", "-out", "\(name).csr"] + subject
          + ["ec_paramgen_curve:\(curve)", "-keyout", "\(name).key"]
          + ["-subj", subjects[name] ?? "/CN=\(name)"])
      try folder.run([
        "x509", "-req", "-in", "\(name).csr", "-CA", "\(parent).pem", "-CAkey", "\(parent).key",
        "-set_serial", "7", "-days", "3000", "-extfile", "config", "-extensions", extensions,
        "-out", "\(name).pem",
      ])
    }
    certificates = try ["signer", "issuer", "root"].map { name in
      guard let der = CertificateText.decode([UInt8](try folder.read("\(name).pem"))) else {
        throw Failure()
      }
      return der
    }
    key = try folder.read("signer.key")
  }

  private static let configuration = """
    [req]
    distinguished_name = name
    [name]
    [root]
    basicConstraints = critical, CA:TRUE
    keyUsage = critical, keyCertSign
    [issuer]
    basicConstraints = critical, CA:TRUE
    keyUsage = critical, keyCertSign
    1.2.840.113635.100.6.2.1 = ASN1:NULL
    [signer]
    basicConstraints = critical, CA:FALSE
    1.2.840.113635.100.6.11.1 = ASN1:NULL
    [unmarked]
    basicConstraints = critical, CA:FALSE
    [purpose]
    extendedKeyUsage = 1.2.840.113635.100.6.11.1
    [policy]
    certificatePolicies = 1.2.840.113635.100.6.11.1
    [longer]
    1.2.840.113635.100.6.11.1.1 = ASN1:NULL
    [issuers]
    1.2.840.113635.100.6.2.1 = ASN1:OID:1.2.840.113635.100.6.11.1
    """

  /// Signs a payload.
  /// - Parameters:
  ///   - algorithm: the header's value.
  ///   - certificates: those of the header, in place of the chain's own.
  func sign(
    _ payload: String, algorithm: String = "ES256", certificates: [[UInt8]]? = nil
  ) throws -> String {
    let x5c = (certificates ?? self.certificates).map { "\"\(Data($0).base64EncodedString())\"" }
    let header = #"{"alg":"\#(algorithm)","x5c":[\#(x5c.joined(separator: ","))]}"#
    let signed = Self.url(header.utf8) + "." + Self.url(payload.utf8)
    let folder = try Folder()
    defer { folder.remove() }
    try folder.write(key, "key")
    try folder.write(Data(signed.utf8), "signed")
    try folder.run(["dgst", "-sha256", "-sign", "key", "-out", "signature", "signed"])
    return signed + "." + Self.url(Self.numbers([UInt8](try folder.read("signature"))))
  }

  /// The two numbers of a signature in DER, 32 bytes each.
  private static func numbers(_ der: [UInt8]) -> [UInt8] {
    var rest = der.dropFirst(2)
    var numbers: [UInt8] = []
    for _ in 0..<2 {
      let count = Int(rest.dropFirst().first ?? 0)
      let digits = rest.dropFirst(2).prefix(count).drop { $0 == 0 }
      numbers += Array(repeating: 0, count: max(0, 32 - digits.count)) + digits
      rest = rest.dropFirst(2 + count)
    }
    return numbers
  }

  static func url(_ bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  private struct Folder {
    let url = FileManager.default.temporaryDirectory.appending(path: "chain-\(UUID().uuidString)")

    init() throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    func write(_ data: Data, _ name: String) throws {
      try data.write(to: url.appending(path: name))
    }

    func read(_ name: String) throws -> Data { try Data(contentsOf: url.appending(path: name)) }

    func remove() { try? FileManager.default.removeItem(at: url) }

    func run(_ arguments: [String]) throws {
      let status = try TestProcess.run(
        SigningChain.command ?? "", arguments, in: url, errors: "/dev/null")
      if status != 0 { throw Failure() }
    }
  }
}
