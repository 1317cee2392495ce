import CreditModel

/// The usage of a request, a response, or a chunk of one.
enum UsageFinding {
  /// One that a shape fits.
  case known(UsageShape, JSONValue)
  /// One that none fits.
  case unknown(JSONValue)
  case none

  /// Looks where the table says.
  init(in object: JSONValue) { self.init(in: SearchedObject(object)) }

  /// Looks where the table says.
  init(in object: SearchedObject) {
    var unknown: JSONValue?
    for member in UsageShape.usageMembers {
      guard let usage = member.value(in: object) else { continue }
      if let shape = UsageShape.shape(of: usage, in: object) {
        self = .known(shape, usage)
        return
      }
      if unknown == nil || unknown?.isNull == true { unknown = usage }
    }
    if let unknown {
      self = .unknown(unknown)
      return
    }
    if let usage = ModelUsages(in: object)?.main?.usage,
      let shape = UsageShape.shape(of: usage, in: object)
    {
      self = .known(shape, usage)
      return
    }
    for holder in UsageShape.usageHolders {
      guard let usage = holder.value(in: object) else { continue }
      if let shape = UsageShape.shape(of: usage, in: object) {
        self = .known(shape, usage)
        return
      }
    }
    self = .none
  }
}

extension UsageProblem {
  /// Why a usage fits no shape.
  init(unknown usage: JSONValue) {
    switch usage.kind {
    case .null: self.init("the usage is null")
    case .object: self.init(unknownObject: usage)
    default: self.init("the usage is no object of counts")
    }
  }

  private init(unknownObject usage: JSONValue) {
    for shape in UsageShape.all {
      if let (count, other) = shape.contradiction(in: usage) {
        self.init("\(count.text) and \(other.text) are not counts of one usage")
        return
      }
    }
    var counts: [String] = []
    for shape in UsageShape.all {
      guard let count = shape.anyOf.first?.text.description, !counts.contains(count) else {
        continue
      }
      counts.append(count)
    }
    self.init(
      "the usage has none of the counts that were looked for: " + counts.joined(separator: ", "))
  }
}

extension ReportedUsage {
  /// A usage that a shape fits, and the counts that turned out wrong.
  static func unreadable(_ usage: JSONValue, _ problem: UsageProblem) -> ReportedUsage {
    .unreadable(raw: CompactText.of(usage), reason: problem.reason)
  }

  /// A usage that fits no shape.
  static func unknown(_ usage: JSONValue) -> ReportedUsage {
    .unreadable(usage, UsageProblem(unknown: usage))
  }

  /// No usage.
  static let missing = ReportedUsage.unreadable(raw: "", reason: "there is no usage")

  /// The same in another tier of service.
  func served(as tier: String) -> ReportedUsage {
    guard case .counts(.tokens(var tokens)) = self else { return self }
    tokens[.serviceTier] = tier
    return .counts(.tokens(tokens))
  }
}

extension SearchedObject {
  /// Returns the cost, in dollars, that a response gives. Nil if it gives none, or if that is not
  /// an amount.
  /// - Parameter usage: its usage.
  func providerCost(_ usage: JSONValue) -> ExactDecimal? {
    let own = usage.member("cost")
    let upstream =
      usage.member("cost_details")?.member("upstream_inference_cost")?.exactDecimal
    if let cost = own?.exactDecimal ?? own?.member("total_cost")?.exactDecimal {
      // With a key of the caller's own the provider bills the call, and the gateway its fee.
      let isApart = usage.member("is_byok")?.bool == true
      return isApart ? upstream.map { cost.adding($0) } ?? cost : cost
    }
    if let total = usage.member("cost_usd_total")?.exactDecimal ?? upstream { return total }
    if let ticks = usage.member("cost_in_usd_ticks")?.int64, ticks >= 0 {
      return ExactDecimal(coefficient: UInt128(ticks), scale: UsageShape.tickScale)
    }
    for path in UsageShape.costs {
      if let cost = path.value(in: self)?.exactDecimal { return cost }
    }
    return nil
  }

  /// True if a response says a cost below 0.
  /// - Parameter usage: its usage.
  func costIsNegative(_ usage: JSONValue) -> Bool {
    let own = usage.member("cost")
    let costs = [
      own, own?.member("total_cost"), usage.member("cost_usd_total"),
      usage.member("cost_in_usd_ticks"),
    ]
    return costs.contains { $0?.isBelowZero == true }
      || UsageShape.costs.contains { $0.value(in: self)?.isBelowZero == true }
  }

  /// The model that a response names; nil if the name is absent or empty.
  var providerModel: String? {
    for path in UsageShape.models {
      if let model = path.value(in: self)?.string, !model.isEmpty { return model }
    }
    return nil
  }
}
