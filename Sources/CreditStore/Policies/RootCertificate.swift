internal import CreditJSON
package import CreditModel
package import CreditSystem

/// The certificate that the policy trusts the App Store's signatures by.
package enum RootCertificate {
  /// Reads and checks the certificate that a policy names.
  /// - Parameter name: its path, which starts at the policy's folder unless it is absolute.
  /// - Returns: the certificate in DER.
  /// - Throws: `invalid_policy`, `permission_denied`, `io_error`.
  package static func load(
    _ name: String, in policyFolder: String, _ system: any SystemCalls
  ) throws(CreditError) -> [UInt8] {
    let path = name.hasPrefix("/") ? name : "\(policyFolder)/\(name)"
    return try decode(NamedFile(path, of: .rootCertificate, system).text(), path)
  }

  /// The one certificate that a file's bytes are, in DER.
  /// - Throws: `invalid_policy`.
  @discardableResult
  static func decode(_ bytes: [UInt8], _ path: String) throws(CreditError) -> [UInt8] {
    guard let certificate = CertificateText.decode(bytes), Certificate(certificate) != nil else {
      throw FileMember.rootCertificate.invalid(
        "is not one certificate in DER or PEM: \(quoted(path))")
    }
    return certificate
  }
}
