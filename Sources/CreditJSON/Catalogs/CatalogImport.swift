public import CreditModel

/// A catalog made from another program's price file, and counts of the parts left out.
///
/// Every entry of the file, and every price of its models, is either in the catalog or counted with
/// the reason why not.
public struct CatalogImport: Sendable {
  public private(set) var models: [ImportedModel] = []
  public private(set) var products: [ImportedProduct] = []
  private(set) var own: (models: [[UInt8]], products: [[UInt8]]) = ([], [])
  private(set) var entriesLeftOut = Tally()
  private(set) var pricesLeftOut = Tally()
  private(set) var namesLeftOut = Tally()
  private var pricesWorkedOut = Tally()
  private var positions: [Name: Int] = [:]

  /// Reads a file of LiteLLM, models.dev, genai-prices, llm-prices or StoreKit, by its content.
  /// - Parameter productCredits: the credits of a StoreKit file's products.
  /// - Throws: `invalid_request` for any other file, and for products that are missing in it or not
  ///   sold by the piece.
  public init(_ file: JSONValue, productCredits: [Name: Credits] = [:]) throws(CreditError) {
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
      throw .invalidRequest("the file is not one of \(Self.formats)")
    }
  }

  /// The files that are read, for messages.
  public static let formats =
    "LiteLLM's model prices, models.dev's api.json, genai-prices' data, llm-prices, or a StoreKit "
    + "configuration"

  /// Adds the entries to those of a checked catalog, whose names they do not take.
  public mutating func add(to catalog: JSONValue) {
    own.models = catalog.elements("models").map { Array($0.raw) }
    own.products = catalog.elements("products").map { Array($0.raw) }
    let names = Set(catalog.elements("models").flatMap(\.modelNames))
    let ids = Set(catalog.elements("products").compactMap { $0.name("id") })
    models = models.compactMap { model in
      if names.contains(model.id) {
        entriesLeftOut.add(LeftOut.own.description)
        return nil
      }
      let aliases = model.aliases.filter { !names.contains($0) }
      for _ in aliases.count..<model.aliases.count { namesLeftOut.add(LeftOut.own.description) }
      return ImportedModel(
        id: model.id, aliases: aliases, from: model.from, prices: model.prices)
    }
    products = products.filter { product in
      if ids.contains(product.id) { entriesLeftOut.add(LeftOut.own.description) }
      return !ids.contains(product.id)
    }
  }

  /// The sentences about parts left out or computed, each with a count.
  public var remarks: [String] {
    entriesLeftOut.lines { "left out \($0): \($1)" }
      + pricesLeftOut.lines { "left out \($0) \($0 == 1 ? "price" : "prices"): \($1)" }
      + namesLeftOut.lines { "left out \($0) \($0 == 1 ? "name" : "names"): \($1)" }
      + pricesWorkedOut.lines { "worked out \($0) \($0 == 1 ? "price" : "prices"): \($1)" }
  }

  /// Adds a model, and replaces one of the same id: JSON's readers use the last of equal names.
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

  mutating func countDerived(_ what: String, count: Int) {
    if count > 0 { pricesWorkedOut.add(what, count: count) }
  }
}

/// Counts of reasons, in the order in which they came up.
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

/// Reads the lists of llm-prices: `prices`, each entry with an `id` and dollars a million tokens in
/// `input`, `output` and `input_cached`.
struct LLMPricesReader {
  static func recognizes(_ file: JSONValue) -> Bool {
    file.member("prices")?.elements.contains { entry in
      entry.member("id") != nil && entry.member("input") != nil
    } ?? false
  }

  func read(_ file: JSONValue, into catalog: inout CatalogImport) {
    for entry in file.elements("prices") {
      if let reason = add(entry, to: &catalog) { catalog.leaveOut(reason) }
    }
  }

  private func add(_ entry: JSONValue, to catalog: inout CatalogImport) -> LeftOut? {
    guard let id = entry.string("id"), Name.problem(with: id, limit: Name.idLimit) == nil else {
      return .unusableID
    }
    // Lists of past prices have an end for each.
    if let end = entry.member("to_date"), !end.isNull { return .past }
    let texts = ["input", "output", "input_cached"].map { (key: StaticString) in
      entry.member(key).flatMap { $0.isNull ? nil : $0 }
    }
    if texts[0] == nil { return .noInput }
    if texts[1] == nil { return .noOutput }
    let dollars = texts.map { $0?.exactDecimal }
    if zip(texts, dollars).contains(where: { $0 != nil && $1 == nil }) { return .unreadable }
    // Dollars and micro-dollars, both a million tokens.
    let prices = dollars.map { $0?.shifted(left: 6) }
    guard let input = prices[0], let output = prices[1] else { return .tooFine }
    var list = ImportedPrices()
    list.standard.base = GivenPrices(input: input, output: output)
    list.standard.base[.cacheReadTokens] = prices[2]
    if let problem = list.problem(hasOutput: true) { return problem }
    catalog.add(ImportedModel(id: Name(trusted: id), prices: list))
    return nil
  }
}

/// Reads a `.storekit` configuration of Xcode: the products of an app, to which come the credits
/// that each consumable grants.
struct StoreKitReader {
  let productCredits: [Name: Credits]

  static func recognizes(_ file: JSONValue) -> Bool {
    file.member("products")?.kind == .array && file.member("models") == nil
      && (file.member("subscriptionGroups") != nil || file.member("nonRenewingSubscriptions") != nil
        || file.member("version")?.member("major") != nil)
  }

  /// - Throws: `invalid_request` if credits are given for a product that the file lacks, or that
  ///   grants none.
  func read(_ file: JSONValue, into catalog: inout CatalogImport) throws(CreditError) {
    var unused = Set(productCredits.keys)
    let groups = file.elements("subscriptionGroups").flatMap { Array($0.elements("subscriptions")) }
    let others = Array(file.elements("nonRenewingSubscriptions")) + groups
    for product in Array(file.elements("products")) + others {
      let id = product.name("productID")
      let isConsumable = product.member("type")?.utf8Equals("Consumable") ?? false
      let credits = id.flatMap { productCredits[$0] }
      if let id, unused.remove(id) != nil, !isConsumable {
        throw .invalidRequest("product \(quoted(id.text)) is not consumable: it grants no credits")
      }
      if let reason = add(product, id, isConsumable, credits, to: &catalog) {
        catalog.leaveOut(reason)
      }
    }
    if let id = unused.min() {
      throw CreditError(.invalidRequest, "no product \(quoted(id.text)) in the file")
    }
  }

  private func add(
    _ product: JSONValue, _ id: Name?, _ isConsumable: Bool, _ credits: Credits?,
    to catalog: inout CatalogImport
  ) -> LeftOut? {
    guard isConsumable else { return .notConsumable }
    guard let id, Name.problem(with: id.text, limit: Name.idLimit) == nil else {
      return .unusableID
    }
    guard let credits else { return .noCredits }
    let price = product.member("displayPrice")
    if let price, price.exactDecimal == nil { return .unreadable }
    let localization = product.elements("localizations").first { _ in true }
    let name =
      usable(localization?.string("displayName")) ?? usable(product.string("referenceName"))
    catalog.add(
      ImportedProduct(
        id: id, name: name ?? id.text,
        description: usable(localization?.string("description"), limit: 4096), credits: credits,
        price: price?.string ?? price?.numberText.map { String(decoding: $0, as: UTF8.self) }))
    return nil
  }

  private func usable(_ text: String?, limit: Int = Name.idLimit) -> String? {
    text.flatMap { Name.problem(with: $0, limit: limit) == nil ? $0 : nil }
  }
}
