package import CreditModel

/// A JSON Web Signature in its compact form (RFC 7515), as the App Store signs: three parts of
/// base64url, the header naming ES256 and a chain of certificates.
package struct SignedText {
  /// The most bytes of one that is looked at.
  package static let byteLimit = 1 << 20

  /// The payload's JSON text, not to be believed before the signature is.
  package let payload: [UInt8]
  /// The signed text: the first two parts and the point between them.
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

  /// The claimed signer, and the form of the signature.
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

/// Base64 (RFC 4648), strictly: no white space, no stray bits, padding exactly where it belongs.
package enum Base64 {
  /// The letters for 62 and 63, and whether there is padding.
  package enum Alphabet: Sendable {
    /// `+` and `/`, padded.
    case standard
    /// `-` and `_`, not padded, as in a JWS.
    case url
  }

  /// - Returns: nil if the text is not base64 of that alphabet.
  package static func decode(_ text: some Collection<UInt8>, _ alphabet: Alphabet) -> [UInt8]? {
    guard let digits = withoutPadding(text, alphabet) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 4 * 3 + 2)
    var bits: UInt32 = 0
    var bitCount = 0
    for letter in digits {
      guard let value = value(of: letter, alphabet) else { return nil }
      bits = bits << 6 | value
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      }
    }
    // Bits that no byte takes must be 0, so that each value has one text.
    let rest = bits & (1 << UInt32(bitCount) - 1)
    return bitCount == 6 || rest != 0 ? nil : bytes
  }

  private static func withoutPadding<Text: Collection<UInt8>>(
    _ text: Text, _ alphabet: Alphabet
  ) -> Text.SubSequence? {
    guard alphabet == .standard else { return text[...] }
    if text.count % 4 != 0 { return nil }
    let digits = text.prefix { $0 != UInt8(ascii: "=") }
    let padding = text.dropFirst(digits.count)
    guard padding.count < 3, padding.allSatisfy({ $0 == UInt8(ascii: "=") }) else { return nil }
    return digits
  }

  private static func value(of letter: UInt8, _ alphabet: Alphabet) -> UInt32? {
    switch letter {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter - UInt8(ascii: "0")) + 52
    case UInt8(ascii: alphabet == .url ? "-" : "+"): 62
    case UInt8(ascii: alphabet == .url ? "_" : "/"): 63
    default: nil
    }
  }

  /// Encodes bytes in the standard alphabet, padded.
  package static func encode(_ bytes: [UInt8]) -> [UInt8] {
    let letters = Array(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let group = bytes[index..<min(index + 3, bytes.count)]
      var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      bits <<= UInt32(8 * (3 - group.count))
      for place in 0..<4 {
        let isPadding = place > group.count
        let digit = Int(bits >> UInt32(18 - 6 * place) & 63)
        text.append(isPadding ? UInt8(ascii: "=") : letters[digit])
      }
      index += 3
    }
    return text
  }
}

extension SignedText.Signature {
  /// The signature as X.509 tools take it: a DER sequence of two integers.
  package var der: [UInt8] {
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

/// Certificates and keys as text (RFC 7468).
package enum CertificateText {
  /// Returns the PEM text of a certificate in DER, or of other data with a label.
  package static func encode(_ der: [UInt8], label: String = "CERTIFICATE") -> [UInt8] {
    var text = Array("-----BEGIN \(label)-----\n".utf8)
    var base64 = Base64.encode(der)[...]
    while !base64.isEmpty {
      text += base64.prefix(64)
      text.append(.lineFeed)
      base64 = base64.dropFirst(64)
    }
    return text + Array("-----END \(label)-----\n".utf8)
  }

  /// Returns the single certificate of a file in DER or PEM, as DER; nil for other files.
  package static func decode(_ file: [UInt8]) -> [UInt8]? {
    if file.first == 0x30 { return file }
    let lines = file.split { $0 == .lineFeed || $0 == 0x0d }
    let begin = Array("-----BEGIN CERTIFICATE-----".utf8)
    let end = Array("-----END CERTIFICATE-----".utf8)
    let starts = lines.indices.filter { lines[$0].elementsEqual(begin) }
    guard starts.count == 1, let start = starts.first,
      let stop = lines[start...].firstIndex(where: { $0.elementsEqual(end) })
    else { return nil }
    return Base64.decode(lines[(start + 1)..<stop].joined().map { $0 }, .standard)
  }
}
