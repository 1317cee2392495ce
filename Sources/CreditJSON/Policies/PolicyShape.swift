internal import CreditModel

/// The members of policies and catalogs, for the decoder and `credit schema policy`. Others are
/// refused as unknown.
public enum PolicyShape {
  public static var policy: JSONShape { .object(policyMembers) }

  private static let grant = 0...Credits.largestGrant

  static let policyMembers: [JSONMember] =
    catalogMembers + [
      .text("unit").optional,
      .integer("usdMicrosPerCredit", in: 1...PriceRules.usdMicrosPerCreditLimit).optional,
      .integer("starterCredits", in: grant).optional,
      .words("registration", ["automatic", "explicit"]).optional,
      .words("overdraft", ["allow", "deny"]).optional,
      .integer("minimumCharge", in: grant).optional,
      .words("usageFallback", ["reject", "minimum"]).optional,
      span("holdExpiresIn").optional,
      .words("clock", ["real", "simulated"]).optional,
      .text("timeZone").optional,
      .words("unverifiedTransactions", ["reject", "accept"]).optional,
      .words("unpricedUsage", ["reject", "base"]).optional,
      .amount("markup").optional,
      .text("catalog").optional,
      .list("plans", of: .object(plan)).optional,
      orNull("topUpLimit", .object(topUpLimit)).optional,
      .list("lowBalance", of: .value(.range(-Credits.largestGrant...Credits.largestGrant)))
        .optional,
      orNull("appStore", .object(appStore)).optional,
      .list("events", of: paymentSourceShape).optional,
    ]

  static let catalogMembers: [JSONMember] = [
    .text("$schema").optional, .integer("version", in: 1...1).optional,
    .list("models", of: .choice(modelMembers, oneOf: pricing)).optional,
    .list("products", of: .anyOf([.object(pack), .object(subscription)])).optional,
  ]

  private static let modelMembers: [JSONMember] = [
    .text("id"), .list("aliases", of: .value(.text)).optional, timeOrDay("from").optional,
    .amount("markup").optional, .text("source").optional,
  ]

  static let model = modelMembers + pricing

  /// The members that are prices: a model has one of them.
  static let pricing: [JSONMember] = [
    JSONMember("usdPer1M", .named("usdPer1M", prices(.dollars))),
    JSONMember("tokens", .named("tokens", prices(.microDollars))),
    JSONMember("creditsPerToken", .object(creditsPerToken)),
    JSONMember("creditsPerUnit", .value(.wholeOrDecimal)),
    .integer("creditsPerRequest", in: grant),
    JSONMember("free", .value(.yes)), JSONMember("reportedCost", .value(.yes)),
  ]

  static let creditsPerToken: [JSONMember] = [
    JSONMember("input", .value(.wholeOrDecimal)), JSONMember("output", .value(.wholeOrDecimal)),
  ]

  static let product = [.text("id"), .text("name").optional] + ofProducts

  /// Members of a product of either kind besides its names.
  static let ofProducts = [.text("plan").optional] + ofSubscriptions + ofAllProducts

  private static let pack =
    [.text("id"), .text("name").optional, .integer("credits", in: 1...Credits.largestGrant)]
    + ofAllProducts

  private static let subscription =
    [.text("id"), .text("name").optional, .text("plan")] + ofSubscriptions + ofAllProducts

  private static let ofSubscriptions: [JSONMember] = [
    span("gracePeriod").optional, .integer("credits", in: grant).optional,
  ]

  private static let ofAllProducts: [JSONMember] =
    [
      .text("description").optional, .amount("price").optional,
      .text("currency").optional, .truth("active").optional, .integer("displayOrder").optional,
      timeOrDay("createdAt").optional, .list("groups", of: .value(.text)).optional,
      .list("bonuses", of: .choice(bonusMembers, oneOf: bonusAmounts)).optional,
    ] + terms

  private static let bonusMembers: [JSONMember] =
    [
      .text("id"), timeOrDay("from").optional, timeOrDay("until").optional,
      .truth("first").optional,
    ] + terms

  private static let bonusAmounts: [JSONMember] = [
    .integer("credits", in: 1...Credits.largestGrant),
    .integer("percent", in: ProductBonus.percents),
  ]

  static let bonus = bonusMembers + bonusAmounts

  private static let terms: [JSONMember] = [
    .integer("priority", in: Grant.priorities).optional, span("expiresIn").optional,
    .list("models", of: .value(.text)).optional,
  ]

  static let plan: [JSONMember] = [
    .text("id"), .integer("quota", in: grant).optional,
    JSONMember(
      "period",
      .anyOf([
        .value(.words(["day", "month", "anniversary", "subscription"])), .object(periodOfDays),
      ])
    ).optional,
    .integer("rolloverMax", in: grant).optional,
    .integer("rolloverFor", in: Rollover.limits).optional,
    // A limit in dollars, or in any other unit: the number has the name of its kind.
    .list(
      "limits", of: .anyOf([.object(limitMembers + wholeNumber), .object(limitMembers + dollars)])
    ).optional,
  ]

  /// The members of both forms.
  static let limit = limitMembers + wholeNumber + dollars

  private static let wholeNumber: [JSONMember] = [
    JSONMember(
      "unit", .value(.words(LimitUnit.allCases.filter { $0 != .usd }.map(\.rawValue)))
    ).optional,
    .integer("credits", in: grant),
  ]

  private static let dollars: [JSONMember] = [
    JSONMember("unit", .value(.words([LimitUnit.usd.rawValue]))),
    JSONMember("usd", .value(.wholeOrDecimal)),
  ]

  private static let limitMembers: [JSONMember] = [
    .text("id"), JSONMember("period", limitPeriod),
    .list("models", of: .value(.text)).optional,
    .list("alerts", of: .value(.range(SpendLimit.percents))).optional,
  ]

  /// A limit's window: a word, or a number of days.
  static var limitPeriod: JSONShape {
    .anyOf([
      .value(.words(LimitPeriod.words.compactMap(\.word).map { "\($0)" })),
      .object(limitDays),
    ])
  }

  static let limitDays: [JSONMember] = [.integer("days", in: LimitPeriod.dayLimits)]

  static let periodOfDays: [JSONMember] = [.integer("days", in: QuotaPeriod.dayLimits)]

  static let topUpLimit: [JSONMember] = [
    .integer("count", in: 1...Int64(TopUpLimit.countLimit)).optional,
    .integer("credits", in: 1...Credits.largestGrant).optional,
    .words("period", ["minute", "hour", "day", "month"]),
  ]

  static let appStore: [JSONMember] = [
    .text("bundleID"), .words("environment", AppStore.Environment.allCases.map(\.rawValue)),
    .integer("appAppleID", in: 1...Int64.max).optional, .text("rootCertificate").optional,
    .truth("keepSigned").optional,
  ]

  /// The sources of payment events. For Standard Webhooks the policy defines the body.
  private static var paymentSourceShape: JSONShape {
    func source(_ formats: [PaymentFormat], _ own: [JSONMember]) -> JSONShape {
      .object([.words("format", formats.map(\.rawValue))] + paymentMembers + own)
    }
    return .anyOf([
      source([.stripe, .paddle, .revenuecat], [tax]), source([.standard], standardBody),
    ])
  }

  static let paymentSource: [JSONMember] = [.text("format")] + paymentMembers + [tax] + standardBody

  private static let tax = JSONMember.words("tax", ["include", "exclude"]).optional

  private static let paymentMembers: [JSONMember] = [
    .text("secretFile"), span("tolerance").optional, paths("accountFrom"), paths("productFrom"),
    paths("quantityFrom"), JSONMember("products", .map(.value(.text))).optional,
    .truth("liveOnly").optional, .truth("onlyOurs").optional,
    .words("unknownLines", ["refuse", "skip"]).optional,
  ]

  private static let standardBody: [JSONMember] = [
    JSONMember(
      "types",
      .map(.value(.words(PaymentSource.StandardBody.Meaning.allCases.map(\.rawValue))))),
    paths("idFrom"), paths("amountFrom"), paths("refundedFrom"), paths("currencyFrom"),
    paths("timeFrom"), paths("untilFrom"),
  ]

  // MARK: Prices

  private static let thresholds: [JSONMember] = [
    .integer("aboveInputTokens", in: 1...Int64.max), .integer("atInputTokens", in: 1...Int64.max),
  ]

  /// A model's dollar prices by count, in either form.
  private static func prices(_ form: PriceForm) -> JSONShape {
    let own = prices(form, areWhole: true)
    let tier = JSONShape.choice(own, oneOf: thresholds)
    let partial = prices(form, areWhole: false)
    let partialTier = JSONShape.choice(partial, oneOf: thresholds)
    let condition =
      partial + [.list("tiers", of: partialTier).optional, .amount("multiply").optional]
    return .object(
      own + [
        .list("tiers", of: tier).optional,
        JSONMember("when", .map(.object(condition))).optional,
      ])
  }

  /// - Parameter areWhole: whether the price of input and output has to be there.
  private static func prices(_ form: PriceForm, areWhole: Bool) -> [JSONMember] {
    (0...UsageCount.total).map { place in
      JSONMember(form.name(at: place), price(form), isRequired: areWhole && place < 2)
    }
  }

  private static func price(_ form: PriceForm) -> JSONShape {
    switch form {
    case .dollars: .named("dollars", .value(.numberOrDecimal))
    case .microDollars: .named("microDollars", .value(.wholeOrDecimal))
    }
  }

  // MARK: Kinds

  private static func span(_ name: String) -> JSONMember { JSONMember(name, .value(.span)) }
  private static func timeOrDay(_ name: String) -> JSONMember {
    JSONMember(name, .value(.timeOrDay))
  }
  /// A path of members, or several of which the first that is there counts.
  private static func paths(_ name: String) -> JSONMember {
    JSONMember(name, .anyOf([.value(.text), .list(.value(.text))])).optional
  }
  private static func orNull(
    _ name: String, _ shape: @autoclosure @escaping @Sendable () -> JSONShape
  ) -> JSONMember {
    JSONMember(name, .anyOf([shape(), .value(.null)]))
  }
}
