internal import CreditJSON
internal import CreditModel
internal import CreditStore

extension Command {
  /// `credit-price`: prices usage, and lists and imports catalogs.
  func runPrice() throws(UsageError) {
    let arguments = settings.arguments
    if let file = arguments[.importFile] { return try importCatalog(file) }
    if arguments[.models] || arguments[.products] { return listCatalog() }
    try serve(.reading(PriceService(self)))
  }
}

/// Prices requests by the store's policy, or by a catalog that the command line names.
private final class PriceService: ReadingService {
  private let command: Command
  private var store: LocalStore?
  private var policy: Policy?
  private var explanations = Explanations()
  private let lastModel = LastModel()

  init(_ command: Command) {
    self.command = command
  }

  func beginBatch() throws(CreditError) {
    let store = try openStore()
    guard let path = command.settings.arguments[.catalog] else {
      policy = try store.policy()
      return
    }
    // A catalog stands in for the policy's prices; the rest of the policy still holds.
    guard policy == nil else { return }
    var policy = try store.policy()
    policy.prices = try CatalogFile.load(path, system: command.host.system)
    self.policy = policy
  }

  private func openStore() throws(CreditError) -> LocalStore {
    if let store { return store }
    let opened = try command.openStore()
    store = opened
    return opened
  }

  func answer(_ request: RequestSource, text: [UInt8]?, to output: ResultOutput)
    throws(CreditError)
  {
    guard let policy else { throw CreditError(.invalidPolicy, "there is no policy") }
    let reader = try RequestReader(
      request, flags: command.settings.members, lastModel: lastModel)
    let billed = try reader.billedUsage(under: policy.priceRules)
    let pricing = try pricing(forModel: billed.model, under: policy)
    let quote = try policy.priceRules.quote(billed.usage, at: pricing)
    output.print(request: text) { $0.price(quote, model: billed.model) }
  }

  private func pricing(forModel model: Name, under policy: Policy) throws(CreditError)
    -> ServicePricing
  {
    do {
      return try policy.pricing(forModel: model)
    } catch {
      throw explanations.explain(error, by: policy)
    }
  }
}
