/// A pack of credits on sale. A class, as arrays of classes share one type, which is there at the start.
package final class Product: Sendable {
  package let id: Name
  package let name: String
  package let description: String?
  package let credits: Credits
  /// What it sells for, as decimal text; listed, never computed with beyond the price per credit.
  package let price: ExactDecimal?
  package let currency: String?
  /// An inactive product is left out of listings but still grants what was bought of it.
  package let isActive: Bool
  package let displayOrder: Int64

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
  /// The ids and aliases of models that look most like one that is not there, nearest first. Compares
  /// it with all of them.
  func nearestModels(to id: Name) throws(CreditError) -> [Name]
}

/// A model's price with the names it is found by. A class, as a product is.
package final class PricedModel: Sendable {
  package let id: Name
  package let aliases: [Name]
  package let pricing: ServicePricing

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
  /// Every id and alias, and of each the place of its model.
  private let modelNames: NameTable
  private let modelPlaces: [Int]
  /// Every id, in the order of the products.
  private let productNames: NameTable
  private let next: (any PriceSource)?

  /// A name stands twice where each should have one meaning.
  package struct RepeatedName: Error {
    /// Of a model, else of a product.
    package let isModel: Bool
    package let place: Int
    package let name: Name
  }

  /// - Parameter next: where to look for what is not here.
  /// - Throws: the first model with an id or alias that another has, or product with another's id.
  package init(
    models: [PricedModel], products: [Product], next: (any PriceSource)? = nil
  ) throws(RepeatedName) {
    var modelNames = NameTable(capacity: 2 * models.count)
    var modelPlaces: [Int] = []
    for (place, model) in models.enumerated() {
      guard modelNames.add(model.id) else {
        throw RepeatedName(isModel: true, place: place, name: model.id)
      }
      modelPlaces.append(place)
      for alias in model.aliases {
        guard modelNames.add(alias) else {
          throw RepeatedName(isModel: true, place: place, name: alias)
        }
        modelPlaces.append(place)
      }
    }
    var productNames = NameTable(capacity: products.count)
    for (place, product) in products.enumerated() where !productNames.add(product.id) {
      throw RepeatedName(isModel: false, place: place, name: product.id)
    }
    self.models = models
    self.products = products
    self.next = next
    self.modelNames = modelNames
    self.modelPlaces = modelPlaces
    self.productNames = productNames
  }

  /// A catalog of nothing.
  package init() {
    models = []
    products = []
    next = nil
    modelNames = NameTable()
    modelPlaces = []
    productNames = NameTable()
  }

  package func pricing(forModel id: Name) throws(CreditError) -> ServicePricing? {
    if let number = modelNames.number(of: id) { return models[modelPlaces[number]].pricing }
    return try next?.pricing(forModel: id)
  }

  package func product(_ id: Name) throws(CreditError) -> Product? {
    if let number = productNames.number(of: id) { return products[number] }
    return try next?.product(id)
  }

  package func nearestModels(to id: Name) throws(CreditError) -> [Name] {
    let names = models.flatMap { [$0.id] + $0.aliases }
    return NearestNames.find(id, among: names + (try next?.nearestModels(to: id) ?? []))
  }
}
