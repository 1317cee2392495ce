internal import CreditJSON
internal import CreditModel

/// A JSON Web Signature in its compact form (RFC 7515), as the App Store signs: three parts of
/// base64url, the header naming ES256 and a chain of certificates.
struct SignedText {
  /// The most bytes of one that is looked at.
  static let byteLimit = 1 << 20

  /// The payload's JSON text, not to be believed before the signature is.
  let payload: [UInt8]
  /// The signed text: the first two parts and the point between them.
  let signedPart: [UInt8]
  private let header: [UInt8]
  private let signatureText: [UInt8]

  /// - Throws: `malformed`.
  init(_ text: String) throws(StoreKitRejection) {
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

  /// The claimed signer, and the form of the signature.
  struct Signature {
    /// The certificates that came with the text, in DER: the signer's, its issuer's, and a root
    /// that is never trusted.
    let certificates: [[UInt8]]
    /// The two numbers of an ECDSA signature, 32 bytes each.
    let numbers: [UInt8]
  }

  /// - Throws: `malformed`, `algorithm`, `certificates`, `signature`.
  func signature() throws(StoreKitRejection) -> Signature {
    let document = try StoreKitService.document(header)
    let certificates = try document.withRoot { header throws(StoreKitRejection) in
      // A header that asks for an extension must not be taken by who doesn't know it.
      guard header.isObject, header.member("crit") == nil else { throw .malformed }
      guard header.string("alg") == "ES256" else { throw .algorithm }
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
    guard let numbers = Base64.decode(signatureText, .url), numbers.count == 64 else {
      throw .signature
    }
    return Signature(certificates: certificates, numbers: numbers)
  }
}

extension SignedText.Signature {
  /// The signature as X.509 tools take it: a DER sequence of two integers.
  var der: [UInt8] {
    let body = Self.derInteger(numbers[..<32]) + Self.derInteger(numbers[32...])
    return [0x30, UInt8(body.count)] + body
  }

  private static func derInteger(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var digits = Array(bytes.drop { $0 == 0 })
    // A set top bit would make it negative.
    if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
    return [0x02, UInt8(digits.count)] + digits
  }
}
