package import CreditModel

/// A catalog's text taken apart: where its entries stand, and what one of them says by itself.
package enum CatalogText {
  /// Where the text of a model or product stands.
  package struct Entry: Sendable {
    package let isModel: Bool
    /// Everything that it is found by: its id, and a model's aliases.
    package let names: [Name]
    /// Its bytes, counted from the first byte of the catalog's value.
    package let range: Range<Int>
  }

  /// The entries of a catalog that has been checked.
  package static func entries(_ catalog: JSONValue) -> [Entry] {
    let start = catalog.raw.baseAddress ?? catalog.bytes
    func entry(_ value: JSONValue, isModel: Bool) -> Entry? {
      guard let id = value.name("id"), let base = value.raw.baseAddress else { return nil }
      let aliases = value.elements("aliases").compactMap(\.string).map(Name.init(trusted:))
      let offset = base - start
      return Entry(
        isModel: isModel, names: [id] + (isModel ? aliases : []),
        range: offset..<(offset + value.raw.count))
    }
    return catalog.elements("models").compactMap { entry($0, isModel: true) }
      + catalog.elements("products").compactMap { entry($0, isModel: false) }
  }

  /// Reads one model from its own text; nil where that is no model.
  package static func model(_ text: [UInt8]) -> PricedModel? {
    catalog("models", text)?.models.first
  }

  /// Reads one product from its own text; nil where that is no product.
  package static func product(_ text: [UInt8]) -> Product? {
    catalog("products", text)?.products.first
  }

  /// A catalog of one entry, so that it is read by the same rules.
  private static func catalog(_ list: String, _ text: [UInt8]) -> PriceCatalog? {
    let whole = Array("{\"\(list)\":[".utf8) + text + Array("]}".utf8)
    guard let document = try? JSONDocument(whole) else { return nil }
    return try? document.withRoot { value throws(CreditError) in
      try PolicyDecoder.decodeCatalog(value)
    }
  }
}
