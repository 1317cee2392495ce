import CreditModel

enum LimitDecoder {
  static func limits(_ plan: ObjectReader) throws(PolicyProblem) -> [SpendLimit] {
    var known: [Name] = []
    return try plan.list("limits", limit: SpendLimit.countLimit) {
      value throws(PolicyProblem) in
      let reader = try ObjectReader(value, known: PolicyShape.limit)
      let id = try reader.requiredName("id")
      if let problem = SpendLimit.problem(withID: id.text) { throw reader.invalid("id", problem) }
      if known.contains(id) { throw reader.invalid("id", "is used already") }
      known.append(id)
      let period = try reader.inside("period") { () throws(PolicyProblem) in
        try self.period(reader.value.member("period"))
      }
      let unit = try unit(reader)
      return SpendLimit(
        id: id, period: period, models: try models(reader), unit: unit,
        amount: try amount(reader, in: unit), alerts: try alerts(reader))
    }
  }

  private static func unit(_ reader: ObjectReader) throws(PolicyProblem) -> LimitUnit {
    guard reader.has("unit") else { return .credits }
    if let unit = reader.value.string("unit").flatMap(LimitUnit.init) { return unit }
    let words = LimitUnit.allCases.map { quoted($0.rawValue) }.joined(separator: ", ")
    throw reader.invalid("unit", "must be one of \(words)")
  }

  /// Reads the number: `usd` of a limit in dollars, `credits` of any other one.
  private static func amount(_ reader: ObjectReader, in unit: LimitUnit) throws(PolicyProblem)
    -> Int128
  {
    let (name, other): (StaticString, StaticString) =
      unit == .usd ? ("usd", "credits") : ("credits", "usd")
    if reader.has("\(other)") {
      let advice = reader.has("unit") ? "" : "; add \"unit\":\"usd\""
      throw reader.invalid(other, "is not the number of a limit in \(unit.rawValue)\(advice)")
    }
    guard unit == .usd else {
      let credits = try reader.integer(name, in: 0...Credits.largestGrant)
      return Int128(try reader.required(name, credits))
    }
    guard let amount = unit.amount(try reader.required(name, try reader.decimal(name))) else {
      throw reader.invalid("usd", "must be \(unit.numbers)")
    }
    return amount
  }

  private static func period(_ value: JSONValue?) throws(PolicyProblem) -> LimitPeriod {
    if let value, value.kind == .object {
      let reader = try ObjectReader(value, known: PolicyShape.limitDays)
      let count = try reader.required("days", try reader.integer("days", in: LimitPeriod.dayLimits))
      return .days(count)
    }
    guard let period = value?.string.flatMap(LimitPeriod.init) else {
      throw PolicyProblem(
        (value == nil ? "is missing: it must be " : "must be ")
          + "\"hour\", \"day\", \"week\", \"month\", \"total\" or {\"days\":N}"
          + (value?.nearest(among: LimitPeriod.words.compactMap(\.word).map { "\($0)" }) ?? ""))
    }
    return period
  }

  /// Ids need not be in the catalog: prices come and go.
  private static func models(_ reader: ObjectReader) throws(PolicyProblem) -> [Name]? {
    guard reader.has("models") else { return nil }
    let models = try reader.list("models", limit: SpendLimit.modelLimit) {
      value throws(PolicyProblem) in
      let text = try ObjectReader.text(value)
      if text.dropLast().contains("*") { throw PolicyProblem("has a * before its end") }
      return Name(trusted: text)
    }
    if models.isEmpty { throw reader.invalid("models", "is empty") }
    return models
  }

  private static func alerts(_ reader: ObjectReader) throws(PolicyProblem) -> [Int64] {
    guard reader.has("alerts") else { return SpendLimit.usualAlerts }
    var last: Int64 = 0
    return try reader.list("alerts", limit: Int(SpendLimit.percents.upperBound)) {
      value throws(PolicyProblem) in
      guard let percent = value.int64, SpendLimit.percents.contains(percent) else {
        throw PolicyProblem("must be a whole number from 1 to 1000")
      }
      guard percent > last else { throw PolicyProblem("must be above the one before it") }
      last = percent
      return percent
    }
  }
}
