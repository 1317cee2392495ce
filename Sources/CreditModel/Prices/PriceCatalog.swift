/// A pack of credits on sale, or a subscription. A class, as arrays of classes share one type,
/// which exists from the start.
public final class Product: Sendable {
  public let id: Name
  public let name: String
  public let credits: Credits
  /// The sale price: listed and recorded, and only used for the price per credit.
  public let price: ExactDecimal?
  /// Number of digits after the point in the price's text.
  public let pricePlaces: Int
  public let currency: String?
  public let terms: StatedTerms
  public let bonuses: [ProductBonus]
  /// The plan that it pays for; nil for a pack of credits.
  public let plan: Name?
  /// How long the plan continues after the paid period without a renewal.
  public let gracePeriod: TimeSpan

  public init(
    id: Name, name: String, credits: Credits,
    price: ExactDecimal? = nil, pricePlaces: Int = 0, currency: String? = nil,
    terms: StatedTerms = StatedTerms(), bonuses: [ProductBonus] = [], plan: Name? = nil,
    gracePeriod: TimeSpan = TimeSpan(milliseconds: 0)
  ) {
    self.id = id
    self.name = name
    self.credits = credits
    self.price = price
    self.pricePlaces = pricePlaces
    self.currency = currency
    self.terms = terms
    self.bonuses = bonuses
    self.plan = plan
    self.gracePeriod = gracePeriod
  }
}

/// Source of prices: the policy's own lists, and after them a catalog file.
public protocol PriceSource: AnyObject, Sendable {
  /// Returns the prices of a model; nil if there is no such model.
  ///
  /// Searches the exact id or alias first, then the alias that covers the id.
  /// - Throws: an error if the catalog cannot be read.
  func model(_ id: Name) throws(CreditError) -> DatedPrices?
  func product(_ id: Name) throws(CreditError) -> Product?
  /// Returns all names of a kind: ids and aliases of models, or ids of products. Reads everything.
  func names(_ kind: PricedKind) throws(CreditError) -> [Name]
}

extension PriceSource {
  /// Returns a model with the price in force at a time; nil if there is no such model.
  /// - Throws: `unknown_model` if it has no price yet; an error if the catalog cannot be read.
  public func model(_ id: Name, at time: Timestamp) throws(CreditError) -> PricedModel? {
    try model(id)?.inForce(at: time, for: id)
  }
}

public enum PricedKind: UInt8, Sendable {
  case model = 1
  case product = 2
}

/// Why lists of models and products are not a catalog.
public enum CatalogProblem: Error, Equatable {
  /// The id or an alias of a model belongs to another one.
  case takenModelName(place: Int, Name)
  /// A model has two entries with a price from the same time on.
  case takenTime(place: Int)
  case takenProductID(place: Int)
}

/// Models and products in memory, in their listed order.
public final class PriceCatalog: PriceSource {
  public let models: [PricedModel]
  public let products: [Product]
  private let modelNames: ModelNames
  /// All prices of each model with several entries.
  private let datedPrices: [DatedPrices]
  /// Every id, in the order of the products.
  private let productNames: NameTable
  private let next: (any PriceSource)?

  /// - Parameter next: the source for names that are missing here.
  /// - Throws: the first name that occurs twice.
  public init(
    models: [PricedModel], products: [Product], next: (any PriceSource)? = nil
  ) throws(CatalogProblem) {
    var names = ModelNames(capacity: 2 * models.count)
    for place in models.indices { try names.add(models[place], at: place, of: models) }
    var productNames = NameTable(expecting: products.count)
    for (place, product) in products.enumerated() where !productNames.add(product.id) {
      throw .takenProductID(place: place)
    }
    self.models = models
    self.products = products
    self.next = next
    datedPrices = names.dated.map { group in DatedPrices(group.places.map { models[$0] }) }
    modelNames = names
    self.productNames = productNames
  }

  public init() {
    models = []
    products = []
    next = nil
    modelNames = ModelNames()
    datedPrices = []
    productNames = NameTable()
  }

  public func model(_ id: Name) throws(CreditError) -> DatedPrices? {
    guard let found = modelNames.find(covered: id) else { return try next?.model(id) }
    return found.dated.map { datedPrices[$0] } ?? DatedPrices([models[found.place]])
  }

  public func product(_ id: Name) throws(CreditError) -> Product? {
    if let number = productNames.number(of: id) { return products[number] }
    return try next?.product(id)
  }

  public func names(_ kind: PricedKind) throws(CreditError) -> [Name] {
    let names =
      switch kind {
      case .model: models.flatMap { [$0.id] + $0.aliases }
      case .product: products.map(\.id)
      }
    return names + (try next?.names(kind) ?? [])
  }
}

/// A model's price with the names it is found by. A class, as a product is.
public final class PricedModel: Sendable {
  public let id: Name
  public let aliases: [Name]
  public let pricing: ServicePricing
  /// Factor of its dollar prices; nil for the policy's markup.
  public let markup: ExactDecimal?
  /// The time when the price came into force; nil if it has always been.
  public let from: Timestamp?

  public init(
    id: Name, aliases: [Name], pricing: ServicePricing, markup: ExactDecimal? = nil,
    from: Timestamp? = nil
  ) {
    self.id = id
    self.aliases = aliases
    self.pricing = pricing
    self.markup = markup
    self.from = from
  }

  fileprivate var begins: Timestamp { from ?? .earliest }
}

/// The prices that one model has had, each with its start.
public final class DatedPrices: Sendable {
  /// The earliest first.
  private let prices: [PricedModel]

  /// - Parameter prices: at least one, all of one model and of different times, in any order.
  public init(_ prices: [PricedModel]) {
    self.prices = prices.count > 1 ? prices.sorted { $0.begins < $1.begins } : prices
  }

  /// The only price, if it is in force at any time.
  var undated: PricedModel? { prices.count == 1 && prices[0].from == nil ? prices[0] : nil }

  /// Returns the price in force at a time: the latest that is not after it.
  /// - Throws: `unknown_model`, with the time of the first price.
  public func inForce(at time: Timestamp, for id: Name) throws(CreditError) -> PricedModel? {
    if let model = prices.last(where: { $0.begins <= time }) { return model }
    guard let from = prices.first?.from else { return nil }
    throw CreditError(
      .unknownModel, "model \(quoted(id.text)) has a price from \(from.text) on, and none before",
      [.model(id.text), .from(from)])
  }
}

/// A promotion: a bonus of a product's purchase.
public struct ProductBonus: Equatable, Sendable {
  public enum Amount: Equatable, Sendable {
    case credits(Credits)
    /// A share of the purchase's credits, rounded down.
    case percent(Int64)
  }

  public var id: Name
  public var amount: Amount
  /// The start and end of the promotion, if it has them.
  public var from: Timestamp?
  public var until: Timestamp?
  /// Whether only an account's first completed purchase has it.
  public var isForFirst: Bool
  public var terms: StatedTerms

  /// The most bonuses of a product.
  public static let countLimit = 8
  /// Allowed percentages.
  public static let percents: ClosedRange<Int64> = 1...10_000

  public init(
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

  /// Returns true if a purchase lacks it as another transaction has its id. Never true of a first
  /// purchase's.
  public func isMissing(from topUp: TopUp) -> Bool {
    let purchase = topUp.transaction
    guard purchase.kind.isSold, purchase.status == .completed, !isForFirst,
      isGranted(at: purchase.timestamp), let credits = try? credits(of: purchase), credits > 0
    else { return false }
    return !topUp.bonuses.contains { $0.id.text == "\(purchase.id.text):\(id.text)" }
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

/// A promotion's bonus with a purchase.
public struct GrantedBonus: Equatable, Sendable {
  /// Of its transaction.
  public var id: Name
  public var credits: Credits

  public init(id: Name, credits: Credits) {
    self.id = id
    self.credits = credits
  }
}

/// A group of accounts with products of their own, for example to try prices.
public enum ProductGroup {
  public static let countLimit = 64
  public static let none = "none"

  /// Returns the fault of a name, to follow its subject in a message. Nil if it is valid.
  public static func problem(with name: String) -> String? { SpendLimit.problem(withID: name) }
}

/// The price of one model or service.
///
/// The forms come from the products that bill with these tools: dollars or credits a token
/// (Murmur), credits a unit such as a second (Echo), credits a request such as a check or an image.
public enum ServicePricing: Equatable, Sendable {
  /// Dollars a token, to be turned into credits by the policy's exchange rate.
  case dollars(TokenRates)
  case credits(TokenRates)
  case perUnit(ExactDecimal)
  /// The same for every request, with any usage.
  case perRequest(Credits)
  case free
  /// The cost that the provider reports, in dollars.
  case reportedCost

  /// Whether input and output tokens cost something.
  public var pricesTokens: Bool {
    switch self {
    case .dollars(let rates), .credits(let rates): rates.pricesTokens
    case .perUnit, .perRequest, .free, .reportedCost: false
    }
  }

  /// The calls that are priced, such as images, if tokens are not.
  public var callsAlone: UsageCount? {
    if case .dollars(let rates) = self { rates.callsAlone } else { nil }
  }

  /// The counts that a usage needs, as members and as flags; empty if requests cost the same.
  private static func needed(by pricing: ServicePricing?) -> [(member: String, flag: String)] {
    switch pricing {
    case .perUnit?: return [("units", "units")]
    case .perRequest?, .free?: return []
    default:
      let counts = pricing?.callsAlone.map { [$0] } ?? [.inputTokens, .outputTokens]
      return counts.map { ("\($0.row.member)", $0.row.flag) }
    }
  }

  /// Returns the flags that give a usage, with `N` for each number.
  /// - Parameter pricing: nil if it is not known.
  public static func flags(for pricing: ServicePricing?) -> [String] {
    let needed = needed(by: pricing)
    return needed.isEmpty ? ["--flat"] : needed.flatMap { ["--\($0.flag)", "N"] }
  }

  /// The end of a message that says how a usage is given.
  public var advice: String {
    let members = Self.needed(by: self).map { "\"\($0.member)\":N" }.joined(separator: ",")
    return "give \(Self.flags(for: self).joined(separator: " ")), or \"usage\":{\(members)}"
  }

  /// Whether hours have prices of their own.
  var dependsOnTime: Bool {
    switch self {
    case .dollars(let rates), .credits(let rates): rates.dependsOnTime
    case .perUnit, .perRequest, .free, .reportedCost: false
    }
  }

  public var needsUsage: Bool {
    switch self {
    case .dollars, .credits, .perUnit: true
    case .perRequest, .free, .reportedCost: false
    }
  }
}
