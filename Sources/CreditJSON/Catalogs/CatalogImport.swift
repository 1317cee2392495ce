package import CreditModel

/// A catalog made of another program's price file, and how much of that file it leaves out.
///
/// Every entry of the file is either in the catalog or counted with the reason why not.
package struct CatalogImport: Sendable {
  /// The models, in the file's order.
  package private(set) var models: [ImportedModel] = []
  /// The products, in the file's order.
  package private(set) var products: [ImportedProduct] = []
  /// How many entries were left out for each reason, in the order in which the reasons came up.
  package private(set) var leftOut: [(reason: String, count: Int)] = []
  /// How many models were taken without a part of their entry that a catalog has no form for.
  package private(set) var simplified: [(what: String, count: Int)] = []
  private var positions: [Name: Int] = [:]

  /// Reads a file of LiteLLM, llm-prices or StoreKit, whichever its content shows it to be.
  /// - Parameter productCredits: what the products of a StoreKit file grant.
  /// - Throws: `invalid_request` for any other file, and for products that are not in it or not for
  ///   sale by the piece.
  package init(_ file: JSONValue, productCredits: [Name: Credits] = [:]) throws(CreditError) {
    if StoreKitReader.recognizes(file) {
      try StoreKitReader(productCredits: productCredits).read(file, into: &self)
      return
    }
    if let id = productCredits.keys.min() {
      throw CreditError(.invalidRequest, "no product \(quoted(id.text)) in the file")
    }
    if LLMPricesReader.recognizes(file) {
      LLMPricesReader().read(file, into: &self)
    } else if LiteLLMReader.recognizes(file) {
      LiteLLMReader().read(file, into: &self)
    } else {
      throw CreditError(
        .invalidRequest,
        "the file is none of LiteLLM's model prices, llm-prices, or a StoreKit configuration")
    }
  }

  /// Adds a model, in place of one of the same id, for the last of equal names is what JSON's readers
  /// go by.
  mutating func add(_ model: ImportedModel) {
    if let position = positions[model.id] {
      models[position] = model
      leaveOut(.repeated)
    } else {
      positions[model.id] = models.count
      models.append(model)
    }
  }

  mutating func add(_ product: ImportedProduct) {
    if products.contains(where: { $0.id == product.id }) { return leaveOut(.repeated) }
    products.append(product)
  }

  mutating func leaveOut(_ entry: LeftOut) {
    let reason = entry.description
    if let index = leftOut.firstIndex(where: { $0.reason == reason }) {
      leftOut[index].count += 1
    } else {
      leftOut.append((reason, 1))
    }
  }

  mutating func simplify(_ what: String) {
    if let index = simplified.firstIndex(where: { $0.what == what }) {
      simplified[index].count += 1
    } else {
      simplified.append((what, 1))
    }
  }
}
