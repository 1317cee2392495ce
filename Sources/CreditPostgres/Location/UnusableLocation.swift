/// Why a URL is none of a server store. It never quotes the URL, which may have a password.
package struct UnusableLocation: Error, Equatable {
  package let reason: String

  static let hasPassword = UnusableLocation(
    reason: "a password does not belong on the command line: give it in PGPASSFILE, PGPASSWORD or "
      + "a service file (an @ in a name is written %40)")

  private init(reason: String) { self.reason = reason }

  /// - Parameter libraryMessage: what libpq says of the URL: what it quotes is left out.
  init(libraryMessage: String) {
    var rest = libraryMessage[...]
    while let last = rest.utf8.lastIndex(of: UInt8(ascii: ":")) { rest = rest[..<last] }
    reason = "not the address of a server: \(rest)"
  }
}
