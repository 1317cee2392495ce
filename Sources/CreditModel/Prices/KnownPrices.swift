/// A cache of a policy's prices.
///
/// A gate looks up the prices that its requests name before it locks the store: no rule then reads
/// a file or decodes a price under the lock. The cache has no lock of its own: the thread that
/// serves batches uses another one, ``ofGate``.
public final class KnownPrices: PriceSource, @unchecked Sendable {
  /// The prices themselves, which any thread may look up.
  public let source: any PriceSource
  /// The cache of the thread that serves batches, while another reads requests and prints results.
  let ofGate: KnownPrices?
  /// Tells the prices of one policy from those of another.
  var id: ObjectIdentifier { ObjectIdentifier(source) }
  // Exclusivity is unchecked: one thread at a time, and no callee reaches back.
  @exclusivity(unchecked) private var models = FoundPrices()
  @exclusivity(unchecked) private var products = FoundPrices()
  private var subscriptionFound: FoundPrice?
  /// True while only cached prices are returned.
  @exclusivity(unchecked) private var isSealed = false
  /// The price that a rule asked for meanwhile.
  private var missing: Wanted?

  private enum Wanted {
    case model(Name)
    case product(Name)
    case subscription
  }

  public init(_ source: any PriceSource) {
    self.source = source
    ofGate = KnownPrices(ofGate: source)
  }

  private init(ofGate source: any PriceSource) {
    self.source = source
    ofGate = nil
  }

  public func model(_ id: Name) throws(CreditError) -> DatedPrices? {
    if let known = models[id] { return try known.model() }
    return try unsealed(.model(id)).model()
  }

  public func product(_ id: Name) throws(CreditError) -> Product? {
    if let known = products[id] { return try known.product() }
    return try unsealed(.product(id)).product()
  }

  /// Returns a product with a plan; nil if the catalog has no such product. Reads all products.
  func subscription() throws(CreditError) -> Product? {
    if let subscriptionFound { return try subscriptionFound.product() }
    return try unsealed(.subscription).product()
  }

  public func names(_ kind: PricedKind) throws(CreditError) -> [Name] { try source.names(kind) }

  /// Makes the next batch look up again after a failure.
  func prepare() {
    models.prepare()
    products.prepare()
    if subscriptionFound?.error != nil { subscriptionFound = nil }
  }

  // MARK: While a store is locked

  /// Looks up the prices that some requests of a batch name. Only cached prices are returned until
  /// ``open()``.
  public func seal(for batch: Batch, _ places: Range<Int>) {
    prepare()
    for place in places { find(batch.requests[place]) }
    isSealed = true
  }

  public func open() {
    isSealed = false
    missing = nil
  }

  /// Looks up the price that a rule asked for and no request names, with the store unlocked.
  /// - Returns: false if no rule asked for one.
  public func findMissing() -> Bool {
    guard let wanted = missing else { return false }
    _ = find(wanted)
    missing = nil
    return true
  }

  /// Looks a price up. Ends the batch if prices are sealed.
  private func unsealed(_ wanted: Wanted) throws(CreditError) -> FoundPrice {
    if !isSealed { return find(wanted) }
    missing = wanted
    throw CreditError(.ioError, "a price was not looked up")
  }

  private func find(_ request: GateRequest) {
    switch request {
    case .charge(let request):
      // A correction is priced at the time of its charge.
      if request.quote?.source != id || request.amends { require(model: request.model) }
    case .authorize(let request): if let model = request.model { require(model: model) }
    case .topUp(let request):
      switch request.grant {
      case .product(let id, quantity: _), .target(_, product: let id?): require(product: id)
      case .credits, .target(_, product: nil): break
      }
    case .storeKit(let request):
      require(product: request.transaction.productID)
      if case .grant = request.effect, subscriptionFound == nil,
        products[request.transaction.productID]?.isNothing ?? false
      {
        _ = find(.subscription)
      }
    case .payment(let request):
      for change in request.changes { if let id = change.product { require(product: id) } }
    case .void, .refund, .account, .transfer, .notification: break
    }
  }

  private func require(model id: Name) {
    if !models.isLast(id), models[id] == nil { _ = find(.model(id)) }
  }

  private func require(product id: Name) { if products[id] == nil { _ = find(.product(id)) } }

  private func find(_ wanted: Wanted) -> FoundPrice {
    let found: FoundPrice
    do throws(CreditError) {
      switch wanted {
      case .model(let id): found = FoundPrice(model: try source.model(id))
      case .product(let id): found = FoundPrice(product: try source.product(id))
      case .subscription: found = FoundPrice(product: try firstSubscription())
      }
    } catch {
      found = FoundPrice(error: error)
    }
    switch wanted {
    case .model(let id): models.add(found, as: id)
    case .product(let id): products.add(found, as: id)
    case .subscription: subscriptionFound = found
    }
    return found
  }

  private func firstSubscription() throws(CreditError) -> Product? {
    for name in try source.names(.product) {
      if let product = try source.product(name), product.plan != nil { return product }
    }
    return nil
  }
}

/// The outcome of a look-up. A class, as arrays of classes share one type.
private final class FoundPrice {
  private let foundModel: DatedPrices?
  private let foundProduct: Product?
  /// The reason if the look-up failed.
  let error: CreditError?

  init(model: DatedPrices? = nil, product: Product? = nil, error: CreditError? = nil) {
    (foundModel, foundProduct, self.error) = (model, product, error)
  }

  var isNothing: Bool { foundModel == nil && foundProduct == nil && error == nil }

  func model() throws(CreditError) -> DatedPrices? {
    if let error { throw error }
    return foundModel
  }

  func product() throws(CreditError) -> Product? {
    if let error { throw error }
    return foundProduct
  }
}

/// Outcomes of look-ups by the names used for them.
private struct FoundPrices: ~Copyable {
  private var names = NameTable()
  private var found: [FoundPrice] = []
  /// The last outcome returned, which is mostly the next request's too, and its name.
  private var last: FoundPrice?
  private var lastName = Name.nobody
  private var hasFailed = false

  /// The most outcomes that are cached between batches.
  private static let limit = 10_000

  subscript(_ name: Name) -> FoundPrice? {
    mutating get {
      if isLast(name) { return last }
      guard let number = names.number(of: name) else { return nil }
      (last, lastName) = (found[number], name)
      return last
    }
  }

  func isLast(_ name: Name) -> Bool { last != nil && lastName == name }

  mutating func prepare() {
    if hasFailed || found.count > Self.limit { self = FoundPrices() }
  }

  mutating func add(_ price: FoundPrice, as name: Name) {
    let (number, isNew) = names.enter(name)
    if isNew { found.append(price) } else { found[number] = price }
    if price.error != nil { hasFailed = true }
    (last, lastName) = (price, name)
  }
}
