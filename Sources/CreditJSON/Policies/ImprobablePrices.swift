public import CreditBytes
import CreditModel

/// Improbable prices of models, products and a credit, markups, days and ids of models.
public struct ImprobablePrices {
  /// Sentences without a full stop, for the first of them.
  public private(set) var sentences: [String] = []
  public private(set) var count = 0

  public static let sentenceLimit = 20

  private let usdMicrosPerCredit: Int64

  public init(at usdMicrosPerCredit: Int64) {
    self.usdMicrosPerCredit = usdMicrosPerCredit
    if (10..<100_000_000).contains(usdMicrosPerCredit) { return }
    let dollars = ExactDecimal(Int128(usdMicrosPerCredit), places: 6)
    note("usdMicrosPerCredit \(usdMicrosPerCredit): a credit is worth $\(dollars.text)")
  }

  /// Looks through the models and products of a policy or catalog that has been checked.
  public mutating func add(modelsOf catalog: JSONValue) {
    addMarkup(of: catalog, "")
    addProducts(of: catalog)
    // Texts with accents of one or of two code points are equal.
    var ids: [String: String] = [:]
    for model in catalog.catalogModels {
      let id = model.string("id") ?? ""
      if let other = ids.updateValue(id, forKey: id.lowercased()), !other.hasSameBytes(as: id) {
        let what = other == id ? "the coding of accents" : "case"
        note("models \(quoted(other)) and \(quoted(id)) differ in \(what) alone")
      }
      if let day = model.member("from")?.timestamp()?.dayText, day > "2100" {
        note("model \(quoted(id)): its price begins on \(day)")
      }
      addMarkup(of: model, "model \(quoted(id)): ")
      if let (form, prices) = PriceForm.find(in: model) {
        add(prices, form, at: form.member.description, of: id)
        addOrder(of: prices, form, of: id)
        addMultiplied(prices, form, of: id)
      }
      if let credits = model.member("creditsPerToken") { add(credits: credits, of: id) }
    }
  }

  /// Notes neighbours of which the one with fewer credits costs more, as if prices had changed
  /// places, or whose prices of a credit are far apart, as cents and units are.
  private mutating func addProducts(of catalog: JSONValue) {
    var last: [String: (name: String, credits: Int64, price: ExactDecimal)] = [:]
    for product in catalog.elements("products") {
      guard let credits = product.int64("credits"), credits > 0, !product.hasMember("plan"),
        let price = product.member("price")?.exactDecimal, price != .zero,
        let currency = product.string("currency")
      else { continue }
      let pack = (name: quoted(product.string("id") ?? ""), credits: credits, price: price)
      guard let other = last.updateValue(pack, forKey: currency) else { continue }
      let (few, many) = credits < other.credits ? (pack, other) : (other, pack)
      let isSwapped = few.credits < many.credits && few.price > many.price
      let each = [few.price.times(many.credits), many.price.times(few.credits)].compactMap(\.self)
      guard let most = each.max(), let far = each.min()?.times(50), isSwapped || most >= far else {
        continue
      }
      note(
        "products \(few.name) and \(many.name): \(few.credits) credits cost "
          + "\(few.price.text) \(currency), and \(many.credits) cost \(many.price.text)")
    }
  }

  /// - Parameter label: how the sentence begins.
  private mutating func addMarkup(of object: JSONValue, _ label: String) {
    guard let markup = object.member("markup")?.exactDecimal, markup.isImprobableMarkup else {
      return
    }
    note("\(label)markup makes everything cost \(markup.text) times what the provider charges")
  }

  private mutating func add(credits: JSONValue, of model: String) {
    for (name, price) in credits.members {
      guard let price = price.exactDecimal, price != .zero else { continue }
      let micros = price.microsPerMillion(at: usdMicrosPerCredit)
      if micros?.isImprobablePerMillion == false { continue }
      note(micros, "creditsPerToken.\(name.string ?? "")", of: model)
    }
  }

  private mutating func add(
    _ prices: JSONValue, _ form: PriceForm, at path: String, of model: String
  ) {
    for (name, value) in prices.members {
      let path = "\(path).\(name.string ?? "")"
      if value.isObject {
        add(value, form, at: path, of: model)
      } else if value.kind == .array {
        for (place, element) in value.elements.enumerated() {
          add(element, form, at: "\(path)[\(place)]", of: model)
        }
      } else if form.isTokenPrice(name), let price = value.exactDecimal {
        let micros = price.shifted(left: 6 - form.places)
        if micros?.isImprobablePerMillion != false { note(micros, path, of: model) }
      }
    }
  }

  /// Notes prices that have probably changed places.
  private mutating func addOrder(of prices: JSONValue, _ form: PriceForm, of model: String) {
    let names = [UsageCount.inputTokens, .outputTokens, .cacheReadTokens].map(form.name)
    let known = names.map { $0.withUTF8Bytes { prices.member(utf8: $0)?.exactDecimal } ?? .zero }
    let label = "model \(quoted(model)): a token of"
    if known[1] < known[0], known[1] != .zero { note("\(label) output costs less than of input") }
    if known[2] > known[0] { note("\(label) cacheRead costs more than of input") }
  }

  /// Adds prices that become improbable by a condition's factor.
  private mutating func addMultiplied(_ prices: JSONValue, _ form: PriceForm, of model: String) {
    guard let conditions = prices.member("when") else { return }
    for (name, entry) in conditions.members {
      noteOdd(name.string ?? "", entry.member("multiply")?.exactDecimal, of: model)
      guard let factor = entry.member("multiply")?.exactDecimal else { continue }
      for (member, value) in prices.members {
        guard form.isTokenPrice(member),
          let price = value.exactDecimal?.shifted(left: 6 - form.places), price != .zero,
          !price.isImprobablePerMillion
        else { continue }
        let product = price.multiplied(by: factor)
        if product?.isImprobablePerMillion != false {
          note(product, "\(form.member).when.\(name.string ?? "").multiply", of: model)
          break
        }
      }
    }
  }

  /// Notes a condition's value that is almost a usual one, and a dearer batch or flex.
  private mutating func noteOdd(_ key: String, _ factor: ExactDecimal?, of model: String) {
    let usual = PriceSubject.usualKeys
    if !usual.contains(key), let nearest = NearestNames.misspelt(key, among: usual) {
      note("model \(quoted(model)): \(quoted(key)) is almost \(quoted(nearest))")
    }
    if ["serviceTier=batch", "serviceTier=flex"].contains(key), let factor, factor > .one {
      note(
        "model \(quoted(model)): \(quoted(key)) multiplies prices by \(factor.text), and half "
          + "of the price is \"0.5\"")
    }
  }

  private mutating func note(_ micros: ExactDecimal?, _ path: String, of model: String) {
    let dollars = micros?.shifted(right: 6)?.text
    let cost = dollars.map { "$\($0)" } ?? "more than can be shown"
    note("model \(quoted(model)): by \(plainOrQuoted(path)) a million tokens cost \(cost)")
  }

  private mutating func note(_ sentence: @autoclosure () -> String) {
    count += 1
    if sentences.count < Self.sentenceLimit { sentences.append(sentence()) }
  }
}
