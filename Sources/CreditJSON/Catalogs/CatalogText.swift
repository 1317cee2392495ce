package import CreditModel

/// A catalog's text taken apart: where its entries are, and what one of them says by itself.
package enum CatalogText {
  /// Where the text of a model or product is.
  package struct EntryPlace: Sendable {
    package let isModel: Bool
    /// Everything that it is found by: its id, and a model's aliases, also those that it has only
    /// at another time.
    package var names: [Name]
    /// How many entries have these names: more than one where a model's prices have dates.
    package var total = 1
    /// Its bytes, counted from the first byte of the catalog's value.
    package let range: Range<Int>
  }

  /// The entries of a catalog that has been checked.
  package static func entries(_ catalog: JSONValue) -> [EntryPlace] {
    let start = catalog.raw.baseAddress ?? catalog.bytes
    func entry(_ value: JSONValue, isModel: Bool) -> EntryPlace? {
      guard let id = value.name("id"), let base = value.raw.baseAddress else { return nil }
      let offset = base - start
      return EntryPlace(
        isModel: isModel, names: isModel ? value.modelNames : [id],
        range: offset..<(offset + value.raw.count))
    }
    var models = catalog.elements("models").compactMap { entry($0, isModel: true) }
    if catalog.elements("models").contains(where: { $0.member("from") != nil }) {
      shareNames(&models)
    }
    return models + catalog.elements("products").compactMap { entry($0, isModel: false) }
  }

  /// Gives the entries of one id each other's aliases.
  private static func shareNames(_ models: inout [EntryPlace]) {
    var places: [Name: [Int]] = [:]
    for (place, model) in models.enumerated() { places[model.names[0], default: []].append(place) }
    for places in places.values where places.count > 1 {
      var names: [Name] = []
      for name in places.flatMap({ models[$0].names }) where !names.contains(name) {
        names.append(name)
      }
      for place in places {
        models[place].names = names
        models[place].total = places.count
      }
    }
  }

  /// Reads one model from its own text; nil if that is not a model.
  package static func model(_ text: [UInt8]) -> PricedModel? {
    read(text) { value in try? PolicyDecoder.model(value) }
  }

  /// Reads one product from its own text; nil if that is not a product.
  package static func product(_ text: [UInt8]) -> Product? {
    read(text) { value in try? PolicyDecoder.product(value) }
  }

  private static func read<Priced>(_ text: [UInt8], _ body: (JSONValue) -> Priced?) -> Priced? {
    guard let document = try? JSONDocument(text) else { return nil }
    return document.withRoot(body)
  }
}
