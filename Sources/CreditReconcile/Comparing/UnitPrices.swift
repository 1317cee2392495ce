internal import CreditModel
internal import CreditReport

/// Price that one side of a line takes for each count, if that shows.
struct UnitPrices {
  /// Dollars for a million tokens, or a thousand calls, by place.
  private(set) var prices: [Int: DecimalSum] = [:]

  private init() {}

  /// The prices of the bill: from what it says of each count, or of the one count that there is.
  init(bill: BillSide, _ counts: Quantities) {
    for place in counts.places {
      let amount = bill.amounts[place] ?? (counts.places.count == 1 ? bill.money : nil)
      if let amount { prices[place] = Self.price(of: amount, for: counts[place], at: place) }
    }
  }

  /// The prices of the books: of the one count that there is, or those of the catalog if the counts
  /// cost by it what the books say.
  init(books: BookSide, _ counts: Quantities, _ model: PricedModel?) {
    guard let money = books.money else { return }
    if counts.places.count == 1, let place = counts.places.first {
      prices[place] = Self.price(of: money, for: counts[place], at: place)
    } else if let model, let listed = Self.listed(model, counts),
      listed.cost(of: counts).map({ $0.plus(money.negated)?.isZero ?? false }) == true
    {
      self = listed
    }
  }

  /// Dollars for a million tokens, or a thousand calls, at most six places after the point.
  private static func price(of amount: DecimalSum, for count: Int64, at place: Int) -> DecimalSum? {
    let unit: Int64 = Quantities.isOfCalls(place) ? 1000 : 1_000_000
    return amount.times(unit).flatMap { $0.divided(by: count, morePlaces: 6)?.quotient }
  }

  /// Returns a catalog's price for each of some counts; nil if it lacks one.
  private static func listed(_ model: PricedModel, _ counts: Quantities) -> UnitPrices? {
    var listed = UnitPrices()
    var rules = PriceRules()
    rules.minimumCharge = 0
    for place in counts.places {
      guard place != Quantities.unitsPlace else { return nil }
      var usage = TokenUsage(inputTokens: 0, outputTokens: 0)
      usage[UsageCount(at: place)] = 1
      guard
        let quote = try? rules.quote(.counts(.tokens(usage)), at: model.pricing, markup: .one),
        let usd = quote.usd?.withUTF8Bytes({ DecimalSum(text: $0) }),
        let price = usd.times(Quantities.isOfCalls(place) ? 1000 : 1_000_000)
      else { return nil }
      listed.prices[place] = price
    }
    return listed
  }

  /// Returns the cost of some counts at these prices. Nil if one has no price.
  func cost(of counts: Quantities) -> DecimalSum? {
    var cost = DecimalSum()
    for place in counts.places {
      guard let price = prices[place], let part = price.times(counts[place]),
        let sum = cost.plus(part.shifted(right: Quantities.isOfCalls(place) ? 3 : 6))
      else { return nil }
      cost = sum
    }
    return cost
  }

  /// The member that a price is in lists: `input`, `webSearchPer1000`.
  static func name(at place: Int) -> String {
    guard place != Quantities.unitsPlace else { return "units" }
    let row = UsageCount(at: place).row
    return "\(row.price)" + (row.kind == .calls ? "Per1000" : "")
  }
}
