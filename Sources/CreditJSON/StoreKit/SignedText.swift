package import CreditModel

/// A JSON Web Signature in its compact form (RFC 7515), as the App Store signs: three parts of
/// base64url, the header naming ES256 and a chain of certificates.
package struct SignedText {
  /// The most bytes of one that is looked at.
  package static let byteLimit = 1 << 20

  /// The payload's JSON text, not to be believed before the signature is.
  package let payload: [UInt8]
  /// What was signed: the first two parts and the point between them.
  package let signedPart: [UInt8]
  private let header: [UInt8]
  private let signatureText: [UInt8]

  /// Takes the text apart.
  /// - Throws: `malformed`.
  package init(_ text: String) throws(StoreKitRejection) {
    let bytes = Array(text.utf8)
    guard bytes.count <= Self.byteLimit else { throw .malformed }
    let parts = bytes.split(
      separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Base64.decode(parts[0], .url),
      let payload = Base64.decode(parts[1], .url)
    else { throw .malformed }
    self.header = header
    self.payload = payload
    signedPart = Array(bytes[..<parts[1].endIndex])
    signatureText = Array(parts[2])
  }

  /// Who is said to have signed, and how.
  package struct Signature {
    /// The certificates that came with the text, in DER: the signer's, its issuer's, and a root
    /// that is never trusted.
    package let certificates: [[UInt8]]
    /// The two numbers of an ECDSA signature, 32 bytes each.
    package let numbers: [UInt8]
  }

  /// Reads the header and the signature.
  /// - Throws: `malformed`, `algorithm`, `certificates`, `signature`.
  package func signature() throws(StoreKitRejection) -> Signature {
    guard let document = try? JSONDocument(header), document.duplicateName == nil else {
      throw .malformed
    }
    let certificates = try document.withRoot { header throws(StoreKitRejection) in
      // A header that asks for an extension must not be taken by who doesn't know it.
      guard header.isObject, header.member("crit") == nil else { throw .malformed }
      guard header.string("alg") == "ES256" else { throw .algorithm }
      return try Self.certificates(header)
    }
    guard let numbers = Base64.decode(signatureText, .url), numbers.count == 64 else {
      throw .signature
    }
    return Signature(certificates: certificates, numbers: numbers)
  }

  private static func certificates(_ header: JSONValue) throws(StoreKitRejection) -> [[UInt8]] {
    guard let chain = header.member("x5c"), chain.kind == .array else { throw .certificates }
    var certificates: [[UInt8]] = []
    for element in chain.elements {
      guard certificates.count < 3, let text = element.string,
        let certificate = Base64.decode(Array(text.utf8), .standard), !certificate.isEmpty
      else { throw .certificates }
      certificates.append(certificate)
    }
    guard certificates.count == 3 else { throw .certificates }
    return certificates
  }
}
