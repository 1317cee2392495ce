public import CreditModel

public enum PolicyText {}

/// Reads a policy whole: every member known and possible, or `invalid_policy` with its path.
/// Members that are left out have the standard policy's values; lists are empty.
public struct PolicyDecoder {
  private let reader: ObjectReader
  private let zones: (() -> any ZoneSource)?

  /// The catalog of a policy that may name none.
  public static func noCatalog(_: String) throws(CreditError) -> any PriceSource {
    throw PolicyProblem("can't be read here", at: "catalog").error(of: "the policy")
  }

  /// - Parameters:
  ///   - zones: called if the policy names a zone; nil for a policy that is only checked.
  ///   - catalog: opens the catalog file that the policy names, to be searched after its own models
  ///     and products.
  public static func decode(
    _ value: JSONValue, zones: (() -> any ZoneSource)? = nil,
    catalog: (String) throws(CreditError) -> (any PriceSource) = noCatalog
  ) throws(CreditError) -> Policy {
    var file: String?
    let decoder = try PolicyProblem.reported { () throws(PolicyProblem) in
      let reader = try ObjectReader(value, known: PolicyShape.policyMembers)
      try checkFrame(reader)
      file = try reader.text("catalog", limit: 4096)
      return PolicyDecoder(reader: reader, zones: zones)
    }
    var next: (any PriceSource)?
    if let file { next = try catalog(file) }
    return try PolicyProblem.reported { () throws(PolicyProblem) in
      try decoder.policy(next: next)
    }
  }

  /// Reads a catalog: an object with `models` and `products` in the policy's form.
  public static func decodeCatalog(_ value: JSONValue) throws(CreditError) -> PriceCatalog {
    try PolicyProblem.reported(of: "the catalog") { () throws(PolicyProblem) in
      // Of a policy the models and products are read.
      let reader = try ObjectReader(value, known: PolicyShape.policyMembers)
      if reader.has("catalog") {
        throw reader.invalid("catalog", "names another file: give that one, or leave it out")
      }
      try checkFrame(reader)
      return try PolicyDecoder(reader: reader, zones: nil).catalog(next: nil, modelLimit: 100_000)
    }
  }

  private static func checkFrame(_ reader: ObjectReader) throws(PolicyProblem) {
    try reader.checkText("$schema", limit: 4096)
    _ = try reader.integer("version", in: 1...1)
  }

  private func policy(next: (any PriceSource)?) throws(PolicyProblem) -> Policy {
    var policy = Policy(prices: try catalog(next: next, modelLimit: 10_000))
    if let unit = try reader.text("unit") { policy.unit = unit }
    if let credits = try reader.integer("starterCredits", in: 0...Credits.largestGrant) {
      policy.starterCredits = credits
    }
    if let isExplicit = try reader.choice("registration", "automatic", "explicit") {
      policy.registersAutomatically = !isExplicit
    }
    if let denies = try reader.choice("overdraft", "allow", "deny") {
      policy.allowsOverdraft = !denies
    }
    if let span = try reader.span("holdExpiresIn") { policy.holdExpiresIn = span }
    if let isSimulated = try reader.choice("clock", "real", "simulated") {
      policy.clockIsSimulated = isSimulated
    }
    if let name = try reader.text("timeZone") { policy.clock = try clock(name) }
    if let accepts = try reader.choice("unverifiedTransactions", "reject", "accept") {
      policy.acceptsUnverifiedTransactions = accepts
    }
    policy.priceRules = try priceRules()
    policy.plans = try plans()
    // Products pay for plans of the policy.
    _ = try reader.list("products", limit: 10_000) { [policy] value throws(PolicyProblem) in
      guard let plan = value.name("plan"), policy.plan(plan) == nil else { return }
      let near = NearestNames.hint(NearestNames.find(plan, among: policy.plans.map(\.id)))
      throw PolicyProblem("is not a plan of the policy\(near)", at: "plan")
    }
    policy.topUpLimit = try topUpLimit()
    policy.lowBalance = try lowBalance()
    policy.appStore = try appStore()
    policy.payments = try payments()
    return policy
  }

  private func clock(_ name: String) throws(PolicyProblem) -> WindowClock {
    let fixed = TimeZone(offset: name)
    if fixed == .utc { return .utc }
    if fixed == nil, let problem = TimeZone.problem(withName: name) {
      throw reader.invalid("timeZone", "\(problem) or +02:00")
    }
    return .wall(PolicyZone(name, from: zones?()))
  }

  private func priceRules() throws(PolicyProblem) -> PriceRules {
    var rules = PriceRules()
    if let rate = try reader.integer(
      "usdMicrosPerCredit", in: 1...PriceRules.usdMicrosPerCreditLimit)
    {
      (rules.usdMicrosPerCredit, rules.statesRate) = (rate, true)
    }
    if let credits = try reader.integer("minimumCharge", in: 0...Credits.largestGrant) {
      rules.minimumCharge = credits
    }
    if let charges = try reader.choice("usageFallback", "reject", "minimum") {
      rules.chargesMinimumForUnreadableUsage = charges
    }
    if let charges = try reader.choice("unpricedUsage", "reject", "base") {
      rules.chargesBaseForUnpricedUsage = charges
    }
    if let markup = try Self.markup(reader) { rules.markup = markup }
    return rules
  }

  private func catalog(next: (any PriceSource)?, modelLimit: Int) throws(PolicyProblem)
    -> PriceCatalog
  {
    let models = try reader.list("models", limit: modelLimit) { value throws(PolicyProblem) in
      do throws(PolicyProblem) {
        return try Self.model(value)
      } catch {
        var problem = error
        problem.model = value.string("id")
        throw problem
      }
    }
    let products = try reader.list("products", limit: 10_000, Self.product)
    do {
      return try PriceCatalog(models: models, products: products, next: next)
    } catch {
      switch error {
      case .takenModelName(let place, let name):
        throw PolicyProblem(
          "has an id or alias that another model has already: \(quoted(name.text))",
          at: "models[\(place)]")
      case .takenTime(let place):
        throw PolicyProblem(
          "is also that of another entry of \(quoted(models[place].id.text)): each entry of an id "
            + "needs a start of its own",
          at: "models[\(place)].from")
      case .takenProductID(let place):
        throw PolicyProblem("is used already", at: "products[\(place)].id")
      }
    }
  }

  static func model(_ value: JSONValue) throws(PolicyProblem) -> PricedModel {
    let reader = try ObjectReader(value, known: PolicyShape.model)
    let id = try reader.requiredName("id")
    let aliases = try reader.list("aliases", limit: 100) { value throws(PolicyProblem) in
      Name(trusted: try ObjectReader.text(value))
    }
    try reader.checkText("source", limit: 4096)
    return PricedModel(
      id: id, aliases: aliases, pricing: try PricingDecoder.decode(reader),
      markup: try markup(reader), from: try reader.time("from"))
  }

  private static func markup(_ reader: ObjectReader) throws(PolicyProblem) -> ExactDecimal? {
    guard let markup = try reader.priceText("markup", isFactor: true) else { return nil }
    if markup == .zero { throw reader.invalid("markup", "must be above 0") }
    return markup
  }

  static func product(_ value: JSONValue) throws(PolicyProblem) -> Product {
    let reader = try ObjectReader(value, known: PolicyShape.product)
    let id = try reader.requiredName("id")
    let plan = try reader.name("plan")
    let given = try reader.integer(
      "credits", in: (plan == nil ? 1 : 0)...Credits.largestGrant)
    let credits = try reader.required("credits", given ?? plan.map { _ in 0 })
    let grace = try reader.span("gracePeriod")
    if grace != nil, plan == nil { throw reader.invalid("gracePeriod", "needs plan beside it") }
    let currency = try reader.text("currency")
    if let currency, !CurrencyCode.isValid(currency) {
      throw reader.invalid("currency", CurrencyCode.problem)
    }
    // Listings alone show them. Past purchases of an inactive product still grant its credits.
    _ = (try reader.time("createdAt"), try reader.text("description", limit: 4096))
    _ = (try reader.bool("active"), try reader.integer("displayOrder", in: Int64.min...Int64.max))
    _ = try reader.list("groups", limit: ProductGroup.countLimit) { value throws(PolicyProblem) in
      let text = try ObjectReader.anyText(value)
      if let problem = ProductGroup.problem(with: text) { throw PolicyProblem(problem) }
      if text == ProductGroup.none { throw PolicyProblem("is the word for no group") }
    }
    return Product(
      id: id, name: try reader.text("name") ?? id.text, credits: credits,
      price: try reader.priceText("price"),
      pricePlaces: value.member("price")?.withUTF8(ExactDecimal.writtenPlaces) ?? 0,
      currency: currency, terms: try terms(reader), bonuses: try BonusDecoder.bonuses(reader),
      plan: plan,
      gracePeriod: grace ?? TimeSpan(milliseconds: 0))
  }

  /// Returns the terms of a product's or a bonus's grant.
  static func terms(_ reader: ObjectReader) throws(PolicyProblem) -> StatedTerms {
    StatedTerms(
      priority: try reader.integer("priority", in: Grant.priorities),
      expiry: try reader.span("expiresIn").map { .after($0) }, models: try models(reader))
  }

  /// Ids of models, or beginnings of ids.
  static func models(_ reader: ObjectReader) throws(PolicyProblem) -> ModelPatterns? {
    guard reader.has("models") else { return nil }
    let texts = try reader.list("models", limit: ModelPatterns.countLimit, ObjectReader.anyText)
    if texts.isEmpty { throw reader.invalid("models", "is empty") }
    do {
      return try ModelPatterns(texts)
    } catch {
      throw reader.invalid("models", error.text)
    }
  }

  private func plans() throws(PolicyProblem) -> [Plan] {
    var known = NameTable()
    return try reader.list("plans", limit: 1000) { value throws(PolicyProblem) in
      let reader = try ObjectReader(value, known: PolicyShape.plan)
      let id = try reader.requiredName("id")
      if id.text == "none" { throw reader.invalid("id", "is the word for no plan: choose another") }
      if !known.add(id) { throw reader.invalid("id", "is used already") }
      let limits = try LimitDecoder.limits(reader)
      guard let quota = try reader.integer("quota", in: 0...Credits.largestGrant) else {
        for key: StaticString in ["period", "rolloverMax", "rolloverFor"] where reader.has("\(key)")
        {
          throw reader.invalid(key, "needs quota beside it")
        }
        return Plan(id: id, limits: limits)
      }
      let period = try reader.inside("period") { () throws(PolicyProblem) in
        try self.period(reader.value.member("period"))
      }
      let rollover = try reader.integer("rolloverMax", in: 0...Credits.largestGrant)
      let periods = try reader.integer("rolloverFor", in: Rollover.limits)
      for (key, value) in [("rolloverMax" as StaticString, rollover), ("rolloverFor", periods)]
      where period == .subscription && value ?? 0 > 0 {
        throw reader.invalid(key, "cannot be given with the period \"subscription\"")
      }
      if periods != nil, rollover ?? 0 == 0 {
        throw reader.invalid("rolloverFor", "needs rolloverMax above 0 beside it")
      }
      var plan = Plan(
        id: id, quota: quota, period: period, rolloverMax: rollover ?? 0, rolloverFor: periods)
      plan.limits = limits
      return plan
    }
  }

  private func period(_ value: JSONValue?) throws(PolicyProblem) -> QuotaPeriod {
    if let value, value.kind == .object {
      let reader = try ObjectReader(value, known: PolicyShape.periodOfDays)
      let count = try reader.required("days", try reader.integer("days", in: QuotaPeriod.dayLimits))
      return .days(count)
    }
    switch value?.string {
    case "day": return .day
    case "month": return .month
    case "anniversary": return .anniversary(of: nil)
    case "subscription": return .subscription
    default:
      throw PolicyProblem(
        (value == nil ? "is missing: it must be " : "must be ")
          + "\"day\", \"month\", \"anniversary\", \"subscription\" or {\"days\":N}"
          + (value?.nearest(among: ["day", "month", "anniversary", "subscription"]) ?? ""))
    }
  }

  private func topUpLimit() throws(PolicyProblem) -> TopUpLimit? {
    guard let value = reader.value.member("topUpLimit"), !value.isNull else { return nil }
    return try reader.inside("topUpLimit") { () throws(PolicyProblem) in
      let limit = try ObjectReader(value, known: PolicyShape.topUpLimit)
      let count = try limit.integer("count", in: 1...Int64(TopUpLimit.countLimit))
      let credits = try limit.integer("credits", in: 1...Credits.largestGrant)
      if count == nil && credits == nil { throw limit.invalid("count", "is missing") }
      let seconds: Int64
      switch limit.value.string("period") {
      case "minute": seconds = 60
      case "hour": seconds = 3600
      case "day": seconds = 86_400
      case "month": seconds = 30 * 86_400
      default:
        let words = ["minute", "hour", "day", "month"]
        let nearest = limit.value.member("period")?.nearest(among: words)
        throw limit.invalid(
          "period", "must be \"minute\", \"hour\", \"day\" or \"month\"\(nearest ?? "")")
      }
      return TopUpLimit(
        count: count.map(Int.init) ?? TopUpLimit.countLimit, credits: credits,
        period: .seconds(seconds))
    }
  }

  private func lowBalance() throws(PolicyProblem) -> [Credits] {
    var known: [Credits] = []
    let limit = Credits.largestGrant
    _ = try reader.list("lowBalance", limit: 100) { value throws(PolicyProblem) in
      guard let threshold = value.int64, (-limit...limit).contains(threshold) else {
        let quotes = value.kind == .string ? ", without quotes" : ""
        throw PolicyProblem("must be a whole number from \(-limit) to \(limit)\(quotes)")
      }
      if known.contains(threshold) { throw PolicyProblem("is given twice") }
      known.append(threshold)
    }
    return known.sorted(by: >)
  }

  private func payments() throws(PolicyProblem) -> [PaymentSource] {
    var known: Set<PaymentFormat> = []
    return try reader.list("events", limit: PaymentFormat.allCases.count) {
      value throws(PolicyProblem) in
      let source = try PaymentSourceDecoder.source(value)
      guard known.insert(source.format).inserted else {
        throw PolicyProblem("is given twice", at: "format")
      }
      return source
    }
  }

  private func appStore() throws(PolicyProblem) -> AppStore? {
    guard let value = reader.value.member("appStore"), !value.isNull else { return nil }
    return try reader.inside("appStore") { () throws(PolicyProblem) in
      let app = try ObjectReader(value, known: PolicyShape.appStore)
      let bundleID = try app.required("bundleID", try app.text("bundleID"))
      guard
        let environment = app.value.string("environment").flatMap(AppStore.Environment.init)
      else {
        throw app.invalid(
          "environment", "must be \"Production\", \"Sandbox\", \"Xcode\" or \"LocalTesting\"")
      }
      return AppStore(
        bundleID: bundleID, environment: environment,
        appAppleID: try app.integer("appAppleID", in: 1...Int64.max),
        rootCertificate: try app.text("rootCertificate", limit: 4096),
        keepsSigned: try app.bool("keepSigned") ?? false)
    }
  }
}

/// Currency codes of ISO 4217: their form is all that is checked.
public enum CurrencyCode {
  /// The problem of any other text, to follow the member's name.
  public static let problem = "must be an ISO 4217 code, such as USD"
  public static func isValid(_ text: String) -> Bool {
    text.utf8.count == 3 && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")) ~= $0 }
  }
}

enum BonusDecoder {
  static func bonuses(_ product: ObjectReader) throws(PolicyProblem) -> [ProductBonus] {
    var known: [Name] = []
    return try product.list("bonuses", limit: ProductBonus.countLimit) {
      value throws(PolicyProblem) in
      let reader = try ObjectReader(value, known: PolicyShape.bonus)
      let id = try reader.requiredName("id")
      if let problem = SpendLimit.problem(withID: id.text) { throw reader.invalid("id", problem) }
      if known.contains(id) { throw reader.invalid("id", "is used already") }
      known.append(id)
      let from = try reader.time("from")
      let until = try reader.time("until")
      if let from, let until, until <= from { throw reader.invalid("until", "must be after from") }
      return ProductBonus(
        id: id, amount: try amount(reader), from: from, until: until,
        isForFirst: try reader.bool("first") ?? false, terms: try PolicyDecoder.terms(reader))
    }
  }

  private static func amount(_ reader: ObjectReader) throws(PolicyProblem) -> ProductBonus.Amount {
    let credits = try reader.integer("credits", in: 1...Credits.largestGrant)
    let percent = try reader.integer("percent", in: ProductBonus.percents)
    switch (credits, percent) {
    case (let credits?, nil): return .credits(credits)
    case (nil, let percent?): return .percent(percent)
    case (_?, _?): throw reader.invalid("percent", "cannot be given with credits")
    case (nil, nil): throw reader.invalid("credits", "is missing; give it or percent")
    }
  }
}
