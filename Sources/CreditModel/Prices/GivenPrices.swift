/// The prices that one part of a price list gives, all in one unit: dollars (or credits) a token, a
/// call or a request. What it does not give is absent, which is not 0.
package struct GivenPrices: Equatable, Sendable {
  /// A price for each count, and last the one for each request.
  package static let placeTotal = UsageCount.total + 1
  package static let requestPlace = UsageCount.total

  /// A bit for each place that has a price.
  private(set) var given: UInt32 = 0
  private var prices = InlineArray<24, ExactDecimal>(repeating: .zero)

  package init() {}

  package init(input: ExactDecimal, output: ExactDecimal) {
    self[.inputTokens] = input
    self[.outputTokens] = output
  }

  package subscript(_ count: UsageCount) -> ExactDecimal? {
    get { self[place: Int(count.rawValue)] }
    set { self[place: Int(count.rawValue)] = newValue }
  }

  /// For each request, whatever its usage.
  package var request: ExactDecimal? {
    get { self[place: Self.requestPlace] }
    set { self[place: Self.requestPlace] = newValue }
  }

  package var isEmpty: Bool { given == 0 }

  package subscript(place place: Int) -> ExactDecimal? {
    get { given & 1 << UInt32(place) == 0 ? nil : prices[place] }
    set {
      prices[place] = newValue ?? .zero
      if newValue == nil { given &= ~(1 << UInt32(place)) } else { given |= 1 << UInt32(place) }
    }
  }

  package static func == (left: GivenPrices, right: GivenPrices) -> Bool {
    (0..<placeTotal).allSatisfy { left[place: $0] == right[place: $0] }
  }

  /// The same, with another's prices for what these do not give.
  package func filled(from other: GivenPrices) -> GivenPrices {
    var filled = self
    for place in other.places where filled[place: place] == nil {
      filled[place: place] = other[place: place]
    }
    return filled
  }

  /// The places that have prices, in order: few, as a rule, of many.
  var places: GivenPlaces { GivenPlaces(given) }

  /// The most digits after the point of any of them.
  var scale: Int {
    var scale = 0
    for place in places { scale = max(scale, prices[place].scale) }
    return scale
  }
}

/// The numbers of the bits that are set.
struct GivenPlaces: Sequence, IteratorProtocol {
  private var bits: UInt32

  init(_ bits: UInt32) {
    self.bits = bits
  }

  mutating func next() -> Int? {
    if bits == 0 { return nil }
    defer { bits &= bits - 1 }
    return bits.trailingZeroBitCount
  }
}

/// The prices above a threshold of input tokens.
package final class PriceTier: Sendable {
  /// The tier holds where all input is strictly above this.
  package let aboveInputTokens: Int64
  package let prices: GivenPrices

  package init(aboveInputTokens: Int64, prices: GivenPrices) {
    self.aboveInputTokens = aboveInputTokens
    self.prices = prices
  }
}

/// What an entry of a price list's `when` holds for.
package enum PriceSubject: Hashable, Sendable {
  /// A value of a usage's condition, such as `serviceTier=batch`.
  case usage(UsageCondition, String)
  /// The hours of the use, such as `hours=16:30-00:30`.
  case hours(PriceHours)

  /// What hours are named by in a price list.
  package static let hoursName = "hours"

  /// What names it in a price list and in messages.
  package var key: String {
    switch self {
    case .usage(let condition, let value): "\(condition.member)=\(value)"
    case .hours(let hours): "\(Self.hoursName)=\(hours.text)"
    }
  }
}

/// What a price list says of one subject.
package final class PriceCondition: Sendable {
  package let subject: PriceSubject
  /// Prices that take the place of the model's and of its tiers'.
  package let prices: GivenPrices
  package let tiers: [PriceTier]
  /// What the prices of tokens are multiplied by.
  package let multiplier: ExactDecimal?

  package init(
    _ subject: PriceSubject, prices: GivenPrices = GivenPrices(), tiers: [PriceTier] = [],
    multiplier: ExactDecimal? = nil
  ) {
    self.subject = subject
    self.prices = prices
    self.tiers = tiers
    self.multiplier = multiplier
  }
}
