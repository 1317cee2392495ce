internal import CreditJSON
internal import CreditModel

/// The models and products of a policy, looked up through its index, and after them those of the
/// catalog that it names.
///
/// What is remembered here needs no lock, as one thread at a time looks prices up.
final class PolicyLists: PriceSource, @unchecked Sendable {
  private let index: PolicyIndex
  private let file: NamedFile
  private let next: (any PriceSource)?
  /// Reads the policy whole.
  private let readWhole: () throws(CreditError) -> any PriceSource
  private var models = LookedUpModels()

  /// - Parameters:
  ///   - file: the policy's.
  ///   - next: the catalog.
  init(
    _ index: PolicyIndex, of file: NamedFile, next: (any PriceSource)?,
    whole readWhole: @escaping () throws(CreditError) -> any PriceSource
  ) {
    self.index = index
    self.file = file
    self.next = next
    self.readWhole = readWhole
  }

  func model(_ id: Name, at time: Timestamp) throws(CreditError) -> PricedModel? {
    if let known = models[id] { return try known.inForce(at: time, for: id) }
    let (name, places) = index.models(id)
    if places.isEmpty { return try next?.model(id, at: time) }
    guard let model = file.model(name, at: places) else {
      return try readWhole().model(id, at: time)
    }
    models.remember(model, as: id)
    return try model.inForce(at: time, for: id)
  }

  func product(_ id: Name) throws(CreditError) -> Product? {
    let places = index.places(of: id, .product)
    if places.isEmpty { return try next?.product(id) }
    if let product = file.product(id, at: places) { return product }
    return try readWhole().product(id)
  }

  func names(_ kind: PricedKind) throws(CreditError) -> [Name] {
    try readWhole().names(kind)
  }
}
