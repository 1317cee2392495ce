/// Where a store is, as the command line, the environment or the default says.
package struct StoreLocation: Sendable {
  /// The folder, or the URL of a store on a server without its password: what messages, results and
  /// other programs may see.
  package let path: String
  /// Whether somebody named it. A store that was named must exist: a mistyped path never makes a
  /// new store with fresh starter credits. The default one is made by its first write.
  package let isNamed: Bool
  /// The URL to connect to, with the password that it may have. Only a connector needs it.
  package let address: String

  package init(path: String, isNamed: Bool) {
    self.path = URLPassword.removed(from: path)
    self.isNamed = isNamed
    address = path
  }

  /// Whether the path is a URL, of a store on a server.
  package var isURL: Bool { Self.isURL(path) }

  /// (To search for text is a part of the regular expressions, which are left out of `Sources`.)
  static func isURL(_ text: String) -> Bool {
    let bytes = text.utf8
    return bytes.indices.contains { bytes[$0...].starts(with: "://".utf8) }
  }
}
