internal import CreditJSON
internal import CreditModel
internal import CreditStore

extension Command {
  /// `credit-price`: prices usage, and lists and imports catalogs.
  func runPrice() throws(UsageError) {
    let service = PriceService(self)
    let arguments = settings.arguments
    if arguments.flag("models") || arguments.flag("products") {
      return printLines { printer throws(CreditError) in
        try service.list(models: arguments.flag("models"), into: &printer)
      }
    }
    try serve(.reading(service))
  }
}

/// Prices requests by the store's policy, or by a catalog that the command line names.
private final class PriceService: ReadingService {
  private let command: Command
  private var store: LocalStore?
  private var policy: Policy?

  init(_ command: Command) {
    self.command = command
  }

  func beginBatch() throws(CreditError) {
    let store = try openStore()
    guard let path = command.settings.arguments.text("catalog") else {
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

  func answer(_ request: RequestSource, into output: inout JSONWriter) throws(CreditError) {
    guard let policy else { throw CreditError(.invalidPolicy, "there is no policy") }
    let reader = try RequestReader(request, flags: command.settings.members, now: .earliest)
    let billed = try reader.billedUsage()
    let pricing = try policy.pricing(forModel: billed.model)
    let quote = try policy.priceRules.quote(billed.usage, at: pricing)
    output.price(quote, model: billed.model)
  }

  /// Lists models, or the products on sale.
  func list(models: Bool, into printer: inout ResultPrinter) throws(CreditError) {
    try beginBatch()
    guard let catalog = policy?.prices as? PriceCatalog else { return }
    if models {
      for model in catalog.models { printer.print { $0.model(model) } }
      return
    }
    let products = catalog.products.filter(\.isActive).enumerated().sorted {
      ($0.element.displayOrder, $0.offset) < ($1.element.displayOrder, $1.offset)
    }
    for product in products { printer.print { $0.product(product.element) } }
  }
}
