/// The reason why a URL is not that of a server store.
///
/// It never quotes the URL, which may have a password.
public struct UnusableLocation: Error, Equatable {
  public let reason: String

  static let passwordMisread = UnusableLocation(
    reason: "not the address of a server: in a user's name and password each of /:@?#% is written "
      + "as %40 is for @")

  private init(reason: String) { self.reason = reason }

  /// - Parameter libraryMessage: libpq's message about the URL: its quotations are left out.
  init(libraryMessage: String) {
    var rest = libraryMessage[...]
    while let last = rest.utf8.lastIndex(of: UInt8(ascii: ":")) { rest = rest[..<last] }
    reason = "not the address of a server: \(rest)"
  }
}
