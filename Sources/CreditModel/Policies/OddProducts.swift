/// Products of a policy that are probably mistakes: those of its events that no catalog has, and
/// prices that do not fit their currency.
public struct OddProducts: Sendable {
  /// Sentences on the first of them, and one on the rest.
  public private(set) var sentences: [String] = []
  private var count = 0

  /// The most sentences.
  private static let limit = 8

  public init(_ policy: Policy) {
    guard let names = (try? policy.prices.names(.product)).map(Set.init) else { return }
    for source in policy.payments {
      for (name, product) in source.products.sorted(by: { $0.key < $1.key }) {
        if names.contains(product) { continue }
        add(
          "product \(quoted(product.text)) of \(quoted(name)) in the events of format "
            + "\(source.format.rawValue) is not in the catalog, so such a payment is refused"
            + NearestNames.hint(policy.nearestNames(to: product.text, .product) ?? []))
      }
    }
    for product in policy.products {
      let id = quoted(product.id.text)
      for terms in [product.terms] + product.bonuses.map(\.terms) {
        if let slip = terms.expiry?.slip(at: .earliest) {
          add("product \(id): \(slip)")
        }
      }
      if product.gracePeriod == .seconds(0),
        let plan = product.plan.flatMap({ policy.plan($0) }), plan.rolloverMax > 0
      {
        add(
          "product \(id) has no gracePeriod: a renewal after the paid end carries nothing over, "
            + "although plan \(quoted(plan.id.text)) has rolloverMax")
      }
      if let models = product.terms.models,
        let unknown = try? policy.unknownModel(among: models, at: .latest)
      {
        add(
          "product \(id) grants credits for the model \(quoted(unknown.name.text)), "
            + "which the catalog lacks" + NearestNames.hint(unknown.nearest))
      }
      if let currency = product.currency {
        let sale = product.price.flatMap {
          PricedSale(.credits(product.credits), $0, currency, under: policy)
        }
        let problem = Currency.problem(of: product.price, in: currency)
        if let problem = problem ?? sale?.problem(at: policy.priceRules) {
          add("product \(id): \(problem)")
        }
      } else if product.price != nil {
        add("product \(id): its price has no currency, and no report counts it")
      }
    }
    if count > Self.limit { sentences.append("and \(count - Self.limit) more remarks like these") }
  }

  private mutating func add(_ sentence: @autoclosure () -> String) {
    count += 1
    if sentences.count < Self.limit { sentences.append(sentence()) }
  }
}

extension TopUpRequest {
  /// Says that its price is far from a known one, or that no report counts it: a gift's, or 0
  /// without a currency, unless that is the product's or of a plan.
  public func problem(ofPriceUnder policy: Policy, _ sales: () -> [Transaction]) -> String? {
    if !kind.isSold { return price.map { "no report counts a \(kind.rawValue)'s price, \($0)" } }
    guard let amount = price.flatMap({ ExactDecimal(text: $0) }) else { return nil }
    if amount.coefficient != 0 || currency != nil {
      let sale = PricedSale(grant, amount, currency, under: policy)
      return sale?.problem(under: policy, after: sales)
    }
    let known = grant.soldProduct.flatMap { try? policy.prices.product($0) }
    if known?.plan != nil || known?.price?.coefficient == 0 { return nil }
    return "the \(kind.rawValue) has the price 0, so no report counts money for it; a gift is "
      + "--type bonus"
  }
}

/// A sale whose price a person gives, to compare it with others.
public struct PricedSale {
  private let price: ExactDecimal
  private let currency: String
  private let product: Name?
  private let quantity: Int64
  private let credits: Credits

  /// Nil for a sale without a price, or of credits that are not known yet.
  /// - Parameter currency: nil for the product's.
  public init?(
    _ grant: TopUpRequest.Grant, _ price: ExactDecimal, _ currency: String?, under policy: Policy
  ) {
    var currency = currency
    switch grant {
    case .product(let name, let quantity):
      guard let product = try? policy.prices.product(name) else { return nil }
      let (credits, overflow) = product.credits.multipliedReportingOverflow(by: quantity)
      if overflow { return nil }
      (self.product, self.quantity, self.credits) = (name, quantity, credits)
      currency = currency ?? product.currency
    case .credits(let credits): (product, quantity, self.credits) = (nil, 1, credits)
    case .target: return nil
    }
    guard price.coefficient > 0, let currency else { return nil }
    (self.price, self.currency) = (price, currency)
  }

  /// Multiples from which a price is far above its product's, any two prices are far apart, and a
  /// price is far from the worth of its credits.
  private static let (ofProduct, ofCredits, ofWorth) = (Int64(10), Int64(50), Int64(20))

  private typealias Known = (words: String, due: ExactDecimal, credits: Credits)

  /// Says that the price is far from a known one: the product's, or else those of other products'
  /// credits, or else that of the last purchase like it, or else the worth of its credits. Nil if
  /// it is not, or if none is known.
  /// - Parameter sales: the newest first.
  public func problem(under policy: Policy, after sales: () -> [Transaction]) -> String? {
    let product = product.flatMap { try? policy.prices.product($0) }
    if let product, let due = product.price?.times(quantity), let currency = product.currency {
      if currency != self.currency { return nil }
      let words = "that of \(quantity == 1 ? "" : "\(quantity) of ")product"
      if due.coefficient <= 0 { return nil }
      return Self.distance(of: price, to: due, above: Self.ofProduct, below: Self.ofCredits).map {
        "the price \(text(price)) is far \($0) \(words) \(quoted(product.id.text)), \(text(due))"
      }
    }
    let others = others(under: policy)
    if !others.isEmpty { return problem(among: others, Self.ofCredits) }
    guard let last = last(of: sales()) else { return problem(at: policy.priceRules) }
    return problem(among: [last], Self.ofCredits)
  }

  /// Says that the price is far from the worth of its credits. Euros and pounds are near enough to
  /// dollars. Nil if it is not, or if the policy does not state the worth of a credit.
  func problem(at rules: PriceRules) -> String? {
    guard rules.statesRate, ["USD", "EUR", "GBP"].contains(currency) else { return nil }
    let worth = ExactDecimal(Int128(rules.usdMicrosPerCredit) * Int128(credits), places: 6)
    let words = "their worth by usdMicrosPerCredit, $\(worth.text(atLeast: 2))"
    // Without a markup the provider costs as much.
    let below = rules.markup == .one ? 5 : Self.ofWorth
    return problem(among: [(words, worth, credits)], Self.ofWorth, below: below)
  }

  /// The catalog's products with a price in the same currency.
  private func others(under policy: Policy) -> [Known] {
    policy.products.compactMap { pack in
      guard let due = pack.price, due.coefficient > 0, pack.credits > 0, pack.currency == currency
      else { return nil }
      let words = "that of product \(quoted(pack.id.text))"
      return ("\(words), \(text(due)) for \(pack.credits)", due, pack.credits)
    }
  }

  private func last(of sales: [Transaction]) -> Known? {
    for sale in sales where sale.productID == product && sale.currency == currency {
      guard sale.kind.isSold, sale.credits > 0,
        let due = sale.price.flatMap({ ExactDecimal(text: $0) }), due.coefficient > 0
      else { continue }
      return ("that of the last such sale, \(text(due)) for \(sale.credits)", due, sale.credits)
    }
    return nil
  }

  /// Compares the prices of a credit. Packs may differ: the price has to be far from all of them.
  private func problem(among known: [Known], _ factor: Int64, below: Int64? = nil) -> String? {
    var far: String?
    for (words, due, credits) in known {
      // A plan has no credits.
      guard self.credits > 0, let price = price.times(credits), let due = due.times(self.credits),
        let side = Self.distance(of: price, to: due, above: factor, below: below ?? factor)
      else { return nil }
      far = "the price \(text(self.price)) for \(self.credits) credits is far \(side) \(words)"
    }
    return far
  }

  /// Returns the side of an amount on which another one is, if it is far from it.
  private static func distance(
    of price: ExactDecimal, to due: ExactDecimal, above: Int64, below: Int64
  ) -> StaticString? {
    if let limit = due.times(above), limit <= price { return "above" }
    if let limit = price.times(below), limit <= due { return "below" }
    return nil
  }

  private func text(_ amount: ExactDecimal) -> String {
    "\(amount.text(atLeast: Currency.minorDigits(of: currency))) \(currency)"
  }
}
