/// The store's rules. They never change past records.
public struct Policy: Sendable {
  /// The name of credits for readers.
  public var unit = "credit"
  public var starterCredits: Credits = 1000
  /// Whether the first write for an account registers it; otherwise only `credit-account` does.
  public var registersAutomatically = true
  /// Whether a charge may leave a balance negative.
  public var allowsOverdraft = true
  /// How long a hold lasts by default.
  public var holdExpiresIn = TimeSpan.seconds(3600)
  /// True if the caller may set the time, for simulations.
  public var clockIsSimulated = false
  /// The clock by which hours, days, weeks and months begin.
  public var clock = WindowClock.utc
  /// True if StoreKit's unsigned JSON grants credits.
  public var acceptsUnverifiedTransactions = false
  public var priceRules = PriceRules()
  public var prices: KnownPrices
  public var plans: [Plan] = [] {
    didSet {
      priceRules.countsDollars = plans.contains { $0.limits.contains { $0.unit == .usd } }
    }
  }
  public var topUpLimit: TopUpLimit?
  /// The balances below which results report an account, the highest first.
  public var lowBalance: [Credits] = []
  public var appStore: AppStore?
  /// Sources of payment events: at most one of each format.
  public var payments: [PaymentSource] = []

  public init(prices: any PriceSource) { self.prices = KnownPrices(prices) }

  /// The policy for a reader, who does not need its zone.
  var forReading: Policy {
    var policy = self
    policy.clock = clock.forReading
    return policy
  }

  /// The same policy for the gate, which looks prices up while requests are read.
  public var ofGate: Policy {
    var policy = self
    if let prices = prices.ofGate { policy.prices = prices }
    return policy
  }

  public func plan(_ id: Name) -> Plan? { place(ofPlan: id).map { plans[$0] } }

  /// The catalog's products, without those that cannot be read.
  public var products: [Product] {
    ((try? prices.names(.product)) ?? []).compactMap { try? prices.product($0) }
  }

  func place(ofPlan id: Name) -> Int? { plans.indices.first { plans[$0].id == id } }

  /// Returns a model with the price in force at a time.
  /// - Throws: `unknown_model`.
  @inline(__always)
  public func model(_ id: Name, at time: Timestamp) throws(CreditError) -> PricedModel {
    if let model = try prices.model(id, at: time) { return model }
    throw CreditError(
      .unknownModel, "no model \(quoted(id.text)) in the catalog", [.model(id.text)])
  }

  /// Adds the nearest ids to the error of an unknown model or product; returns others unchanged.
  ///
  /// The search takes a while in a large catalog: it is for the few errors that people read, and
  /// must not be done while the store is locked.
  public func explained(_ error: CreditError) -> CreditError {
    var nearest: [Name]?
    for detail in error.details {
      switch detail {
      case .from: return error
      case .model(let id): nearest = nearestNames(to: id, .model)
      case .product(let id): nearest = nearestNames(to: id, .product)
      default: break
      }
    }
    guard let nearest, [.unknownModel, .unknownProduct].contains(error.code) else { return error }
    var hint = NearestNames.hint(nearest) + (error.details.compactMap(aliasHint).first ?? "")
    if hint.isEmpty, error.code == .unknownModel {
      hint = "; add one to the policy's models, as credit-policy(5) shows"
    }
    return CreditError(error.code, error.message + hint, error.details)
  }

  /// Advice on pricing a gateway's `openai/gpt-4o`, or `gpt-4o-2024-11-20`, as the model behind it;
  /// nil if there is no such model.
  private func aliasHint(_ detail: CreditError.Detail) -> String? {
    guard case .model(let name) = detail else { return nil }
    let slash = name.utf8.lastIndex(of: UInt8(ascii: "/"))
    let dated = slash == nil ? Name(trusted: name).datedAlias?.text : nil
    guard let base = slash.map({ name[$0...].dropFirst() }) ?? dated?.dropLast("-DATE".count),
      let known = try? prices.model(Name(trusted: String(base)), at: .latest),
      name.needsNoQuotes, known.id.text.needsNoQuotes
    else { return nil }
    let id = "\"\(known.id.text)\""
    return "; to price it as \(id): credit-store policy | jq '(.models[] | select(.id == \(id)))"
      + ".aliases += [\"\(dated ?? name)\"]' | credit-store policy --set -"
  }

  /// Returns a grant's first model that the catalog lacks, and the nearest names.
  ///
  /// An alias does not count: grants go by ids.
  public func unknownModel(among models: ModelPatterns, at time: Timestamp)
    throws(CreditError) -> (name: Name, nearest: [Name])?
  {
    for pattern in models.names {
      let found = try prices.model(pattern, at: time)
      if found?.id == pattern { continue }
      let names = try prices.names(.model)
      if try hasID(names, of: pattern, at: time) { continue }
      if let found { return (pattern, [found.id]) }
      return (pattern, NearestNames.find(pattern, among: names))
    }
    return nil
  }

  /// Remarks on a policy without models and products, and on odd limits of plans: the catalog lacks
  /// a model, or the id is another period's name.
  public var remarks: [String] {
    let isBare = (try? prices.names(.model) + prices.names(.product))?.isEmpty == true
    let bare =
      "the policy has no prices, so nothing can be charged: add \"models\" or a \"catalog\""
    let odd: [String] = plans.flatMap { plan in
      plan.limits.flatMap { limit in
        let unknown = limit.models.flatMap { models in
          try? unknownModel(among: ModelPatterns(trusted: models), at: .latest)
        }
        let named = LimitPeriod(word: limit.id.text).map { $0 == limit.period } ?? true
        return [
          unknown.map {
            "names the model \(quoted($0.name.text)), which the catalog lacks, so it counts nothing"
              + NearestNames.hint($0.nearest)
          }, named ? nil : "has the name of a period, but another period",
        ].compactMap { problem in
          problem.map { "limit \(quoted(limit.id.text)) of plan \(quoted(plan.id.text)) \($0)" }
        }
      }
    }
    return (isBare ? [bare] : []) + odd
  }

  /// Whether a catalog's name is the id of a model that a pattern covers.
  private func hasID(_ names: [Name], of pattern: Name, at time: Timestamp) throws(CreditError)
    -> Bool
  {
    for name in names where pattern.covers(name) {
      // A model whose price is not in force yet is not found.
      guard let model = try prices.model(name, at: time) else { return true }
      if model.id == name { return true }
    }
    return false
  }

  func nearestNames(to id: String, _ kind: PricedKind) -> [Name]? {
    guard let names = try? prices.names(kind) else { return nil }
    // An alias for any date is not a name to type.
    return NearestNames.find(Name(trusted: id), among: names.filter { !$0.text.hasSuffix("-DATE") })
  }

  /// Returns a product that is or was on sale.
  /// - Throws: `unknown_product`.
  public func product(_ id: Name) throws(CreditError) -> Product {
    if let product = try prices.product(id) { return product }
    throw CreditError(
      .unknownProduct, "no product \(quoted(id.text)) in the catalog", [.product(id.text)])
  }
}

/// A plan: credits for every period, and limits on spending.
public struct Plan: Equatable, Sendable {
  public var id: Name
  /// Nil for a plan of limits alone, whose `period` has no meaning.
  public var quota: Credits?
  public var period: QuotaPeriod
  /// The most that is carried from one period into the next.
  public var rolloverMax: Credits
  /// How many periods carried credits last; nil if they do not expire.
  public var rolloverFor: Int64?
  public var limits: [SpendLimit] = []

  public init(
    id: Name, quota: Credits?, period: QuotaPeriod, rolloverMax: Credits = 0,
    rolloverFor: Int64? = nil
  ) {
    self.id = id
    self.quota = quota
    self.period = period
    self.rolloverMax = rolloverMax
    self.rolloverFor = rolloverFor
  }

  /// A plan of limits alone.
  public init(id: Name, limits: [SpendLimit]) {
    self.init(id: id, quota: nil, period: .month)
    self.limits = limits
  }
}

/// Limit of an account's top-ups in a sliding window, by number and credits.
public struct TopUpLimit: Equatable, Sendable {
  /// The most top-ups, up to ``countLimit``.
  public var count: Int
  /// The most credits in all; nil for no limit.
  public var credits: Credits?
  public var period: TimeSpan

  /// The most top-ups of a window in an account's record.
  public static let countLimit = 1000

  public init(count: Int = countLimit, credits: Credits? = nil, period: TimeSpan) {
    self.count = count
    self.credits = credits
    self.period = period
  }
}

/// A top-up in the window of the policy's limit.
public struct RecentTopUp: Equatable, Sendable {
  public var time: Timestamp
  /// The credits that it added; nil if the policy did not limit credits then.
  public var credits: Credits?

  public init(_ time: Timestamp, credits: Credits? = nil) {
    self.time = time
    self.credits = credits
  }
}

/// The app whose StoreKit transactions grant credits.
public struct AppStore: Equatable, Sendable {
  public enum Environment: String, CaseIterable, Sendable {
    case production = "Production"
    case sandbox = "Sandbox"
    case xcode = "Xcode"
    case localTesting = "LocalTesting"
  }

  public var bundleID: String
  public var environment: Environment
  public var appAppleID: Int64?
  /// Path of the root certificate, relative to the policy's folder.
  public var rootCertificate: String?
  /// Whether the text that Apple signed is recorded with the purchase.
  public var keepsSigned: Bool

  public init(
    bundleID: String, environment: Environment, appAppleID: Int64? = nil,
    rootCertificate: String? = nil, keepsSigned: Bool = false
  ) {
    self.bundleID = bundleID
    self.environment = environment
    self.appAppleID = appAppleID
    self.rootCertificate = rootCertificate
    self.keepsSigned = keepsSigned
  }
}

extension String {
  /// Whether the text needs no quotes in a shell and in JSON.
  fileprivate var needsNoQuotes: Bool {
    utf8.allSatisfy { $0.isLetterOrDigit || "-./:_@".utf8.contains($0) }
  }
}

/// Source of a policy's payment events: their signer, and the paths to their facts.
public struct PaymentSource: Equatable, Sendable {
  public var format: PaymentFormat
  /// The file of the secrets, relative to the folder of secrets. A secret is never in a policy.
  public var secretFile: String
  /// How far the time of a signature may be from the store's clock.
  public var tolerance = TimeSpan.seconds(300)
  /// Paths of members that name the account; the first one present counts.
  ///
  /// Empty for the format's own.
  public var accountFrom: [String] = []
  public var productFrom: [String] = []
  public var quantityFrom: [String] = []
  /// The products of the catalog, by the provider's names for them.
  public var products: [String: Name] = [:]
  /// Whether events of a provider's test mode are refused.
  public var isLiveOnly = false
  /// True if a sale of something else is an error.
  public var requiresKnownProducts = false
  /// True if an invoice's lines of unknown products are passed over beside known ones.
  public var skipsUnknownLines = false
  /// True if the price of a sale is recorded without its tax; never for Standard Webhooks.
  public var excludesTax = false
  /// The meaning of Standard Webhooks' bodies.
  public var body = StandardBody()

  /// The meaning of an event's body if only its signature is standard.
  public struct StandardBody: Equatable, Sendable {
    public enum Meaning: String, CaseIterable, Sendable {
      case purchase, pending, failed, refund
      /// A payment for a plan, and the end of that.
      case subscription, end
    }

    /// By the value of the body's `type`.
    public var types: [String: Meaning] = [:]
    public var idFrom: [String] = []
    public var amountFrom: [String] = []
    public var refundedFrom: [String] = []
    public var currencyFrom: [String] = []
    public var timeFrom: [String] = []
    /// The end of a subscription's paid period.
    public var untilFrom: [String] = []

    public init() {}
  }

  public init(format: PaymentFormat, secretFile: String) {
    self.format = format
    self.secretFile = secretFile
  }

  /// Returns the product for a provider's name: by the policy, or with that id.
  public func product(_ name: String) -> Name { products[name] ?? Name(trusted: name) }
}
