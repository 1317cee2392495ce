import CreditModel

/// The prices of tokens in a policy or catalog that are hardly meant, each with its model and what
/// a million tokens would cost.
package struct ImprobablePrices {
  /// Sentences without a full stop, for the first of them.
  package private(set) var sentences: [String] = []
  package private(set) var count = 0

  /// The most that are named.
  package static let sentenceLimit = 20

  private let usdMicrosPerCredit: Int64

  package init(at usdMicrosPerCredit: Int64) {
    self.usdMicrosPerCredit = usdMicrosPerCredit
  }

  /// Looks through the models of a policy or catalog that has been checked.
  package mutating func add(modelsOf catalog: JSONValue) {
    for model in catalog.catalogModels {
      let id = model.string("id") ?? ""
      if let prices = model.member("tokens") {
        add(prices, at: "tokens", of: id)
        addMultiplied(prices, of: id)
      }
      if let credits = model.member("creditsPerToken") { add(credits: credits, of: id) }
    }
  }

  private mutating func add(credits: JSONValue, of model: String) {
    for (name, price) in credits.members {
      guard let price = price.exactDecimal, price != .zero else { continue }
      let micros = price.microsPerMillion(at: usdMicrosPerCredit)
      if micros?.isImprobablePerMillion == false { continue }
      note(micros, "creditsPerToken.\(name.string ?? "")", of: model)
    }
  }

  private mutating func add(_ prices: JSONValue, at path: String, of model: String) {
    for (name, value) in prices.members {
      let path = "\(path).\(name.string ?? "")"
      if value.isObject {
        add(value, at: path, of: model)
      } else if value.kind == .array {
        for (place, element) in value.elements.enumerated() {
          add(element, at: "\(path)[\(place)]", of: model)
        }
      } else if let count = UsageCount(priceMember: name), count.row.kind != .calls,
        let price = value.exactDecimal, price.isImprobablePerMillion
      {
        note(price, path, of: model)
      }
    }
  }

  /// What the factors of the conditions make of prices that are probable by themselves.
  private mutating func addMultiplied(_ prices: JSONValue, of model: String) {
    guard let conditions = prices.member("when") else { return }
    for (name, entry) in conditions.members {
      guard let factor = entry.member("multiply")?.exactDecimal else { continue }
      for (member, value) in prices.members {
        guard let count = UsageCount(priceMember: member), count.row.kind != .calls,
          let price = value.exactDecimal, price != .zero, !price.isImprobablePerMillion
        else { continue }
        let product = price.multiplied(by: factor)
        if product?.isImprobablePerMillion != false {
          note(product, "tokens.when.\(name.string ?? "").multiply", of: model)
          break
        }
      }
    }
  }

  private mutating func note(_ micros: ExactDecimal?, _ path: String, of model: String) {
    count += 1
    guard sentences.count < Self.sentenceLimit else { return }
    let dollars = micros?.shifted(right: 6)?.text
    let cost = dollars.map { "$\($0)" } ?? "more than can be said"
    sentences.append(
      "model \(quoted(model)): by \(plainOrQuoted(path)) a million tokens cost \(cost)")
  }
}
