/// The places of a URL where a password may stand.
enum URLPassword {
  /// Whether the text has one, or something that may be meant as one. It is looked for before libpq
  /// reads the text, whose messages quote what it does not understand.
  static func isIn(_ url: String) -> Bool {
    let bytes = Array(url.utf8)
    let query = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.count
    return isInUser(afterScheme(bytes[..<query])) || isInQuery(bytes[query...])
  }

  private static func afterScheme(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return bytes }
    return bytes[(colon + 1)...]
  }

  /// A password with a slash ends the part where libpq looks for users: so each @ counts.
  private static func isInUser(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let last = bytes.lastIndex(of: UInt8(ascii: "@")) else { return false }
    return bytes[..<last].contains(UInt8(ascii: ":"))
  }

  private static func isInQuery(_ bytes: ArraySlice<UInt8>) -> Bool {
    let separators = [UInt8(ascii: "?"), UInt8(ascii: "&")]
    return bytes.split(whereSeparator: separators.contains).contains { parameter in
      let name = decoded(parameter.prefix { $0 != UInt8(ascii: "=") })
      return name == "password" || name == "sslpassword"
    }
  }

  private static func decoded(_ name: ArraySlice<UInt8>) -> String {
    var bytes: [UInt8] = []
    var rest = name
    while let byte = rest.popFirst() {
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      if byte == UInt8(ascii: "%"), let value = UInt8(digits, radix: 16) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
