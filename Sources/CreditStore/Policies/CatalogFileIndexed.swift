internal import CreditJSON
internal import CreditModel

/// A catalog that is looked up through its index.
struct IndexedCatalog {
  private let index: CatalogIndex
  private let file: OpenCatalog
  private let directory: StoreDirectory

  init(_ index: CatalogIndex, _ file: OpenCatalog, _ directory: StoreDirectory) {
    self.index = index
    self.file = file
    self.directory = directory
  }

  func model(_ id: Name) -> PricedModel? {
    index.find(id, .model) { range in
      guard let model = file.bytes(range).flatMap(CatalogText.model),
        model.id == id || model.aliases.contains(id)
      else { return nil }
      return model
    }
  }

  func product(_ id: Name) -> Product? {
    index.find(id, .product) { range in
      guard let product = file.bytes(range).flatMap(CatalogText.product), product.id == id else {
        return nil
      }
      return product
    }
  }

  func text() throws(CreditError) -> [UInt8] { try file.text() }

  func removeIndex() {
    try? directory.removeFile(CatalogIndex.name)
  }
}
