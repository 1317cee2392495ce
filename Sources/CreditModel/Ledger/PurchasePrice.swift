/// Price paid for a purchase, which its parts share by their credits.
public struct PurchasePrice {
  public let amount: ExactDecimal
  /// An ISO 4217 code.
  public let currency: String
  private let granted: Credits

  /// Nil unless it is a purchase with credits and a price, or a paid subscription.
  public init?(_ topUp: TopUp) {
    let transaction = topUp.transaction
    guard transaction.kind.isSold, topUp.refundable > 0 || transaction.kind == .subscription,
      let price = transaction.price, let amount = ExactDecimal(text: price),
      let currency = transaction.currency
    else { return nil }
    self.amount = amount
    self.currency = currency
    granted = topUp.refundable
  }

  /// Returns the price of a part of its credits. It is rounded half to even to the digits of the
  /// currency. All of the credits cost the whole price, whatever digits that has.
  /// - Returns: nil for a price that is too long to be shared.
  func share(of credits: Credits) -> ExactDecimal? {
    if credits >= granted { return amount }
    return share(of: UInt64(clamping: credits), in: UInt64(clamping: granted))
  }

  /// Returns the price of a part of the whole, rounded like that of credits.
  /// - Parameter whole: above 0 and not below the part.
  func share(of part: UInt64, in whole: UInt64) -> ExactDecimal? {
    amount.share(of: part, in: whole, digits: Currency.minorDigits(of: currency))
  }

  /// Returns the amount that a refund pays back by default: the price of its credits, so that the
  /// refunds of all credits add up to the whole price. A reversal takes back the same amount.
  public func usual(_ refund: Refund) -> ExactDecimal? {
    if refund.credits < 0 { return share(of: 0 &- refund.credits) }
    guard let after = share(of: refund.requested), let before = usualBefore(refund) else {
      return nil
    }
    return after.subtracting(before)
  }

  /// Returns the default amount paid back by earlier refunds.
  public func usualBefore(_ refund: Refund) -> ExactDecimal? {
    refund.number == 1 ? .zero : share(of: refund.before &+ refund.forfeitedBefore)
  }

  func rest(before refund: Refund) -> ExactDecimal? {
    amount.subtracting(refund.priceBefore ?? .zero)
  }
}

enum PaidBack {
  /// The rest of the price of the credits.
  case usual
  /// The request's amount.
  case stated(ExactDecimal)
  /// A share of the purchase's whole price, if not paid back yet: a part of a whole, which is above
  /// 0.
  case part(UInt64, of: UInt64)
  /// The amount of all refunds of the purchase, of which some may have been paid back.
  case inAll(ExactDecimal)

  /// - Returns: nil for a purchase without a price.
  /// - Throws: `invalid_request` if the stated amount exceeds the rest of the price.
  func amount(of refund: Refund, _ topUp: TopUp) throws(CreditError) -> ExactDecimal? {
    let paid = PurchasePrice(topUp)
    guard let paid, let rest = paid.rest(before: refund) else {
      guard case .stated = self else { return nil }
      throw CreditError(
        .invalidRequest, of: topUp.transaction,
        "has no price and currency, so no price can be paid back")
    }
    switch self {
    case .usual:
      let usual = refund.isFirst ? paid.share(of: refund.requested) : paid.usual(refund)
      return usual.map { min($0, rest) }
    case .part(let part, let whole): return Self.due(paid.share(of: part, in: whole), refund, rest)
    case .inAll(let sum): return Self.due(sum, refund, rest)
    case .stated(let price):
      if price <= rest { return price }
      let digits = Currency.minorDigits(of: paid.currency)
      throw CreditError(
        .invalidRequest, of: topUp.transaction,
        "has \(rest.text(atLeast: digits)) \(paid.currency) of its price left to be paid back")
    }
  }

  private static func due(_ sum: ExactDecimal?, _ refund: Refund, _ rest: ExactDecimal)
    -> ExactDecimal
  {
    min(sum?.subtracting(refund.priceBefore ?? .zero) ?? .zero, rest)
  }
}

/// The purchases of one payment, which share the money of its refunds.
struct PaymentLines {
  /// Prices in the currency's minor units, by the order of the ids.
  private let lines: [(id: Name, price: Int128)]
  private let digits: Int

  /// - Parameter purchases: all of the payment.
  /// - Returns: nil for a single one, or if the prices are not whole minor units of one currency.
  init?(_ purchases: [(id: Name, price: PurchasePrice?)]) {
    guard purchases.count > 1, let currency = purchases[0].price?.currency else { return nil }
    digits = Currency.minorDigits(of: currency)
    var lines: [(id: Name, price: Int128)] = []
    for (id, price) in purchases {
      guard let price, price.currency == currency,
        let units = price.amount.coefficient(atScale: digits), units <= Int64.max
      else { return nil }
      lines.append((id, units))
    }
    self.lines = lines.sorted { $0.id < $1.id }
  }

  /// Returns a line's amount of all refunds of the payment so far.
  ///
  /// The sum over the lines is the refunded amount. Each unit goes to the line that reaches the
  /// middle of it first: of two lines, both get the nearest unit. So a later refund never lowers
  /// the amount of a line.
  /// - Parameters:
  ///   - part: the share of the payment that was refunded.
  ///   - whole: above 0 and not below the part.
  /// - Returns: nil if the line is not one of these.
  func refund(of part: UInt64, in whole: UInt64, to id: Name) -> ExactDecimal? {
    guard let place = lines.firstIndex(where: { $0.id == id }) else { return nil }
    let total = lines.reduce(0) { $0 + $1.price }
    let sum = ExactDecimal(coefficient: total, scale: digits)
    guard total > 0, total <= Int64.max,
      let refunded = sum.share(of: part, in: whole, digits: digits)?.coefficient(atScale: digits)
    else { return nil }
    // No line has fewer, as rounding moves the sum by half a unit a line at most.
    let least = max(0, 2 * refunded - Int128(lines.count))
    var given = lines.map { $0.price * least / (2 * total) }
    for _ in 0..<max(0, refunded - given.reduce(0, +)) {
      let next = lines.indices.filter { lines[$0].price > 0 }.min {
        (2 * given[$0] + 1) * lines[$1].price < (2 * given[$1] + 1) * lines[$0].price
      }
      given[next ?? place] += 1
    }
    return ExactDecimal(coefficient: given[place], scale: digits)
  }
}

extension Refund {
  /// Total paid back by the purchase's refunds up to this one; nil if unknown.
  public var priceTotal: ExactDecimal? {
    guard let price else { return nil }
    return price.adding(priceBefore ?? .zero)
  }

  /// Returns the amount paid back as people write money: `4.99`, below zero if reversed.
  /// - Parameter isReversal: true if it is a refund that was reversed; one of no credits does not
  ///   show it.
  public func priceText(in currency: String?, isReversal: Bool = false) -> String? {
    guard let price, let currency else { return nil }
    let text = price.text(atLeast: Currency.minorDigits(of: currency))
    return (credits < 0 || isReversal) && price != .zero ? "-" + text : text
  }

  /// Returns the waived credits of a charge that go with those given back, below 0, in proportion;
  /// nil for none.
  func waived(of receipt: CreditReceipt) -> Credits? {
    guard let waived = receipt.creditsWaived, waived > 0, credits > 0 else { return nil }
    func share(_ part: Credits) -> Credits {
      Credits(clamping: Int128(waived) * Int128(part) / Int128(receipt.creditsCharged))
    }
    let back = share(before) - share(total)
    return back == 0 ? nil : back
  }

  /// Returns the dollars that went back for a charge, below 0, in proportion to its credits.
  ///
  /// Those of all credits are the whole price; of a part they have 12 places.
  func usd(of receipt: CreditReceipt) -> String? {
    guard let usd = receipt.usd, credits > 0 else { return nil }
    if credits == receipt.creditsCharged { return PriceParts.difference(nil, usd) }
    guard let (after, earlier) = usdBack(of: receipt), let back = after.subtracting(earlier) else {
      return nil
    }
    return back.negated.text
  }

  /// The dollars of all refunds of a charge up to this one, and up to the one before it.
  private func usdBack(of receipt: CreditReceipt) -> (after: ExactDecimal, earlier: ExactDecimal)? {
    let whole = UInt64(clamping: receipt.creditsCharged)
    guard let usd = receipt.usd, let price = ExactDecimal(text: usd),
      let after = price.share(of: UInt64(clamping: total), in: whole, digits: 12),
      let earlier = price.share(of: UInt64(clamping: before), in: whole, digits: 12)
    else { return nil }
    return (after, earlier)
  }

  /// Returns the part of those dollars that goes with waived credits; nil if none were waived.
  ///
  /// It is the difference of the sums up to this refund and up to the one before it. So the refunds
  /// of a whole charge sum to its waived dollars, and none exceeds its own dollars.
  func usdWaived(of receipt: CreditReceipt) -> String? {
    guard credits > 0, let parts = WaivedParts(receipt),
      let (after, earlier) = usdBack(of: receipt), let waived = parts.usd(of: after),
      let known = parts.usd(of: earlier)
    else { return nil }
    return waived.subtracting(known)?.negated.text
  }
}

extension ExactDecimal {
  /// Returns the price of a part, if this is that of the whole, rounded half to even.
  /// - Parameter whole: above 0 and not below the part.
  /// - Returns: nil for a price that is too long to be shared.
  fileprivate func share(of part: UInt64, in whole: UInt64, digits: Int) -> ExactDecimal? {
    if part >= whole { return self }
    let scale = max(digits, self.scale)
    guard let coefficient = coefficient(atScale: scale)?.magnitude else { return nil }
    // coefficient × part / whole is below the coefficient.
    let product = coefficient.multipliedFullWidth(by: UInt128(part))
    let (quotient, remainder) = UInt128(whole).dividingFullWidth(product)
    guard let unit = Int128.powerOfTen(scale - digits)?.magnitude else { return nil }
    let (units, rest) = quotient.quotientAndRemainder(dividingBy: unit)
    // The rest is (rest + remainder / whole) / unit of the last digit.
    let isAboveHalf: Bool
    let isHalf: Bool
    if unit == 1 {
      isAboveHalf = remainder > UInt128(whole) - remainder
      isHalf = remainder == UInt128(whole) - remainder
    } else {
      isAboveHalf = rest > unit / 2 || rest == unit / 2 && remainder > 0
      isHalf = rest == unit / 2 && remainder == 0
    }
    let isUp = isAboveHalf || isHalf && units % 2 == 1
    let share = ExactDecimal(coefficient: Int128(units) + (isUp ? 1 : 0), scale: digits)
    // A price finer than its currency is never exceeded by a rounded part of it.
    return subtracting(share) == nil ? self : share
  }
}

extension Amendment {
  /// Returns the change of a charge's dollars that were waived; nil if none were.
  func usdWaived(by receipt: CreditReceipt) -> String? {
    let price = previousPrice
    if receipt.usd == nil && price.usd == nil { return nil }
    let now = WaivedParts(receipt)
    let known = WaivedParts(price, credits: previousCredits)
    if now == nil && known == nil { return nil }
    guard let waived = now.map(\.whole) ?? ExactDecimal.zero,
      let before = known.map(\.whole) ?? ExactDecimal.zero
    else { return nil }
    return PriceParts.difference(waived.text, before.text)
  }
}

private struct WaivedParts {
  private let price: ExactDecimal
  private let waived: Credits
  private let charged: Credits

  /// - Returns: nil if no account was exempt, or the price is not in dollars.
  init?(_ receipt: CreditReceipt) {
    self.init(PriceParts(receipt), credits: receipt.creditsCharged)
  }

  init?(_ parts: PriceParts, credits: Credits) {
    guard let waived = parts.waived, let usd = parts.usd, let price = ExactDecimal(text: usd) else {
      return nil
    }
    (self.price, self.waived, charged) = (price, waived, credits)
  }

  /// The waived part of the whole price; nil if it is too long.
  var whole: ExactDecimal? { usd(of: price) }

  /// Returns the waived part of some of the price: cut after as many places as the price has, or
  /// 12. So a larger part never has less of either.
  func usd(of part: ExactDecimal) -> ExactDecimal? {
    if charged == 0 { return part }
    let places = max(12, price.scale)
    guard let units = part.coefficient(atScale: places), units >= 0, waived >= 0, charged > 0 else {
      return nil
    }
    let whole = UInt128(waived.magnitude) + UInt128(charged.magnitude)
    let product = units.magnitude.multipliedFullWidth(by: UInt128(waived.magnitude))
    let quotient = whole.dividingFullWidth(product).quotient
    return ExactDecimal(coefficient: Int128(quotient), scale: places)
  }
}

extension TopUp {
  /// The most that can be refunded: the credits granted, or to be granted.
  public var refundable: Credits {
    switch transaction.status {
    case .scheduled: transaction.credits
    case .refunded where creditsAdded == 0 && transaction.terms?.startsAt != nil:
      transaction.credits
    default: creditsAdded
    }
  }
}

public enum Currency {
  /// Returns the number of digits after the point: 2 unless the standard differs.
  ///
  /// Source: the list of currencies that the maintenance agency publishes (six-group.com), column
  /// "minor unit".
  public static func minorDigits(of code: String) -> Int {
    switch code {
    case "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND",
      "VUV", "XAF", "XOF", "XPF":
      0
    case "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND": 3
    case "CLF", "UYW": 4
    default: 2
    }
  }

  /// Returns why a price is probably a mistake; nil if it is not.
  public static func problem(of price: ExactDecimal?, in code: String) -> String? {
    if !isCode(code) {
      let near = NearestNames.misspelt(code, among: ["USD", "EUR", "GBP", "CHF", "JPY"])
      return "currency \(code) is not a current one of ISO 4217" + (near.map { " (\($0)?)" } ?? "")
    }
    let digits = minorDigits(of: code)
    guard let price, price.coefficient(atScale: digits) == nil else { return nil }
    return "the price \(price.text) has more than the \(digits) decimals of \(code)"
  }

  public static func isCode(_ text: String) -> Bool {
    guard text.utf8.count == 3 else { return false }
    return codes.split(separator: " ").contains { $0.utf8.elementsEqual(text.utf8) }
  }

  /// The codes of the standard's list one, without funds, precious metals and test codes.
  private static let codes = """
    AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP \
    BYN BZD CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB \
    EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD \
    JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP \
    MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR \
    RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND \
    TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAF XCD XCG XOF XPF \
    YER ZAR ZMW ZWG
    """
}
