/// The unit of a limit. Amounts of each are whole numbers of its smallest parts.
public enum LimitUnit: String, CaseIterable, Sendable {
  case credits
  /// Dollars before they are rounded to credits, in parts of 10⁻¹⁸.
  case usd
  /// All token counts of the usage.
  case tokens
  /// Charges.
  case requests

  /// Whether it is the usual one. By `!=` the texts of the cases would be compared.
  var isCredits: Bool { self == .credits }

  /// The digits behind the point of the smallest part.
  static let dollarPlaces = 18

  private static let dollar: Int128 = 1_000_000_000_000_000_000

  /// Returns a number of the unit in its smallest parts.
  /// - Returns: nil unless it is a limit's number: 0 to 2⁵³, in dollars with up to 18 places.
  public func amount(_ number: ExactDecimal) -> Int128? {
    let most = Int128(Credits.largestGrant)
    switch self {
    case .usd:
      guard number.scale <= Self.dollarPlaces,
        let amount = number.coefficient(atScale: Self.dollarPlaces)
      else { return nil }
      return (0...most * Self.dollar).contains(amount) ? amount : nil
    case .credits, .tokens, .requests:
      guard let whole = number.whole, (0...most).contains(Int128(whole)) else { return nil }
      return Int128(whole)
    }
  }

  func number(_ amount: Int128) -> ExactDecimal {
    ExactDecimal(amount, places: self == .usd ? Self.dollarPlaces : 0)
  }

  /// Returns an amount as decimal text, without zeros at its end.
  public func text(_ amount: Int128) -> String { number(amount).text }

  /// The most that a counter counts.
  var mostUsed: Int128 {
    self == .usd ? (Int128(Credits.largestGrant) * Self.dollar) * 1000 : Int128(Int64.max)
  }

  /// Its name in a sentence, behind an amount.
  var noun: String { self == .usd ? "dollars" : rawValue }

  /// The numbers of its limits, for a sentence.
  public var numbers: String {
    self == .usd
      ? "decimal text such as \"2.50\", from 0 to \(Credits.largestGrant) with up to 18 places"
      : "a whole number from 0 to \(Credits.largestGrant)"
  }
}

/// The work of a charge as limits of other units than credits count it: all of it, at each account.
public struct WorkMeasure: Equatable, Sendable {
  /// In the smallest parts of ``LimitUnit/usd``.
  public var usd: Int128
  public var tokens: Int128
  public var requests: Int128

  public init(usd: Int128 = 0, tokens: Int128 = 0, requests: Int128 = 0) {
    self.usd = usd
    self.tokens = tokens
    self.requests = requests
  }

  public static let none = WorkMeasure()

  /// - Parameter usd: decimal text; nil for 0. Places behind the 18th do not count.
  init(of usage: Usage?, usd: String?) {
    self.init(usd: usd.map(LimitUnit.dollarParts) ?? 0, requests: 1)
    guard case .tokens(let counts) = usage else { return }
    for count in UsageCount.allCases where count.row.kind != .calls {
      tokens += Int128(counts[count])
    }
  }

  /// The amount in a unit; 0 in credits, which count by accounts.
  subscript(unit: LimitUnit) -> Int128 {
    switch unit {
    case .credits: 0
    case .usd: usd
    case .tokens: tokens
    case .requests: requests
    }
  }

  static func - (left: WorkMeasure, right: WorkMeasure) -> WorkMeasure {
    WorkMeasure(
      usd: left.usd - right.usd, tokens: left.tokens - right.tokens,
      requests: left.requests - right.requests)
  }

  static func + (left: WorkMeasure, right: WorkMeasure) -> WorkMeasure { left - (.none - right) }

  /// Returns the part that a refund takes off, rounded down; of dollars to 12 places.
  /// - Parameters:
  ///   - credits: those refunded in all.
  ///   - charged: the charge's credits.
  func part(refunding credits: Credits, of charged: Credits) -> WorkMeasure {
    if credits >= charged { return self }
    func share(_ whole: Int128) -> Int128 {
      let product = whole.magnitude.multipliedFullWidth(by: UInt128(credits.magnitude))
      return Int128(UInt128(charged.magnitude).dividingFullWidth(product).quotient)
    }
    let step: Int128 = 1_000_000
    let dollars = share(usd)
    return WorkMeasure(
      usd: dollars - dollars % step, tokens: share(tokens), requests: share(requests))
  }
}

extension ExactDecimal {
  /// The number in the smallest parts of ``LimitUnit/usd``; nil if it has more places.
  public var dollarParts: Int128? { coefficient(atScale: LimitUnit.dollarPlaces) }
}

extension LimitUnit {
  /// Returns the dollars of a price's text in their smallest parts, rounded down; at most 2⁵³
  /// dollars.
  fileprivate static func dollarParts(_ text: String) -> Int128 {
    let parts =
      ExactDecimal(text: text)?.dollarParts
      ?? WideDecimal(text: text).parts(atScale: Self.dollarPlaces)
    let most = Int128(Credits.largestGrant) * dollar
    return parts.map { min(most, $0) } ?? most
  }
}

extension Charge {
  /// Its work as limits of other units than credits count it.
  ///
  /// None if the account is exempt, or if a correction only returns everything.
  var measure: WorkMeasure { isExempt || amendment?.isReturn == true ? .none : receipt.measure }

  /// Returns the work that still counts after refunds.
  /// - Parameter refunded: credits refunded in all; nil if there was no refund.
  func measure(less refunded: Credits?) -> WorkMeasure {
    guard let refunded else { return measure }
    return measure - measure.part(refunding: refunded, of: receipt.creditsCharged)
  }
}

extension CreditReceipt {
  var measure: WorkMeasure { WorkMeasure(of: usage, usd: details?.limitUSD ?? usd) }
}
