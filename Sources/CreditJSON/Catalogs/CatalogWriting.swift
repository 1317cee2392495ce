public import CreditModel

/// Catalogs as in files: one model or product a line, so that people can compare them.
extension JSONWriter {
  /// Writes a catalog that was made of another program's file.
  public mutating func catalog(_ catalog: CatalogImport) {
    beginRawValue()
    append(Bytes("{\"models\":"))
    lines(catalog.own.models, catalog.models) { $0.model($1) }
    put(UInt8(ascii: ","))
    endLine()
    append(Bytes("\"products\":"))
    lines(catalog.own.products, catalog.products) { $0.product($1) }
    put(UInt8(ascii: "}"))
    endRawValue()
  }

  private mutating func lines<Element>(
    _ own: [[UInt8]], _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
  ) {
    put(UInt8(ascii: "["))
    let count = own.count + elements.count
    if count > 0 { endLine() }
    for index in 0..<count {
      if index < own.count {
        own[index].withBytes { append($0) }
      } else {
        write(&self, elements[index - own.count])
      }
      if index + 1 < count { put(UInt8(ascii: ",")) }
      endLine()
    }
    put(UInt8(ascii: "]"))
  }

  private mutating func model(_ model: ImportedModel) {
    beginObject()
    member("id", model.id.text)
    if !model.aliases.isEmpty { member("aliases", model.aliases.map(\.text), List<Text>.self) }
    if let from = model.from { member("from", from, Time.self) }
    key(PriceForm.dollars.member)
    beginObject()
    members(of: model.prices.standard)
    if !model.prices.conditions.isEmpty {
      key("when")
      beginObject()
      for entry in model.prices.conditions { self.entry(entry) }
      endObject()
    }
    endObject()
    endObject()
  }

  private mutating func entry(_ entry: ImportedPrices.Condition) {
    entry.subject.key.withUTF8Bytes { key(utf8: $0) }
    beginObject()
    members(of: entry.prices)
    if let multiplier = entry.multiplier { member("multiply", multiplier.text) }
    endObject()
  }

  private mutating func members(of prices: TieredPrices) {
    members(of: prices.base)
    if prices.tiers.isEmpty { return }
    key("tiers")
    beginArray()
    for tier in prices.tiers {
      beginObject()
      // A limit of 199,999 means 200,000.
      if tier.above % 1000 == 999 {
        member("atInputTokens", tier.above + 1, Whole.self)
      } else {
        member("aboveInputTokens", tier.above, Whole.self)
      }
      members(of: tier.prices)
      endObject()
    }
    endArray()
  }

  private mutating func members(of prices: GivenPrices) {
    for count in UsageCount.allCases {
      price(PriceForm.dollars.name(of: count), prices[count])
    }
    price(PriceForm.dollars.requestName, prices.request)
  }

  private mutating func price(_ name: String, _ micros: ExactDecimal?) {
    guard let dollars = micros?.shifted(right: 6) else { return }
    name.withUTF8Bytes { key(utf8: $0) }
    string(dollars.text)
  }

  private mutating func product(_ product: ImportedProduct) {
    beginObject()
    member("id", product.id.text)
    member("name", product.name)
    if let description = product.description { member("description", description) }
    member("credits", product.credits, Whole.self)
    if let price = product.price { member("price", price) }
    endObject()
  }
}

/// A catalog's text taken apart into its entries, and the reading of one entry.
public enum CatalogText {
  public struct EntryPlace: Sendable {
    public let kind: PricedKind
    /// Everything that it is found by: its id, and a model's aliases, also those that it has only
    /// at another time.
    public var names: [Name]
    /// Number of entries that have these names: more than one if a model's prices have dates.
    public var total = 1
    /// Its bytes, counted from the first byte of the catalog's value.
    public let range: Range<Int>
  }

  /// The entries of a catalog that has been checked.
  public static func entries(_ catalog: JSONValue) -> [EntryPlace] {
    func entry(_ value: JSONValue, _ kind: PricedKind) -> EntryPlace? {
      guard let id = value.name("id") else { return nil }
      let offset = value.raw.offset(in: catalog.raw)
      return EntryPlace(
        kind: kind, names: kind == .model ? value.modelNames : [id],
        range: offset..<(offset + value.raw.count))
    }
    var models = catalog.elements("models").compactMap { entry($0, .model) }
    if catalog.elements("models").contains(where: { $0.member("from") != nil }) {
      shareNames(&models)
    }
    return models + catalog.elements("products").compactMap { entry($0, .product) }
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
  public static func model(_ text: [UInt8]) -> PricedModel? {
    read(text) { value in try? PolicyDecoder.model(value) }
  }

  /// Reads one product from its own text; nil if that is not a product.
  public static func product(_ text: [UInt8]) -> Product? {
    read(text) { value in try? PolicyDecoder.product(value) }
  }

  private static func read<Priced>(_ text: [UInt8], _ body: (JSONValue) -> Priced?) -> Priced? {
    guard let document = try? JSONDocument(text) else { return nil }
    // As a result the runtime would make its type: 30,000 instructions of a short run.
    var priced: Priced?
    document.withRoot { priced = body($0) }
    return priced
  }
}

/// A model of another program's file, or one of its prices if they have dates.
public struct ImportedModel: Sendable {
  public let id: Name
  var aliases: [Name] = []
  /// The time when the price came into force; nil if it has always been.
  var from: Timestamp?
  let prices: ImportedPrices
}

/// A product of a StoreKit configuration, with its credits.
public struct ImportedProduct: Sendable {
  public let id: Name
  let name: String
  let description: String?
  let credits: Credits
  /// The selling price, in the digits of the file.
  let price: String?
}
