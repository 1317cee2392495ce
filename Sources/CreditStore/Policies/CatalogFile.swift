internal import CreditJSON
package import CreditModel
package import CreditSystem

/// A file of prices: models and products in the policy's form.
///
/// A store's catalog may have thousands of models. It is checked whole once. Until it changes, a
/// price is then looked up through the store's ``CatalogIndex``, and only the entry found is read.
///
/// The caches need no lock, as one thread at a time looks prices up: the one that serves a batch.
package final class CatalogFile: PriceSource, @unchecked Sendable {
  private let index: CatalogIndex?
  /// The catalog's file, if a store's policy names it.
  private let source: Source?
  private var whole: PriceCatalog?
  /// Models that were looked up through the index.
  private var models = LookedUpModels()

  private struct Source {
    let path: String
    let file: NamedFile
    /// The store's folder.
    let directory: StoreDirectory
  }

  private init(whole: PriceCatalog?, index: CatalogIndex? = nil, source: Source? = nil) {
    self.whole = whole
    self.index = index
    self.source = source
  }

  /// Checks the whole text of a catalog.
  /// - Throws: `invalid_policy`.
  convenience init(checking text: [UInt8], of path: String) throws(CreditError) {
    self.init(whole: try Self.checked(text, path) { _ in }.catalog)
  }

  /// Reads and checks a whole catalog outside of a store.
  /// - Throws: `invalid_policy`, `io_error`.
  package static func load(_ path: String, system: any SystemCalls) throws(CreditError)
    -> CatalogFile
  {
    try CatalogFile(checking: try InputFile.read(path, system), of: path)
  }

  /// Checks a catalog's whole text.
  /// - Throws: `invalid_policy`.
  package static func check(_ text: [UInt8], of path: String) throws(CreditError) {
    _ = try checked(text, path) { _ in }
  }

  /// Opens the catalog of a store's policy, and checks it once.
  /// - Throws: `invalid_policy`, also if the file is missing; `permission_denied`, `io_error`.
  static func open(_ name: String, in directory: StoreDirectory) throws(CreditError) -> CatalogFile
  {
    let path = name.hasPrefix("/") ? name : directory.path(of: name)
    let file = try NamedFile(path, of: .catalog, directory.system)
    let status = file.status
    let source = Source(path: path, file: file, directory: directory)
    if let index = CatalogIndex(of: status, in: directory) {
      return CatalogFile(whole: nil, index: index, source: source)
    }
    let isSettled = status.isSettled(at: directory.system.currentMilliseconds())
    let text = try file.text()
    var entries: [CatalogText.EntryPlace] = []
    let catalog = try checked(text, path) { entries = CatalogText.entries($0) }
    if isSettled, file.isUnchanged {
      try? CatalogIndex.write(entries, startingAt: catalog.start, of: status, in: directory)
    }
    return CatalogFile(whole: catalog.catalog, source: source)
  }

  /// Whether the file is unchanged since it was opened here.
  var isCurrent: Bool {
    guard let source else { return true }
    let file = try? NamedFile(source.path, of: .catalog, source.directory.system)
    return file?.status == source.file.status
  }

  /// Returns the text of a catalog that a store's policy names.
  /// - Throws: `io_error`.
  func text() throws(CreditError) -> [UInt8] { try source?.file.text() ?? [] }

  private static func checked(
    _ text: [UInt8], _ path: String, _ body: (JSONValue) -> Void
  ) throws(CreditError) -> (catalog: PriceCatalog, start: Int) {
    do {
      let catalog = try PolicyFile.decode(text) { value throws(CreditError) in
        let catalog = try PolicyDecoder.decodeCatalog(value)
        body(value)
        return catalog
      }
      return (catalog, text.firstIndex { $0 > 0x20 } ?? 0)
    } catch {
      throw CreditError(error.code, "\(quoted(path)): \(error.message)", error.details)
    }
  }

  package func model(_ id: Name, at time: Timestamp) throws(CreditError) -> PricedModel? {
    if let whole { return try whole.model(id, at: time) }
    if let known = models[id] { return try known.inForce(at: time, for: id) }
    guard let (name, places) = index?.models(id),
      let model = source?.file.model(name, at: places)
    else {
      return try missing { catalog throws(CreditError) in try catalog.model(id, at: time) }
    }
    models.remember(model, as: id)
    return try model.inForce(at: time, for: id)
  }

  package func product(_ id: Name) throws(CreditError) -> Product? {
    if let whole { return try whole.product(id) }
    let places = index?.places(of: id, .product) ?? []
    if let product = source?.file.product(id, at: places) { return product }
    return try missing { catalog throws(CreditError) in try catalog.product(id) }
  }

  package func names(_ kind: PricedKind) throws(CreditError) -> [Name] {
    try readWhole().names(kind)
  }

  /// Searches the whole catalog for an entry that the index lacks. If it exists, the index is
  /// damaged.
  private func missing<Found>(_ find: (PriceCatalog) throws(CreditError) -> Found?)
    throws(CreditError) -> Found?
  {
    let found = try find(try readWhole())
    if found != nil { try? source?.directory.removeFile(CatalogIndex.name) }
    return found
  }

  private func readWhole() throws(CreditError) -> PriceCatalog {
    if let whole { return whole }
    guard let source else { return PriceCatalog() }
    let catalog = try Self.checked(try source.file.text(), source.path) { _ in }.catalog
    whole = catalog
    return catalog
  }
}
