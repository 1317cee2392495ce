public import CreditModel

/// Lines of a catalog's listing: entries as in its text, and rows for people.
extension JSONWriter {
  /// Writes a model as the catalog has it, its prices in dollars.
  public mutating func listedModel(_ model: JSONValue) {
    beginObject()
    for (name, value) in model.members {
      if name.utf8Equals(PriceForm.microDollars.member) {
        key(PriceForm.dollars.member)
        dollars(value)
      } else {
        member(name, value)
      }
    }
    endObject()
  }

  /// Writes a price list in micro-dollars as one in dollars, and all else as it is.
  private mutating func dollars(_ prices: JSONValue) {
    beginObject()
    for (name, value) in prices.members {
      if let place = PriceForm.microDollars.place(of: name),
        let price = value.exactDecimal?.inDollars(from: .microDollars)
      {
        PriceForm.dollars.name(at: place).withUTF8Bytes { key(utf8: $0) }
        string(price.text)
        continue
      }
      name.withUTF8 { key(utf8: $0) }
      if value.isObject {
        dollars(value)
      } else if value.kind == .array {
        beginArray()
        for element in value.elements { dollars(element) }
        endArray()
      } else {
        JSONCompact.write(value, into: &self)
      }
    }
    endObject()
  }

  /// Writes a table's row of a model: the base prices of its tokens, with remarks.
  public mutating func modelRow(_ model: JSONValue) {
    beginObject()
    if let id = model.string("id") { member("id", id) }
    if let (form, prices) = PriceForm.find(in: model) {
      let columns: [(StaticString, UsageCount)] = [
        ("input", .inputTokens), ("output", .outputTokens), ("cacheRead", .cacheReadTokens),
        ("cacheWrite", .cacheWriteTokens),
      ]
      for (column, count) in columns {
        let price = form.name(of: count).withUTF8Bytes { prices.member(utf8: $0) }
        member(column, price?.exactDecimal?.inDollars(from: form))
      }
      let known = columns.map { form.name(of: $0.1) }
      member("price", "USD per 1M tokens" + Self.remarks(on: prices, beside: known))
    } else if let prices = model.member("creditsPerToken") {
      member("input", prices.member("input")?.exactDecimal)
      member("output", prices.member("output")?.exactDecimal)
      member("price", "credits per token")
    } else if let price = model.member("creditsPerUnit")?.exactDecimal {
      member("price", "\(price.creditsText) per unit")
    } else if let price = model.member("creditsPerRequest")?.exactDecimal {
      member("price", "\(price.creditsText) per request")
    } else {
      member("price", model.member("reportedCost") == nil ? "free" : "as reported")
    }
    endObject()
  }

  /// Returns the other prices of a list, and their conditions: `, tiered; webSearchPer1000 10;
  /// batch × 0.5, fast`.
  /// - Parameter known: the names of the prices in columns.
  private static func remarks(on prices: JSONValue, beside known: [String]) -> String {
    var others: [String] = []
    for (name, value) in prices.members {
      guard let name = name.string, !known.contains(name), let price = value.exactDecimal else {
        continue
      }
      others.append("\(name) \(price.text)")
    }
    let conditions = prices.member("when").map { Array($0.members) } ?? []
    let values = conditions.map { name, value in
      let text = name.string ?? ""
      let factor = value.member("multiply")?.exactDecimal.map { " × \($0.text)" } ?? ""
      return (text.split(separator: "=").last.map(String.init) ?? text) + factor
    }
    return (prices.member("tiers") == nil ? "" : ", tiered")
      + [others, values].filter { !$0.isEmpty }.map { "; " + $0.joined(separator: ", ") }.joined()
  }

  private mutating func member(_ key: StaticString, _ number: ExactDecimal?) {
    guard var text = number?.text else { return }
    self.key(key)
    text.withUTF8 { raw(Bytes($0)) }
  }

  /// Writes a member of another object as it is.
  public mutating func member(_ name: JSONValue, _ value: JSONValue) {
    name.withUTF8 { key(utf8: $0) }
    JSONCompact.write(value, into: &self)
  }

  /// Writes a product of the catalog with its name and its price per credit.
  /// - Parameter isForPeople: true to write the currency with the price, and groups as text.
  public mutating func listedProduct(
    _ product: JSONValue, isForPeople: Bool = false, quota: String? = nil
  ) {
    beginObject()
    for (name, value) in product.members {
      if isForPeople, name.utf8Equals("groups") {
        member("groups", value.elements.compactMap(\.string).joined(separator: ", "))
        continue
      }
      if isForPeople, name.utf8Equals("price"), let currency = product.string("currency") {
        member("price", "\(value.string ?? String(decoding: value.raw, as: UTF8.self)) \(currency)")
        continue
      }
      member(name, value)
      if name.utf8Equals("id"), product.member("name") == nil, let id = value.string {
        member("name", id)
      }
    }
    if let price = product.member("price")?.exactDecimal, let credits = product.int64("credits"),
      credits > 0,
      let perCredit = price.divided(by: credits, morePlaces: max(0, 4 - price.scale))?.quotient
    {
      member("pricePerCredit", perCredit.rounded(places: 4).fullText)
    }
    if isForPeople, let quota { member("quota", quota) }
    endObject()
  }
}

extension JSONValue {
  /// A catalog's models with prices in force at a time, each id once.
  public func catalogModels(inForceAt time: Timestamp) -> [JSONValue] {
    var latest: [Name: (begin: Timestamp, place: Int)] = [:]
    for (place, model) in elements("models").enumerated() {
      let begin = model.member("from")?.timestamp() ?? .earliest
      guard let id = model.name("id"), begin <= time else { continue }
      if let known = latest[id], known.begin > begin { continue }
      latest[id] = (begin, place)
    }
    return elements("models").enumerated().filter { place, model in
      model.name("id").flatMap { latest[$0]?.place } == place
    }.map(\.element)
  }

  /// The names that find a model: its id and its aliases.
  public var modelNames: [Name] {
    let aliases = elements("aliases").compactMap(\.string).map(Name.init(trusted:))
    return (name("id").map { [$0] } ?? []) + aliases
  }
}

extension ExactDecimal {
  /// A price of a list, in dollars for a million tokens or a thousand calls.
  fileprivate func inDollars(from form: PriceForm) -> ExactDecimal? { shifted(right: form.places) }

  fileprivate var creditsText: String { text == "1" ? "1 credit" : "\(text) credits" }
}

extension JSONShape {
  public static var listedModel: JSONShape {
    .object(
      [
        .text("id"), .list("aliases", of: .value(.text)).optional,
        JSONMember("from", .value(.timeOrDay)).optional, .amount("markup").optional,
        .text("source").optional,
        JSONMember("dollars", .any).optional,
      ] + PolicyShape.pricing.map(\.optional))
  }

  public static var listedProduct: JSONShape {
    .object(
      [.text("id"), .text("name")] + PolicyShape.ofProducts
        + [.decimal("pricePerCredit").optional])
  }
}

/// The days on which the prices of models were looked up.
///
/// A model's `source` says it in its last ten characters: `https://example.com/prices, 2026-02-19`.
public struct PriceDates: Sendable {
  public private(set) var modelCount = 0
  /// Number of models that do not say it.
  public private(set) var undatedCount = 0
  /// The beginnings of the first and the last of these days, in UTC.
  public private(set) var oldest: Timestamp?
  public private(set) var newest: Timestamp?

  public init() {}

  /// Those of the list that comes with the tools.
  public static var standard: PriceDates {
    var dates = PriceDates()
    try? JSONDocument(PolicyText.standard).withRoot { dates.add(modelsOf: $0) }
    return dates
  }

  /// Looks through the models of a policy or catalog that has been checked.
  public mutating func add(modelsOf catalog: JSONValue) {
    for model in catalog.elements("models") {
      modelCount += 1
      let day = model.string("source").flatMap {
        Timestamp(text: String(decoding: $0.utf8.suffix(10), as: UTF8.self) + "T00:00:00Z")
      }
      guard let day else {
        undatedCount += 1
        continue
      }
      oldest = min(day, oldest ?? day)
      newest = max(day, newest ?? day)
    }
  }
}

extension Timestamp {
  /// Its day in UTC: `2026-02-19`.
  public var dayText: String { String(text.prefix(10)) }
}
