/// A pack of credits on sale.
package struct Product: Hashable, Sendable {
  package var id: Name
  package var name: String
  package var description: String?
  package var credits: Credits
  /// What it sells for, as decimal text; listed, never computed with beyond the price per credit.
  package var price: ExactDecimal?
  package var currency: String?
  /// An inactive product is left out of listings but still grants what was bought of it.
  package var isActive: Bool
  package var displayOrder: Int64

  package init(
    id: Name, name: String, description: String? = nil, credits: Credits,
    price: ExactDecimal? = nil, currency: String? = nil, isActive: Bool = true,
    displayOrder: Int64 = 0
  ) {
    self.id = id
    self.name = name
    self.description = description
    self.credits = credits
    self.price = price
    self.currency = currency
    self.isActive = isActive
    self.displayOrder = displayOrder
  }
}

/// Where prices are looked up: the policy's own lists, and after them a catalog file.
package protocol PriceSource: AnyObject, Sendable {
  /// The price of a model, by exact id, then by alias; nil where it has none.
  /// - Throws: where the catalog can't be read.
  func pricing(forModel id: Name) throws(CreditError) -> ServicePricing?
  /// A product by id; nil where there is none.
  func product(_ id: Name) throws(CreditError) -> Product?
  /// The ids and aliases of models that look most like one that is not there, nearest first.
  func nearestModels(to id: Name) throws(CreditError) -> [Name]
}

/// A model's price with the names it is found by.
package struct PricedModel: Hashable, Sendable {
  package var id: Name
  package var aliases: [Name]
  package var pricing: ServicePricing

  package init(id: Name, aliases: [Name], pricing: ServicePricing) {
    self.id = id
    self.aliases = aliases
    self.pricing = pricing
  }
}

/// Models and products held in memory, in the order in which they were listed.
package final class PriceCatalog: PriceSource {
  package let models: [PricedModel]
  package let products: [Product]
  private let modelIndex: [Name: Int]
  private let aliasIndex: [Name: Int]
  private let next: (any PriceSource)?

  /// - Parameter next: where to look for what is not here.
  package init(models: [PricedModel], products: [Product], next: (any PriceSource)? = nil) {
    self.models = models
    self.products = products
    self.next = next
    modelIndex = Dictionary(
      models.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    aliasIndex = Dictionary(
      models.enumerated().flatMap { index, model in model.aliases.map { ($0, index) } },
      uniquingKeysWith: { first, _ in first })
  }

  package func pricing(forModel id: Name) throws(CreditError) -> ServicePricing? {
    if let index = modelIndex[id] ?? aliasIndex[id] { return models[index].pricing }
    return try next?.pricing(forModel: id)
  }

  package func product(_ id: Name) throws(CreditError) -> Product? {
    if let product = products.first(where: { $0.id == id }) { return product }
    return try next?.product(id)
  }

  package func nearestModels(to id: Name) throws(CreditError) -> [Name] {
    let names = models.flatMap { [$0.id] + $0.aliases }
    return NearestNames.find(id, among: names + (try next?.nearestModels(to: id) ?? []))
  }
}
