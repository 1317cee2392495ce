internal import CreditBytes

/// Products of a policy that are probably mistakes: those of its events that no catalog has, and
/// prices that do not fit their currency.
public struct OddProducts: Sendable {
  /// Sentences on the first of them.
  public private(set) var sentences: [String] = []
  /// The number of all.
  public private(set) var count = 0

  /// The most sentences.
  private static let limit = 8

  public init(_ policy: Policy) {
    guard let products = try? policy.prices.names(.product) else { return }
    let names = Set(products)
    for source in policy.payments {
      for (name, product) in source.products.sorted(by: { $0.key < $1.key }) {
        if names.contains(product) { continue }
        add(
          "product \(quoted(product.text)) of \(quoted(name)) in the events of format "
            + "\(source.format.rawValue) is not in the catalog, so such a payment is refused"
            + NearestNames.hint(policy.nearestNames(to: product.text, .product) ?? []))
      }
    }
    for id in products {
      guard let product = try? policy.prices.product(id) else { continue }
      if let currency = product.currency {
        guard let problem = Currency.problem(of: product.price, in: currency) else { continue }
        add("product \(quoted(id.text)): \(problem)")
      } else if product.price != nil {
        add("product \(quoted(id.text)): its price has no currency")
      }
    }
  }

  private mutating func add(_ sentence: @autoclosure () -> String) {
    count += 1
    if sentences.count < Self.limit { sentences.append(sentence()) }
  }
}
