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
  /// The PEM text of a certificate, or of what else has a label, in DER.
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

  /// The one certificate, in DER, that a file holds in DER or PEM; nil for anything else.
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
