import CreditModel

/// Reads the price of a model: exactly one of the members that are prices.
struct PricingDecoder {
  static func decode(_ model: ObjectReader) throws(PolicyProblem) -> ServicePricing {
    let prices = PolicyShape.pricing
    guard prices.count(where: { model.has($0.name) }) == 1 else {
      let names = prices.map(\.name).joined(separator: ", ")
      throw PolicyProblem("must have exactly one of \(names)")
    }
    if let (form, list) = PriceForm.find(in: model.value) {
      return try model.inside(form.member) { () throws(PolicyProblem) in
        .dollars(try PriceListDecoder(form: form).decode(list))
      }
    }
    if let tokens = model.value.member("creditsPerToken") {
      return try model.inside("creditsPerToken") { () throws(PolicyProblem) in
        .credits(try credits(tokens))
      }
    }
    if let price = try model.decimal("creditsPerUnit") { return .perUnit(price) }
    if let price = try model.integer("creditsPerRequest", in: 0...Credits.largestGrant) {
      return .perRequest(price)
    }
    if let flag = try model.bool("reportedCost") {
      guard flag else { throw model.invalid("reportedCost", "must be true") }
      return .reportedCost
    }
    guard try model.bool("free") == true else { throw model.invalid("free", "must be true") }
    return .free
  }

  private static func credits(_ value: JSONValue) throws(PolicyProblem) -> TokenRates {
    let reader = try ObjectReader(value, known: PolicyShape.creditsPerToken)
    guard let input = try reader.decimal("input") else {
      throw reader.invalid("input", "is missing")
    }
    guard let output = try reader.decimal("output") else {
      throw reader.invalid("output", "is missing")
    }
    guard let rates = TokenRates(base: GivenPrices(input: input, output: output)) else {
      throw PriceListDecoder.tooManyDigits
    }
    return rates
  }
}
