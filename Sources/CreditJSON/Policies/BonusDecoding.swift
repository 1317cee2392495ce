import CreditModel

/// Reads the promotions of a product.
enum BonusDecoder {
  static func bonuses(_ product: ObjectReader) throws(PolicyProblem) -> [ProductBonus] {
    var known: [Name] = []
    return try product.list("bonuses", limit: ProductBonus.countLimit) {
      value throws(PolicyProblem) in
      let reader = try ObjectReader(value, known: PolicyShape.bonus)
      let id = try reader.requiredName("id")
      if let problem = SpendLimit.problem(withID: id.text) { throw reader.invalid("id", problem) }
      if known.contains(id) { throw reader.invalid("id", "is taken") }
      known.append(id)
      let from = try reader.time("from")
      let until = try reader.time("until")
      if let from, let until, until <= from {
        throw reader.invalid("until", "must be after from")
      }
      return ProductBonus(
        id: id, amount: try amount(reader), from: from, until: until,
        isForFirst: try reader.bool("first") ?? false, terms: try PolicyDecoder.terms(reader))
    }
  }

  private static func amount(_ reader: ObjectReader) throws(PolicyProblem) -> ProductBonus.Amount {
    let credits = try reader.integer("credits", in: 1...Credits.largestGrant)
    let percent = try reader.integer("percent", in: ProductBonus.percents)
    switch (credits, percent) {
    case (let credits?, nil): return .credits(credits)
    case (nil, let percent?): return .percent(percent)
    default: throw reader.invalid("credits", "is needed, or percent in its place, not both")
    }
  }
}
