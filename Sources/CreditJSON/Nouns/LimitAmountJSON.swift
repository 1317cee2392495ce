internal import CreditModel

/// An amount against a limit: a whole number, or dollars as decimal text.
struct LimitAmount: Equatable {
  /// In the smallest parts of its unit.
  let amount: Int128
  let isDollars: Bool

  init(_ amount: Int128, _ unit: LimitUnit) {
    self.amount = amount
    isDollars = unit == .usd
  }
}

extension LimitView {
  func amount(_ amount: (LimitView) -> Int128) -> LimitAmount {
    LimitAmount(amount(self), limit.unit)
  }
}

enum LimitAmountForm: MemberForm {
  static func write(_ value: borrowing LimitAmount, to writer: inout JSONWriter) {
    if value.isDollars {
      writer.string(LimitUnit.usd.text(value.amount))
    } else {
      writer.integer(Int64(clamping: value.amount))
    }
  }

  static func read(_ reader: inout RecordReader) -> LimitAmount? {
    if !reader.cursor.isNext("\"") { return LimitAmount(Int128(reader.cursor.integer()), .credits) }
    let text = reader.string()
    let parts = text.withUTF8Bytes { ExactDecimal(amount: $0)?.dollarParts }
    guard let parts, LimitUnit.usd.text(parts) == text else { return nil }
    return LimitAmount(parts, .usd)
  }

  static var shape: JSONShape { .anyOf([.value(.integer), .value(.decimal)]) }
}

// The members of limits in states, records and results.
extension MemberVisitor where Self: ~Copyable {
  /// Visits the unit of a limit. Credits are the usual one.
  @discardableResult
  mutating func limitUnit(_ known: LimitUnit?) -> LimitUnit {
    member("unit", known, Word<LimitUnit>.self, unless: .credits)
  }

  /// Visits the number of a limit: `credits`, or `usd` if it is in dollars.
  @discardableResult
  mutating func limitAmount(_ known: LimitAmount?) -> LimitAmount? {
    let whole = known.flatMap { $0.isDollars ? nil : Int64(clamping: $0.amount) }
    let credits = optional("credits", whole, Whole.self)
    let usd = optional("usd", known.flatMap { $0.isDollars ? $0 : nil }, LimitAmountForm.self)
    require(credits == nil || usd == nil)
    return usd ?? credits.map { LimitAmount(Int128($0), .credits) }
  }

  /// Visits the number and the alerts of an account's own limit. One without a number is lifted.
  @discardableResult
  mutating func limitNumber(_ known: LimitSetting?, of id: Name? = nil) -> LimitSetting? {
    let unit = limitUnit(known?.unit)
    let amount = limitAmount(
      known.flatMap { setting in
        setting.amount.map { LimitAmount($0, setting.unit) }
      })
    let alerts = optional("alerts", known?.alerts ?? nil, List<Whole>.self)
    guard let id else { return nil }
    require(amount.map { $0.isDollars == (unit == .usd) } ?? true)
    return LimitSetting(id: id, unit: unit, amount: amount?.amount, alerts: alerts)
  }

  mutating func countedWork(_ known: WorkMeasure?) -> WorkMeasure {
    let usd = optional(
      "countedUSD", known.flatMap { $0.usd == 0 ? nil : LimitAmount($0.usd, .usd) },
      LimitAmountForm.self)
    let tokens = member(
      "countedTokens", known.map { Int64(clamping: $0.tokens) }, Whole.self, unless: 0)
    let requests = member(
      "countedRequests", known.map { Int64(clamping: $0.requests) }, Whole.self, unless: 0)
    require(usd.map { $0.isDollars && $0.amount != 0 } ?? true)
    return WorkMeasure(usd: usd?.amount ?? 0, tokens: Int128(tokens), requests: Int128(requests))
  }
}
