/// The places of a store's URL where a password may be.
///
/// The URL is read here before libpq reads it, whose messages quote what it does not understand.
package enum URLPassword {
  /// Whether the text has a password, or something that may be meant as one. Text that is no URL
  /// has none.
  package static func isIn(_ text: String) -> Bool {
    guard let url = URLBytes(text) else { return false }
    return url.password != nil || url.parameters.contains(where: isPassword)
  }

  /// The text without its password, which messages and results may show.
  package static func removed(from text: String) -> String {
    guard isIn(text), let url = URLBytes(text) else { return text }
    var shown = Array(url.address)
    if let password = url.password { shown.removeSubrange(password) }
    var separator = UInt8(ascii: "?")
    for parameter in url.parameters where !isPassword(parameter) {
      shown.append(separator)
      shown += parameter
      separator = UInt8(ascii: "&")
    }
    return String(decoding: shown, as: UTF8.self)
  }

  private static func isPassword(_ parameter: ArraySlice<UInt8>) -> Bool {
    let name = decoded(parameter.prefix { $0 != UInt8(ascii: "=") })
    return name == "password" || name == "sslpassword"
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

/// A URL as `SCHEME://ADDRESS?PARAMETER&PARAMETER`.
private struct URLBytes {
  /// All before the parameters.
  let address: ArraySlice<UInt8>
  let parameters: [ArraySlice<UInt8>]
  /// The place of the password and the colon before it, in the address.
  let password: Range<Int>?

  init?(_ text: String) {
    guard StoreLocation.isURL(text) else { return nil }
    let bytes = Array(text.utf8)
    let query = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.count
    address = bytes[..<query]
    parameters = bytes[query...].split { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "&") }
    password = Self.password(in: address)
  }

  /// A password with a slash ends the part where libpq looks for users: so each @ counts.
  private static func password(in address: ArraySlice<UInt8>) -> Range<Int>? {
    let colon = UInt8(ascii: ":")
    guard let scheme = address.firstIndex(of: colon) else { return nil }
    let user = address[(scheme + 1)...]
    guard let end = user.lastIndex(of: UInt8(ascii: "@")),
      let start = user[..<end].firstIndex(of: colon)
    else { return nil }
    return start..<end
  }
}
