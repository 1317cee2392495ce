internal import CreditJSON
public import CreditModel
public import CreditSystem

/// The catalog that a store's policy names: a file of models and products in the policy's form.
///
/// A catalog may have thousands of models. It is checked whole once; until it changes, prices are
/// then looked up through its ``PriceIndex``, and only the entries found are read.
public struct CatalogFile {
  let prices: any PriceSource
  private let path: String
  private let file: NamedFile
  private let system: any SystemCalls

  /// Reads and checks a whole catalog that a user names.
  /// - Throws: `invalid_policy`, `io_error`.
  public static func load(_ path: String, system: any SystemCalls) throws(CreditError)
    -> PriceCatalog
  {
    try check(try InputFile.read(path, system), of: path)
  }

  /// Checks a whole catalog's text.
  /// - Throws: `invalid_policy`.
  @discardableResult
  public static func check(
    _ text: [UInt8], of path: String, _ body: (JSONValue) -> Void = { _ in }
  ) throws(CreditError) -> PriceCatalog {
    do {
      return try PolicyFile.decode(text) { value throws(CreditError) in
        let catalog = try PolicyDecoder.decodeCatalog(value)
        body(value)
        return catalog
      }
    } catch {
      throw error.inFile(path)
    }
  }

  /// Opens the catalog of a store's policy, and checks it unless its index proves that.
  /// - Throws: `invalid_policy`, also if the file is missing; `permission_denied`, `io_error`.
  static func open(_ name: String, in directory: StoreDirectory) throws(CreditError) -> CatalogFile
  {
    let path = name.hasPrefix("/") ? name : directory.path(of: name)
    let file = try NamedFile(path, of: .catalog, directory.system)
    let status = file.status
    if let index = PriceIndex(.catalog, of: status, in: directory) {
      let prices = IndexedPrices(index, of: file, in: directory, next: nil) {
        () throws(CreditError) in try check(try file.text(), of: path)
      }
      return CatalogFile(prices: prices, path: path, file: file, system: directory.system)
    }
    let isSettled = status.isSettled(at: directory.system.currentMilliseconds())
    let text = try file.text()
    var entries: [CatalogText.EntryPlace] = []
    let catalog = try check(text, of: path) { entries = CatalogText.entries($0) }
    if isSettled, file.isUnchanged {
      let start = text.firstIndex { $0 > 0x20 } ?? 0
      try? PriceIndex.write(.catalog, entries, startingAt: start, of: status, in: directory)
    }
    return CatalogFile(prices: catalog, path: path, file: file, system: directory.system)
  }

  /// Whether the file is unchanged since it was opened.
  var isCurrent: Bool { (try? NamedFile(path, of: .catalog, system))?.status == file.status }

  /// The catalog's text.
  /// - Throws: `io_error`.
  func text() throws(CreditError) -> [UInt8] { try file.text() }
}
