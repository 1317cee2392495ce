import CreditModel

/// The amount that a refund pays back, computed in thousandths of a currency's unit.
struct OraclePrice {
  private let whole: Int128
  private let unit: Int128
  private let topUp: LedgerOracle.TopUp

  init?(_ topUp: LedgerOracle.TopUp) {
    guard topUp.kind == .purchase && topUp.refundable > 0 || topUp.kind == .subscription,
      let price = topUp.price,
      let currency = topUp.currency
    else { return nil }
    whole = Self.thousandths(price)
    unit = ["JPY": 1000, "KWD": 1][currency] ?? 10
    self.topUp = topUp
  }

  /// `9.99` → 9990
  static func thousandths(_ text: String) -> Int128 {
    let parts = text.split(separator: ".")
    let fraction = (parts.count > 1 ? String(parts[1]) : "") + "000"
    return (Int128(parts[0]) ?? 0) * 1000 + (Int128(fraction.prefix(3)) ?? 0)
  }

  private func share(_ credits: Credits) -> Int128 {
    if credits == topUp.refundable { return whole }
    let (product, divisor) = (whole * Int128(credits), Int128(topUp.refundable) * unit)
    var units = product / divisor
    let rest = product % divisor * 2
    if rest > divisor || rest == divisor && units % 2 == 1 { units += 1 }
    return min(whole, units * unit)
  }

  func paidBack(_ stated: Int128?, upTo total: Credits) throws(LedgerOracle.Refusal) -> Int128 {
    let left = whole - topUp.paidBack
    if let stated, stated > left { throw LedgerOracle.Refusal(code: .invalidRequest) }
    let before = topUp.status == .refunded ? share(topUp.refunded) : 0
    return stated ?? min(left, share(total) - before)
  }
}
