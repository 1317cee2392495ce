/// Prices of one part of a price list, all in one unit: dollars (or credits) a token, a call or a
/// request. A missing price is absent, which is not 0.
public struct GivenPrices: Equatable, Sendable {
  /// A price for each count, and last the one for each request.
  public static let placeTotal = UsageCount.total + 1
  public static let requestPlace = UsageCount.total

  /// A bit for each place that has a price.
  private(set) var given: UInt32 = 0
  private var prices = InlineArray<24, ExactDecimal>(repeating: .zero)

  public init() {}

  public init(input: ExactDecimal, output: ExactDecimal) {
    self[.inputTokens] = input
    self[.outputTokens] = output
  }

  public subscript(_ count: UsageCount) -> ExactDecimal? {
    get { self[place: Int(count.rawValue)] }
    set { self[place: Int(count.rawValue)] = newValue }
  }

  /// For each request, with any usage.
  public var request: ExactDecimal? {
    get { self[place: Self.requestPlace] }
    set { self[place: Self.requestPlace] = newValue }
  }

  public var isEmpty: Bool { given == 0 }

  public subscript(place place: Int) -> ExactDecimal? {
    get { given & 1 << UInt32(place) == 0 ? nil : prices[place] }
    set {
      prices[place] = newValue ?? .zero
      if newValue == nil { given &= ~(1 << UInt32(place)) } else { given |= 1 << UInt32(place) }
    }
  }

  public static func == (left: GivenPrices, right: GivenPrices) -> Bool {
    (0..<placeTotal).allSatisfy { left[place: $0] == right[place: $0] }
  }

  /// Returns these prices, with missing ones filled from others.
  public func filled(from other: GivenPrices) -> GivenPrices {
    var filled = self
    for place in other.places where filled[place: place] == nil {
      filled[place: place] = other[place: place]
    }
    return filled
  }

  /// The places that have prices, in order; mostly few of many.
  var places: GivenPlaces { GivenPlaces(bits: given) }

  /// The most digits after the point of any price.
  var scale: Int {
    var scale = 0
    for place in places { scale = max(scale, prices[place].scale) }
    return scale
  }
}

/// The numbers of the bits that are set.
struct GivenPlaces: Sequence, IteratorProtocol {
  var bits: UInt32

  mutating func next() -> Int? {
    if bits == 0 { return nil }
    defer { bits &= bits - 1 }
    return bits.trailingZeroBitCount
  }
}

/// The prices above a threshold of input tokens.
public final class PriceTier: Sendable {
  /// The tier applies if all input is strictly above this.
  public let aboveInputTokens: Int64
  public let prices: GivenPrices

  public init(aboveInputTokens: Int64, prices: GivenPrices) {
    self.aboveInputTokens = aboveInputTokens
    self.prices = prices
  }
}

/// The condition of an entry in a price list's `when`.
public enum PriceSubject: Equatable, Sendable {
  /// A value of a usage's condition, such as `serviceTier=batch`.
  case usage(UsageCondition, String)
  /// The hours of the use, such as `hours=16:30-00:30`.
  case hours(PriceHours)

  public static let hoursName = "hours"

  /// Usual names in price lists, for advice on others.
  public static let usualKeys = [
    "serviceTier=batch", "serviceTier=flex", "serviceTier=priority", "speed=fast",
    "searchContext=low", "searchContext=medium", "searchContext=high",
  ]

  /// Its name in a price list and in messages.
  public var key: String {
    switch self {
    case .usage(let condition, let value): "\(condition.member)=\(value)"
    case .hours(let hours): "\(Self.hoursName)=\(hours.text)"
    }
  }
}

/// A price list's entry for one condition.
public final class PriceCondition: Sendable {
  public let subject: PriceSubject
  /// Prices that replace the model's and its tiers'.
  public let prices: GivenPrices
  public let tiers: [PriceTier]
  /// Factor of the prices of tokens.
  public let multiplier: ExactDecimal?

  public init(
    _ subject: PriceSubject, prices: GivenPrices = GivenPrices(), tiers: [PriceTier] = [],
    multiplier: ExactDecimal? = nil
  ) {
    self.subject = subject
    self.prices = prices
    self.tiers = tiers
    self.multiplier = multiplier
  }
}

/// Improbable prices: most often dollars instead of micro-dollars, or the reverse.
extension ExactDecimal {
  /// True if micro-dollars for a million tokens are improbable. They are if above 0 and under
  /// $0.001, or over $10,000.
  public var isImprobablePerMillion: Bool {
    if self == .zero { return false }
    guard let unit = Int128.powerOfTen(scale) else { return true }
    let micros = coefficient / unit
    return micros < 1_000 || micros > 10_000_000_000
      || micros == 10_000_000_000 && coefficient % unit > 0
  }

  /// Whether a markup is below 0.5 or above 10.
  public var isImprobableMarkup: Bool {
    self < ExactDecimal(coefficient: 5, scale: 1) || self > ExactDecimal(coefficient: 10)
  }
}

/// The hours of a day, in UTC, in which a price applies: each day, or some days of the week.
public struct PriceHours: Equatable, Sendable {
  /// A bit for each day that the hours begin on, Monday's the lowest.
  private let days: UInt8
  /// Minutes of the day. An end that is not after the start is on the next day.
  private let start: Int64
  private let end: Int64
  /// In its written form: `16:30-00:30`, or `mon-fri 16:30-00:30`.
  public let text: String

  private static let dayNames = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

  /// Reads hours of a price list; nil if they are malformed.
  public init?(text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count <= 2, let last = words.last else { return nil }
    let hours = last.split(separator: "-", omittingEmptySubsequences: false)
    guard hours.count == 2, let start = Self.minute(hours[0]), start < 24 * 60,
      let end = Self.minute(hours[1])
    else { return nil }
    self.start = start
    self.end = end % (24 * 60)
    if words.count == 2 {
      guard let days = Self.days(words[0]) else { return nil }
      self.days = days
    } else {
      days = 0x7F
    }
    self.text = text
  }

  func contains(_ time: Timestamp) -> Bool {
    let day = time.dayNumber
    let minute = (time.milliseconds - day * Timestamp.millisecondsPerDay) / 60_000
    if start < end { return begins(on: day) && start <= minute && minute < end }
    return begins(on: day) && start <= minute || begins(on: day - 1) && minute < end
  }

  /// Day 0 is a Thursday.
  private func begins(on day: Int64) -> Bool {
    let weekday = ((day + 3) % 7 + 7) % 7
    return days & 1 << UInt8(weekday) != 0
  }

  private static func minute(_ text: Substring) -> Int64? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2,
      parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy(\.isDigit) }),
      let hour = Int64(parts[0]), let minute = Int64(parts[1]), minute < 60,
      hour < 24 || hour == 24 && minute == 0
    else { return nil }
    return hour * 60 + minute
  }

  /// Reads a day, or a range with a hyphen, perhaps across Sunday.
  private static func days(_ text: Substring) -> UInt8? {
    let names = text.split(separator: "-", omittingEmptySubsequences: false)
    guard names.count <= 2, let first = names.first.flatMap(number),
      let last = names.last.flatMap(number)
    else { return nil }
    var days: UInt8 = 1 << UInt8(last)
    var day = first
    while day != last {
      days |= 1 << UInt8(day)
      day = (day + 1) % 7
    }
    return days
  }

  private static func number(_ day: Substring) -> Int? { dayNames.firstIndex { $0 == day } }
}
