/// A pack of credits on sale, or a subscription. A class, as arrays of classes share one type,
/// which is there at the start.
package final class Product: Sendable {
  package let id: Name
  package let name: String
  package let description: String?
  package let credits: Credits
  /// The sale price: listed and recorded, never computed with beyond the price per credit.
  package let price: ExactDecimal?
  /// How many digits after the point the price was written with.
  package let pricePlaces: Int
  package let currency: String?
  /// An inactive product is left out of listings but still grants what was bought of it.
  package let isActive: Bool
  package let displayOrder: Int64
  /// What makes its purchases grants.
  package let terms: StatedTerms
  /// What its purchases grant besides.
  package let bonuses: [ProductBonus]
  /// The plan that it pays for; nil for a pack of credits.
  package let plan: Name?
  /// How long the plan goes on after the paid period without a renewal.
  package let gracePeriod: TimeSpan

  package init(
    id: Name, name: String, description: String? = nil, credits: Credits,
    price: ExactDecimal? = nil, pricePlaces: Int = 0, currency: String? = nil,
    isActive: Bool = true, displayOrder: Int64 = 0, terms: StatedTerms = StatedTerms(),
    bonuses: [ProductBonus] = [], plan: Name? = nil,
    gracePeriod: TimeSpan = TimeSpan(milliseconds: 0)
  ) {
    self.id = id
    self.name = name
    self.description = description
    self.credits = credits
    self.price = price
    self.pricePlaces = pricePlaces
    self.currency = currency
    self.isActive = isActive
    self.displayOrder = displayOrder
    self.terms = terms
    self.bonuses = bonuses
    self.plan = plan
    self.gracePeriod = gracePeriod
  }
}

/// Source of prices: the policy's own lists, and after them a catalog file.
package protocol PriceSource: AnyObject, Sendable {
  /// A model by exact id or alias, then by the alias that covers the id, with the price that is in
  /// force at a time; nil if there is no such model.
  /// - Throws: `unknown_model` for one that has no price yet; or where the catalog can't be read.
  func model(_ id: Name, at time: Timestamp) throws(CreditError) -> PricedModel?
  /// Returns a product by id; nil if the id is unknown.
  func product(_ id: Name) throws(CreditError) -> Product?
  /// Every name of a kind: ids and aliases of models, or ids of products. Reads all that there is.
  func names(_ kind: PricedKind) throws(CreditError) -> [Name]
}

/// What a catalog has a list of.
package enum PricedKind: Sendable {
  case model, product
}

/// Why lists of models and products are no catalog.
package enum CatalogProblem: Error, Equatable {
  /// The id or an alias of a model is another's.
  case takenModelName(place: Int, Name)
  /// A model has two entries with a price from the same time on.
  case takenTime(place: Int)
  case takenProductID(place: Int)
}

/// Models and products held in memory, in the order in which they were listed.
package final class PriceCatalog: PriceSource {
  package let models: [PricedModel]
  package let products: [Product]
  private let modelNames: ModelNames
  /// All prices of each model with several entries.
  private let datedPrices: [DatedPrices]
  /// Every id, in the order of the products.
  private let productNames: NameTable
  private let next: (any PriceSource)?

  /// - Parameter next: where to look for what is not here.
  /// - Throws: what first appears twice where each should have one meaning.
  package init(
    models: [PricedModel], products: [Product], next: (any PriceSource)? = nil
  ) throws(CatalogProblem) {
    var names = ModelNames(capacity: 2 * models.count)
    for place in models.indices { try names.add(models[place], at: place, of: models) }
    var productNames = NameTable(capacity: products.count)
    for (place, product) in products.enumerated() where !productNames.add(product.id) {
      throw .takenProductID(place: place)
    }
    self.models = models
    self.products = products
    self.next = next
    modelNames = names
    datedPrices = names.dated.map { group in DatedPrices(group.places.map { models[$0] }) }
    self.productNames = productNames
  }

  /// A catalog of nothing.
  package init() {
    models = []
    products = []
    next = nil
    modelNames = ModelNames()
    datedPrices = []
    productNames = NameTable()
  }

  package func model(_ id: Name, at time: Timestamp) throws(CreditError) -> PricedModel? {
    guard let found = modelNames.find(covered: id) else { return try next?.model(id, at: time) }
    if let dated = found.dated { return try datedPrices[dated].inForce(at: time, for: id) }
    let model = models[found.place]
    return model.from == nil ? model : try DatedPrices([model]).inForce(at: time, for: id)
  }

  package func product(_ id: Name) throws(CreditError) -> Product? {
    if let number = productNames.number(of: id) { return products[number] }
    return try next?.product(id)
  }

  package func names(_ kind: PricedKind) throws(CreditError) -> [Name] {
    let names =
      switch kind {
      case .model: models.flatMap { [$0.id] + $0.aliases }
      case .product: products.map(\.id)
      }
    return names + (try next?.names(kind) ?? [])
  }
}
