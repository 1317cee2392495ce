internal import CreditJSON
package import CreditModel
package import CreditSystem

/// A file of prices: models and products in the policy's form.
///
/// The catalog of a store's policy may have thousands of models. It is checked whole once; after
/// that, and until it changes, a price is looked up through the store's ``CatalogIndex``, and only
/// the entry found is read.
///
/// What is remembered here needs no lock, as one thread at a time looks prices up: the one that
/// serves a batch, and no other while it does.
package final class CatalogFile: PriceSource, @unchecked Sendable {
  private let indexed: IndexedCatalog?
  /// The file that it is, where a store's policy names it.
  private let source: (path: String, file: NamedFile, system: any SystemCalls)?
  private var whole: PriceCatalog?
  /// What has been looked up through the index, and by which names, in one order.
  private var names = NameTable()
  private var models: [DatedPrices] = []

  /// The most look-ups that are remembered.
  private static let rememberedLimit = 10_000

  private init(
    whole: PriceCatalog?, indexed: IndexedCatalog? = nil,
    source: (path: String, file: NamedFile, system: any SystemCalls)? = nil
  ) {
    self.whole = whole
    self.indexed = indexed
    self.source = source
  }

  /// Checks the text of a catalog, whole.
  /// - Throws: `invalid_policy`.
  convenience init(checking text: [UInt8], of path: String) throws(CreditError) {
    self.init(whole: try Self.checked(text, path) { _ in }.catalog)
  }

  /// Reads and checks a catalog that somebody names, whole.
  /// - Throws: `invalid_policy`, `io_error`.
  package static func load(_ path: String, system: any SystemCalls) throws(CreditError)
    -> CatalogFile
  {
    try CatalogFile(checking: try InputFile.read(path, system), of: path)
  }

  /// Checks a catalog's text whole.
  /// - Throws: `invalid_policy`.
  package static func check(_ text: [UInt8], of path: String) throws(CreditError) {
    _ = try checked(text, path) { _ in }
  }

  /// Opens the catalog of a store's policy, and checks it unless that has been done.
  /// - Throws: `invalid_policy`, also where there is no such file; `permission_denied`, `io_error`.
  static func open(_ name: String, in directory: StoreDirectory) throws(CreditError) -> CatalogFile
  {
    let path = name.hasPrefix("/") ? name : directory.path(of: name)
    let file = try NamedFile(path, of: .catalog, directory.system)
    let status = file.status
    let source = (path: path, file: file, system: directory.system)
    if let index = CatalogIndex(of: status, in: directory) {
      return CatalogFile(
        whole: nil, indexed: IndexedCatalog(index, file, directory), source: source)
    }
    let isSettled = Self.isSettled(status, at: directory.system.currentMilliseconds())
    let text = try file.text()
    var entries: [CatalogText.Entry] = []
    let catalog = try checked(text, path) { entries = CatalogText.entries($0) }
    if isSettled, file.isUnchanged {
      try? CatalogIndex.write(entries, startingAt: catalog.start, of: status, in: directory)
    }
    return CatalogFile(whole: catalog.catalog, source: source)
  }

  /// Whether any later change of a file will show. One that was changed a moment ago may change
  /// once more within the same tick of the clock that marks its changes, a few milliseconds.
  static func isSettled(_ status: FileStatus, at milliseconds: Int64) -> Bool {
    milliseconds - status.changedNanoseconds / 1_000_000 >= 20
  }

  /// Whether the file is still as it was when it was opened here.
  var isCurrent: Bool {
    guard let source else { return true }
    let file = try? NamedFile(source.path, of: .catalog, source.system)
    return file?.status == source.file.status
  }

  /// The text of a catalog that a store's policy names.
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
    if let number = names.number(of: id) { return try models[number].inForce(at: time, for: id) }
    guard let model = indexed?.model(id) else {
      return try missing { catalog throws(CreditError) in try catalog.model(id, at: time) }
    }
    remember(model, as: id)
    return try model.inForce(at: time, for: id)
  }

  private func remember(_ model: DatedPrices, as name: Name) {
    if models.count >= Self.rememberedLimit {
      names = NameTable()
      models = []
    }
    if names.add(name) { models.append(model) }
  }

  package func product(_ id: Name) throws(CreditError) -> Product? {
    if let whole { return try whole.product(id) }
    if let product = indexed?.product(id) { return product }
    return try missing { catalog throws(CreditError) in try catalog.product(id) }
  }

  package func nearestModels(to id: Name) throws(CreditError) -> [Name] {
    try readWhole().nearestModels(to: id)
  }

  /// Looks in the whole catalog for what the index doesn't have. An index that should have had it
  /// is damaged.
  private func missing<Found>(_ find: (PriceCatalog) throws(CreditError) -> Found?)
    throws(CreditError) -> Found?
  {
    let found = try find(try readWhole())
    if found != nil { indexed?.removeIndex() }
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
