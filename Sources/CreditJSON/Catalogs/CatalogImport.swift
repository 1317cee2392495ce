package import CreditModel

/// A catalog made of another program's price file, and how much of that file it leaves out.
///
/// Every entry of the file is either in the catalog or counted with the reason why not, and so is
/// every price of the models that are in it.
package struct CatalogImport: Sendable {
  /// The models, in the file's order.
  package private(set) var models: [ImportedModel] = []
  /// The products, in the file's order.
  package private(set) var products: [ImportedProduct] = []
  private(set) var entriesLeftOut = Tally()
  private(set) var pricesLeftOut = Tally()
  private(set) var namesLeftOut = Tally()
  private var pricesWorkedOut = Tally()
  private var positions: [Name: Int] = [:]

  /// Reads a file of LiteLLM, models.dev, genai-prices, llm-prices or StoreKit, whichever its
  /// content shows it to be.
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
    } else if GenAIPricesReader.recognizes(file) {
      GenAIPricesReader().read(file, into: &self)
    } else if ModelsDevReader.recognizes(file) {
      ModelsDevReader().read(file, into: &self)
    } else if LiteLLMReader.recognizes(file) {
      LiteLLMReader().read(file, into: &self)
    } else {
      throw CreditError(
        .invalidRequest,
        "the file is none of LiteLLM's model prices, models.dev's api.json, genai-prices' data, "
          + "llm-prices, or a StoreKit configuration")
    }
  }

  /// The sentences about what is left out or worked out, each with a count.
  package var remarks: [String] {
    entriesLeftOut.lines { "left out \($0): \($1)" }
      + pricesLeftOut.lines { "left out \($0) \($0 == 1 ? "price" : "prices"): \($1)" }
      + namesLeftOut.lines { "left out \($0) \($0 == 1 ? "name" : "names"): \($1)" }
      + pricesWorkedOut.lines { "worked out \($0) \($0 == 1 ? "price" : "prices"): \($1)" }
  }

  /// Adds a model, in place of one of the same id, for the last of equal names is what JSON's
  /// readers go by.
  mutating func add(_ model: ImportedModel) {
    if model.from == nil, let position = positions[model.id] {
      models[position] = model
      leaveOut(.repeated)
    } else {
      if model.from == nil { positions[model.id] = models.count }
      models.append(model)
    }
  }

  mutating func add(_ product: ImportedProduct) {
    if products.contains(where: { $0.id == product.id }) { return leaveOut(.repeated) }
    products.append(product)
  }

  /// Counts an entry that is not taken.
  mutating func leaveOut(_ entry: LeftOut) { entriesLeftOut.add(entry.description) }

  /// Counts a price that is not taken, of a model that is.
  mutating func leaveOut(price: LeftOut) { pricesLeftOut.add(price.description) }

  /// Counts a rule by which the file finds a model and a catalog can't.
  mutating func leaveOut(name: LeftOut) { namesLeftOut.add(name.description) }

  /// Counts prices that the file does not have and that follow from those that it has.
  mutating func workOut(_ what: String, count: Int) {
    if count > 0 { pricesWorkedOut.add(what, count: count) }
  }
}

/// How often each of some reasons came up, in the order in which they did.
struct Tally: Sendable {
  private var reasons: [String] = []
  private(set) var counts: [String: Int] = [:]

  mutating func add(_ reason: String, count: Int = 1) {
    if let known = counts[reason] {
      counts[reason] = known + count
    } else {
      reasons.append(reason)
      counts[reason] = count
    }
  }

  func lines(_ line: (Int, String) -> String) -> [String] {
    reasons.map { line(counts[$0] ?? 0, $0) }
  }
}
