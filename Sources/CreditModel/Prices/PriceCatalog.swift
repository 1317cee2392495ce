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

/// A model's price with the names it is found by. A class, as a product is.
package final class PricedModel: Sendable {
  package let id: Name
  package let aliases: [Name]
  package let pricing: ServicePricing
  /// What its dollar prices are multiplied by; nil for the policy's markup.
  package let markup: ExactDecimal?
  /// The time when the price came into force; nil if it has always held.
  package let from: Timestamp?

  package init(
    id: Name, aliases: [Name], pricing: ServicePricing, markup: ExactDecimal? = nil,
    from: Timestamp? = nil
  ) {
    self.id = id
    self.aliases = aliases
    self.pricing = pricing
    self.markup = markup
    self.from = from
  }
}

/// The prices that one model has had, by the time from which each holds.
package final class DatedPrices: Sendable {
  /// The earliest first.
  private let prices: [PricedModel]

  /// - Parameter prices: at least one, all of one model and none from another's time, in any order.
  package init(_ prices: [PricedModel]) {
    self.prices = prices.count > 1 ? prices.sorted { $0.begins < $1.begins } : prices
  }

  /// Returns the latest price that is not after a time. Nil if no price was in force yet.
  package func inForce(at time: Timestamp) -> PricedModel? {
    prices.last { $0.begins <= time }
  }

  /// The price in force at a time.
  /// - Throws: `unknown_model`, which says from when there is one.
  package func inForce(at time: Timestamp, for id: Name) throws(CreditError) -> PricedModel? {
    if let model = inForce(at: time) { return model }
    guard let from = prices.first?.from else { return nil }
    throw CreditError(
      .unknownModel, "model \(quoted(id.text)) has a price from \(from.text) on, and none before",
      [.model(id.text), .from(from)])
  }
}

extension PricedModel {
  fileprivate var begins: Timestamp { from ?? .earliest }
}

/// What a purchase of a product grants besides: a promotion.
package struct ProductBonus: Hashable, Sendable {
  package enum Amount: Hashable, Sendable {
    case credits(Credits)
    /// Of the purchase's credits, rounded down.
    case percent(Int64)
  }

  package var id: Name
  package var amount: Amount
  /// The times from which and until which it is granted; each nil if unlimited.
  package var from: Timestamp?
  package var until: Timestamp?
  /// Whether only an account's first completed purchase has it.
  package var isForFirst: Bool
  package var terms: StatedTerms

  /// The most bonuses of a product.
  package static let countLimit = 8
  /// The percentages that one may have.
  package static let percents: ClosedRange<Int64> = 1...10_000

  package init(
    id: Name, amount: Amount, from: Timestamp? = nil, until: Timestamp? = nil,
    isForFirst: Bool = false, terms: StatedTerms = StatedTerms()
  ) {
    self.id = id
    self.amount = amount
    self.from = from
    self.until = until
    self.isForFirst = isForFirst
    self.terms = terms
  }

  func isGranted(at time: Timestamp) -> Bool {
    time >= from ?? .earliest && time < until ?? .latest
  }

  /// - Throws: `amount_out_of_range`.
  func credits(of purchase: Transaction) throws(CreditError) -> Credits {
    switch amount {
    case .credits(let credits): return credits
    case .percent(let percent):
      let share = Int128(purchase.credits) * Int128(percent) / 100
      guard share <= Int128(Credits.largestGrant) else {
        throw .amountOutOfRange("the bonus would be more than 2^53 credits")
      }
      return Credits(share)
    }
  }
}

/// What a promotion has granted with a purchase.
package struct GrantedBonus: Hashable, Sendable {
  /// Of its transaction.
  package var id: Name
  package var credits: Credits

  package init(id: Name, credits: Credits) {
    self.id = id
    self.credits = credits
  }
}

/// A name for accounts that are shown the same products, and for the products that they alone are
/// shown: prices are tried out on some.
package enum ProductGroup {
  /// The most groups of a product.
  package static let countLimit = 64
  /// The word for no group.
  package static let none = "none"

  /// Describes what is wrong with a name, to follow its subject in a message. Nil if it is valid.
  package static func problem(with name: String) -> String? { SpendLimit.problem(withID: name) }
}

/// The price of one model or service.
///
/// The forms come from the products that bill with these tools: dollars or credits a token
/// (Murmur), credits a unit such as a second (Echo), credits a request such as a check or an image.
package enum ServicePricing: Equatable, Sendable {
  /// Dollars a token, to be turned into credits by the policy's exchange rate.
  case dollars(TokenRates)
  /// Credits a token.
  case credits(TokenRates)
  case perUnit(ExactDecimal)
  /// The same for every request, whatever its usage.
  case perRequest(Credits)
  case free
  /// The cost that the provider reports, in dollars.
  case reportedCost

  /// Whether the price depends on usage at all.
  package var needsUsage: Bool {
    switch self {
    case .dollars, .credits, .perUnit: true
    case .perRequest, .free, .reportedCost: false
    }
  }
}
