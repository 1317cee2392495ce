/// Base64 (RFC 4648), strictly: no white space, no stray bits, padding exactly where it belongs.
public enum Base64 {
  /// The letters for 62 and 63, and whether there is padding.
  public enum Alphabet: Sendable {
    /// `+` and `/`, padded.
    case standard
    /// `-` and `_`, not padded, as in a JWS.
    case url
  }

  /// - Returns: nil if the text is not base64 of that alphabet.
  public static func decode(_ text: some Collection<UInt8>, _ alphabet: Alphabet) -> [UInt8]? {
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
  public static func encode(_ bytes: [UInt8]) -> [UInt8] {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
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

/// Certificates and keys as text (RFC 7468).
public enum CertificateText {
  /// Returns the PEM text of a certificate in DER, or of other data with a label.
  public static func encode(_ der: [UInt8], label: String = "CERTIFICATE") -> [UInt8] {
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
  public static func decode(_ file: [UInt8]) -> [UInt8]? {
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
