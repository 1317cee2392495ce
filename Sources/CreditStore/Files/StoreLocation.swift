/// Where a store is, as the command line, the environment or the default says.
package struct StoreLocation: Sendable {
  package let path: String
  /// Whether somebody named it. A store that was named must exist: a mistyped path never makes a
  /// new store with fresh starter credits. The default one is made by its first write.
  package let isNamed: Bool

  package init(path: String, isNamed: Bool) {
    self.path = path
    self.isNamed = isNamed
  }

  /// Whether the path is a URL, of a store on a server. (To search for text is a part of the
  /// regular expressions, which are left out of `Sources`.)
  package var isURL: Bool {
    let bytes = path.utf8
    return bytes.indices.contains { bytes[$0...].starts(with: "://".utf8) }
  }
}
