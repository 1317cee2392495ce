/// A model's price with the names it is found by. A class, as a product is.
package final class PricedModel: Sendable {
  package let id: Name
  package let aliases: [Name]
  package let pricing: ServicePricing
  /// What its dollar prices are multiplied by; nil for the policy's markup.
  package let markup: ExactDecimal?
  /// The time when the price came into force; nil if it has always held.
  package let from: Timestamp?

  package init(
    id: Name, aliases: [Name], pricing: ServicePricing, markup: ExactDecimal? = nil,
    from: Timestamp? = nil
  ) {
    self.id = id
    self.aliases = aliases
    self.pricing = pricing
    self.markup = markup
    self.from = from
  }
}

/// The prices that one model has had, by the time from which each holds.
package final class DatedPrices: Sendable {
  /// The earliest first.
  private let prices: [PricedModel]

  /// - Parameter prices: at least one, all of one model and none from another's time, in any order.
  package init(_ prices: [PricedModel]) {
    self.prices = prices.count > 1 ? prices.sorted { $0.begins < $1.begins } : prices
  }

  /// Returns the latest price that is not after a time. Nil if no price was in force yet.
  package func inForce(at time: Timestamp) -> PricedModel? {
    prices.last { $0.begins <= time }
  }

  /// The price in force at a time.
  /// - Throws: `unknown_model`, which says from when there is one.
  package func inForce(at time: Timestamp, for id: Name) throws(CreditError) -> PricedModel? {
    if let model = inForce(at: time) { return model }
    guard let from = prices.first?.from else { return nil }
    throw CreditError(
      .unknownModel, "model \(quoted(id.text)) has a price from \(from.text) on, and none before",
      [.model(id.text), .from(from)])
  }
}

extension PricedModel {
  fileprivate var begins: Timestamp { from ?? .earliest }
}
