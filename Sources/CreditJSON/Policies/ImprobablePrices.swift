import CreditModel

/// Improbable prices of models, products and a credit, markups, days and ids of models.
public struct ImprobablePrices {
  /// Sentences without a full stop, for the first of them.
  public private(set) var sentences: [String] = []
  public private(set) var count = 0

  public static let sentenceLimit = 20

  private let usdMicrosPerCredit: Int64
  /// The latest time at which a price may begin.
  private let lastBegin: Timestamp

  /// - Parameter now: the clock; nil if no price begins too late.
  public init(at usdMicrosPerCredit: Int64, now: Timestamp? = nil) {
    self.usdMicrosPerCredit = usdMicrosPerCredit
    lastBegin = now?.adding(.seconds(2 * 366 * 86_400)) ?? .latest
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
    for model in catalog.elements("models") {
      let id = model.string("id") ?? ""
      if let other = ids.updateValue(id, forKey: id.lowercased()), !other.hasSameBytes(as: id) {
        let what = other == id ? "the coding of accents" : "case"
        note("models \(quoted(other)) and \(quoted(id)) differ in \(what) alone")
      }
      if let begin = model.timestamp("from"), begin > lastBegin {
        note("model \(quoted(id)): its price begins on \(begin.dayText)")
      }
      addMarkup(of: model, "model \(quoted(id)): ")
      if let (form, prices) = PriceForm.find(in: model) {
        add(prices, form, at: form.member.description, of: id)
        let common = Self.common(prices, form)
        let usual = model.modelNames.lazy.compactMap { Self.standard[$0.text] }.first
        addOrder(of: common, from: usual, of: id)
        if let usual { addFar(common, from: usual, of: id) }
        addMultiplied(prices, form, of: id)
      }
      if let credits = model.member("creditsPerToken") { add(credits: credits, of: id) }
    }
  }

  /// Notes neighbours of which the one with fewer credits costs more, as if prices had changed
  /// places, or whose prices of a credit are far apart, as cents and units are. And prices in a
  /// currency that are all like cents: `499`.
  private mutating func addProducts(of catalog: JSONValue) {
    var last: [String: (name: String, credits: Int64, price: ExactDecimal)] = [:]
    var cents: [String: String] = [:]
    for product in catalog.elements("products") {
      guard let credits = product.int64("credits"), credits > 0, !product.hasMember("plan"),
        let price = product.member("price")?.exactDecimal, price != .zero,
        let currency = product.string("currency")
      else { continue }
      let pack = (name: quoted(product.string("id") ?? ""), credits: credits, price: price)
      let text = product.string("price") ?? ""
      let isWhole = text.utf8.count > 2 && !text.utf8.contains(UInt8(ascii: "."))
      let isLikeCents = isWhole && (text.hasSuffix("9") || text.utf8.count > 3)
      cents[currency] = isLikeCents ? cents[currency] ?? text : ""
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
    // A rate shows such prices by itself.
    if catalog.hasMember("usdMicrosPerCredit") { return }
    for (currency, text) in cents.sorted(by: { $0.key < $1.key })
    where !text.isEmpty && ["USD", "EUR", "GBP"].contains(currency) {
      note("prices in \(currency) look like cents (\"\(text)\", not \"\(text).00\")")
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
      let perMillion = ExactDecimal(Int128(usdMicrosPerCredit) * 1_000_000, places: 0)
      let micros = price.multiplied(by: perMillion)
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
      } else if let place = form.place(of: name), let price = value.exactDecimal {
        let micros = price.shifted(left: 6 - form.places)
        if !PriceForm.isOfCalls(place) {
          if micros?.isImprobablePerMillion != false { note(micros, path, of: model) }
        } else if let micros, micros != .zero, micros < ExactDecimal(100_000, places: 0) {
          // It is probably the price of one call.
          note(micros, path, of: model, "a thousand calls")
        }
      } else if path.hasSuffix("InputTokens"), let count = value.int64, count < 1000 {
        note("model \(quoted(model)): by \(plainOrQuoted(path)) a tier begins at \(count) tokens")
      }
    }
  }

  /// The prices of input, output, and reads and writes of a cache, in micro-dollars; 0 for none of
  /// input or output. Those of a cache are the input's then.
  private static func common(_ prices: JSONValue, _ form: PriceForm) -> [ExactDecimal] {
    let counts = [UsageCount.inputTokens, .outputTokens, .cacheReadTokens, .cacheWriteTokens]
    return counts.reduce(into: []) { common, count in
      let price = form.name(of: count).withUTF8Bytes { prices.member(utf8: $0)?.exactDecimal }
      let missing = common.count > 1 ? common[0] : .zero
      common.append(price?.shifted(left: 6 - form.places) ?? missing)
    }
  }

  /// The common prices of the standard policy, by the names of its models.
  private static let standard = {
    var standard: [String: [ExactDecimal]] = [:]
    try? JSONDocument(PolicyText.standard).withRoot { policy in
      for model in policy.elements("models") {
        guard let (form, prices) = PriceForm.find(in: model) else { continue }
        for name in model.modelNames { standard[name.text] = common(prices, form) }
      }
    }
    return standard
  }()

  /// Notes prices that have probably changed places.
  /// - Parameter usual: those of the standard policy.
  private mutating func addOrder(
    of known: [ExactDecimal], from usual: [ExactDecimal]?, of model: String
  ) {
    let label = "model \(quoted(model)): a token of"
    if known[1] < known[0], known[1] != .zero { note("\(label) output costs less than of input") }
    if known[2] > known[0] { note("\(label) cacheRead costs more than of input") }
    // Some providers bill cache writes apart from their input.
    if known[3] < known[0], known[3] != .zero, let usual, usual[3] >= usual[0] {
      note("\(label) cacheWrite costs less than of input")
    }
  }

  /// Notes input and output that cost 50 times as much as the standard policy says, or a fiftieth,
  /// and a cache that costs as much as its input, but not there.
  private mutating func addFar(
    _ prices: [ExactDecimal], from standard: [ExactDecimal], of model: String
  ) {
    for (place, name) in ["input", "output", "cacheRead", "cacheWrite"].enumerated() {
      let (price, usual) = (prices[place], standard[place])
      let isAsInput = place > 1 && price == prices[0] && usual != standard[0]
      let base = place > 1 ? standard[0] : usual
      guard !price.isImprobablePerMillion, price != .zero, usual != .zero,
        let most = base.times(50), let least = price.times(50),
        case let isFar = price >= most || least <= base, place > 1 ? isAsInput && !isFar : isFar
      else { continue }
      note(
        "model \(quoted(model)): a million tokens of \(name) cost \(Self.cost(price))"
          + (isAsInput ? " as input does" : "")
          + ", and \(Self.cost(usual)) by the standard policy")
    }
  }

  private mutating func addMultiplied(_ prices: JSONValue, _ form: PriceForm, of model: String) {
    guard let conditions = prices.member("when") else { return }
    for (name, entry) in conditions.members {
      noteOdd(name.string ?? "", entry.member("multiply")?.exactDecimal, of: model)
      guard let factor = entry.member("multiply")?.exactDecimal else { continue }
      for (member, value) in prices.members {
        guard let place = form.place(of: member), !PriceForm.isOfCalls(place),
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

  /// Notes the odd name of a condition, and a dearer batch or flex.
  private mutating func noteOdd(_ key: String, _ factor: ExactDecimal?, of model: String) {
    let usual = PriceSubject.usualKeys
    let parts = key.split(separator: ",")
    if parts.dropFirst().contains(where: { $0.contains("=") }) {
      let entries = parts.map { quoted(String($0)) }.joined(separator: " and ")
      note(
        "model \(quoted(model)): no usage matches \(quoted(key)): the entries \(entries) both "
          + "apply to a usage that has both")
    }
    if !usual.contains(key), let nearest = NearestNames.misspelt(key, among: usual) {
      note("model \(quoted(model)): \(quoted(key)) is almost \(quoted(nearest))")
    }
    if ["serviceTier=batch", "serviceTier=flex"].contains(key), let factor, factor > .one {
      note(
        "model \(quoted(model)): \(quoted(key)) multiplies prices by \(factor.text), and half "
          + "of the price is \"0.5\"")
    }
  }

  private mutating func note(
    _ micros: ExactDecimal?, _ path: String, of model: String, _ what: String = "a million tokens"
  ) {
    note("model \(quoted(model)): by \(plainOrQuoted(path)) \(what) cost \(Self.cost(micros))")
  }

  private static func cost(_ micros: ExactDecimal?) -> String {
    micros?.shifted(right: 6).map { "$\($0.text)" } ?? "more than can be shown"
  }

  private mutating func note(_ sentence: @autoclosure () -> String) {
    count += 1
    if sentences.count < Self.sentenceLimit { sentences.append(sentence()) }
  }
}
