internal import CreditJSON
internal import CreditModel

/// A catalog that is looked up through its index.
struct IndexedCatalog {
  private let index: CatalogIndex
  private let file: NamedFile
  private let directory: StoreDirectory

  init(_ index: CatalogIndex, _ file: NamedFile, _ directory: StoreDirectory) {
    self.index = index
    self.file = file
    self.directory = directory
  }

  /// All prices of a model; nil where not as many are found as there should be.
  func model(_ id: Name) -> DatedPrices? {
    var total = 0
    var models: [PricedModel] = []
    _ = index.find(id, .model) { place in
      if let model = file.bytes(place.range).flatMap(CatalogText.model) {
        models.append(model)
        total = place.total
      }
      return nil as PricedModel?
    }
    guard let named = models.first(where: { $0.id == id || $0.aliases.contains(id) }) else {
      return nil
    }
    let all = models.filter { $0.id == named.id }
    return all.count == total ? DatedPrices(all) : nil
  }

  func product(_ id: Name) -> Product? {
    index.find(id, .product) { place in
      guard let product = file.bytes(place.range).flatMap(CatalogText.product), product.id == id
      else { return nil }
      return product
    }
  }

  func removeIndex() {
    try? directory.removeFile(CatalogIndex.name)
  }
}
