internal import CreditModel

/// Reads models.dev's `api.json`: an object of providers, each with `models` by id, whose `cost` is
/// in dollars a million tokens.
///
/// Source: https://models.dev, the section on the API's members.
struct ModelsDevReader {
  static func recognizes(_ file: JSONValue) -> Bool {
    file.members.contains { $1.member("models")?.isObject ?? false }
  }

  func read(_ file: JSONValue, into catalog: inout CatalogImport) {
    var offers = ProviderOffers()
    for (key, provider) in file.members {
      guard let models = provider.member("models") else { continue }
      for (id, model) in models.members {
        do throws(LeftOut) {
          offers.add(try offer(key.string ?? "", id.string ?? "", model, &catalog))
        } catch {
          catalog.leaveOut(error)
        }
      }
    }
    offers.add(to: &catalog)
  }

  private func offer(
    _ provider: String, _ id: String, _ model: JSONValue, _ catalog: inout CatalogImport
  ) throws(LeftOut) -> Offer {
    if Name.problem(with: provider + "/" + id, limit: Name.idLimit) != nil { throw .unusableID }
    guard let cost = model.member("cost"), cost.isObject else { throw .noPrice }
    var prices = ImportedPrices()
    var leftOut = try set(cost, above: 0, in: &prices)
    for tier in cost.elements("tiers") {
      guard let above = tier.member("tier")?.int64("size"), above > 0,
        tier.member("tier")?.member("type")?.utf8Equals("context") ?? false
      else { throw .tieredTable }
      leftOut += try set(tier, above: above, in: &prices)
    }
    if cost.member("tiers") == nil, let tier = cost.member("context_over_200k"), tier.isObject {
      leftOut += try set(tier, above: 200_000, in: &prices)
    }
    prices.standard.completeTiers()
    let derivedCount = prices.apply(rulesOf: provider)
    let input = model.member("modalities").map { $0.elements("input") }
    prices.fill(
      audio: input?.contains { $0.utf8Equals("audio") } ?? false,
      images: input?.contains { $0.utf8Equals("image") } ?? false)
    let hasNoOutput =
      id.namesModelWithoutOutput || model.string("family")?.namesModelWithoutOutput ?? false
    if let problem = prices.problem(hasOutput: !hasNoOutput) { throw problem }
    for price in leftOut { catalog.leaveOut(price: price) }
    catalog.countDerived("those of cached input, at half the input price", count: derivedCount)
    return Offer(provider: provider, id: id, prices: [(nil, prices)])
  }

  private static let members: [(name: StaticString, count: UsageCount)] = [
    ("input", .inputTokens), ("output", .outputTokens), ("cache_read", .cacheReadTokens),
    ("cache_write", .cacheWriteTokens), ("input_audio", .audioInputTokens),
    ("output_audio", .audioOutputTokens), ("citation", .citationTokens),
  ]

  /// Sets the prices that hold above `above` tokens of input.
  /// - Returns: the reasons for those of them that are left out.
  private func set(_ cost: JSONValue, above: Int64, in prices: inout ImportedPrices)
    throws(LeftOut) -> [LeftOut]
  {
    var leftOut: [LeftOut] = []
    var reasoning: ExactDecimal?
    for (key, value) in cost.members where !value.isNull && value.kind == .number {
      // Dollars and micro-dollars, both a million tokens or a thousand requests.
      let price = try value.price(6)
      if let member = Self.members.first(where: { key.utf8Equals($0.name) }) {
        prices.standard.set(Int(member.count.rawValue), above: above, price)
      } else if key.utf8Equals("request") {
        prices.standard.set(GivenPrices.requestPlace, above: above, price)
      } else if key.utf8Equals("reasoning") {
        reasoning = price
      } else if price != .zero {
        leftOut.append(.price(of: key.string ?? "?"))
      }
    }
    if let reasoning, let output = prices.standard.price(1, above: above), reasoning != output {
      throw .reasoningApart
    }
    return leftOut
  }
}

/// The reason for leaving out a file's entry, price or name.
struct LeftOut: Error, Equatable, CustomStringConvertible {
  let description: String

  private init(_ description: String) { self.description = description }

  static let notAModel = LeftOut("no model")
  static let unusableID = LeftOut("an id that is empty, too long or has control characters")
  static let repeated = LeftOut("an id that the file has twice")
  static let own = LeftOut("the catalog has its own")
  static let noPrice = LeftOut("no price")
  static let tieredTable = LeftOut("a table of price ranges that are not of input tokens")
  static let noInput = LeftOut("no input price")
  static let noOutput = LeftOut("no output price, and no embedding")
  static let zero = LeftOut("a price of 0")
  static let unreadable = LeftOut("a price that is not a decimal number of 0 or more")
  static let tooFine = LeftOut("more digits or tiers than a catalog keeps")
  static let past = LeftOut("a price of the past")
  static let reasoningApart = LeftOut("reasoning that is priced apart from output")
  static let timeOfDay = LeftOut("a price by the time of day")
  static let searchSize = LeftOut("a price of searches by the size of their context")
  static let notConsumable = LeftOut("a product that is not consumable")
  static let noCredits = LeftOut("a consumable without --product-credits")

  /// A price by something that isn't counted in tokens, such as an image.
  static func priced(by unit: String) -> LeftOut {
    LeftOut("a price by the \(plainOrQuoted(unit)), not by the token")
  }

  static func price(of member: String) -> LeftOut {
    LeftOut("a price that a catalog has no place for, \(plainOrQuoted(member))")
  }

  /// A further price list of a model, such as one for batches.
  static func variant(_ name: String) -> LeftOut {
    LeftOut("a price list of the variant \(plainOrQuoted(name))")
  }

  /// A name that is found by a rule, such as its beginning.
  static func rule(_ kind: String) -> LeftOut {
    LeftOut("a rule of the form \(plainOrQuoted(kind)), but a catalog has whole names")
  }

  static let takenName = LeftOut("a name that another model has, at another price")
}
