internal import CreditJSON
internal import CreditModel

/// A policy that a person keeps in a file, checked whole, to be put into a store.
package struct PolicyDraft {
  let text: [UInt8]
  /// The catalog beside the file, which goes into the store with it; nil where the policy names none,
  /// or one that stays where it is.
  let catalog: CatalogDraft?

  /// A policy that has been checked, whose catalog stays where it is.
  init(checked text: [UInt8]) {
    self.text = text
    catalog = nil
  }

  /// Reads and checks a policy and its catalog. A relative name is looked for beside the policy, and
  /// then in the store.
  /// - Throws: `invalid_policy`, `io_error`, `permission_denied`.
  init(reading path: String, for directory: StoreDirectory) throws(CreditError) {
    let text = try CatalogFile.text(path, system: directory.system)
    var draft: CatalogDraft?
    _ = try PolicyFile.decode(text) { value throws(CreditError) in
      try PolicyDecoder.decode(value) { name throws(CreditError) in
        guard let found = try CatalogDraft(name, beside: path, for: directory) else {
          return try CatalogFile.open(name, in: directory)
        }
        draft = found
        return found.catalog
      }
    }
    self.text = text
    catalog = draft
  }

  /// Puts the policy in place, after the catalog that it needs; each in one step. Under the exclusive
  /// lock.
  func install(in directory: StoreDirectory) throws(StoreFault) {
    if let catalog { try directory.replaceFile(catalog.name, with: catalog.text) }
    try directory.replaceFile(PolicyFile.name, with: text)
  }
}

/// A catalog that lies beside a policy which is to be put into a store.
struct CatalogDraft {
  let name: String
  let text: [UInt8]
  let catalog: CatalogFile

  /// - Returns: nil where there is none to be copied: the name is a path, or there is no such file,
  ///   or the store is where it lies.
  /// - Throws: `invalid_policy`, also where the name is one of the store's own files'.
  init?(_ name: String, beside path: String, for directory: StoreDirectory) throws(CreditError) {
    let folder = StoreDirectory.parent(of: path) ?? "."
    let source = StoreDirectory(path: folder, system: directory.system)
    guard !name.utf8.contains(UInt8(ascii: "/")) else { return nil }
    let (found, present) = try reporting { () throws(StoreFault) in
      (try source.status(of: name), try directory.status(of: name))
    }
    if found == nil && present == nil {
      throw CreditError(
        .invalidPolicy,
        "catalog names \(quoted(name)), which is neither beside the policy nor in the store",
        [.path("catalog")])
    }
    guard let found, found != present else { return nil }
    guard !Self.isReserved(name) else {
      throw CreditError(
        .invalidPolicy, "catalog is a name that the store has for a file of its own",
        [.path("catalog")])
    }
    self.name = name
    text = try OpenCatalog(source.path(of: name), source.system).text()
    catalog = try CatalogFile(checking: text, of: source.path(of: name))
  }

  private static func isReserved(_ name: String) -> Bool {
    let names = [PolicyFile.name, IndexFile.name, CatalogIndex.name, StoreLock.name]
    return names.contains(name) || name.hasPrefix("journal.") || name.hasSuffix(".new")
  }
}
