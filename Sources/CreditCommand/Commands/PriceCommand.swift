internal import CreditJSON
internal import CreditModel
internal import CreditStore
internal import CreditSystem

extension Command {
  func runPrice() throws(UsageError) {
    let arguments = settings.arguments
    if arguments.has(.listTitle), arguments[.resultFormat] != "html" {
      throw UsageError("--title needs --format html")
    }
    if let file = arguments[.importFile] { return try importCatalog(file) }
    if arguments[.resultFormat] == "html" {
      guard arguments[.products] else { throw UsageError("--format html needs --products") }
      return printProductPage()
    }
    // A model without usage from flags or standard input asks for the model's prices.
    let others: [Flag] = [.response, .partial, .usedAt] + Flag.conditions
    let namesOnlyModel =
      arguments.has(.model) && !arguments.isWholeRequest
      && !others.contains(where: arguments.has) && host.streams.inputKind != .data
    if arguments[.models] || arguments[.products] || namesOnlyModel { return listCatalog() }
    try serve(PriceService(self))
  }

  /// Notes several units, images or pages of a model that prices requests. Notes a response whose
  /// own model has a price, if a flag prices it as another one.
  func noteModel(
    _ model: Name, _ usage: ReportedUsage, of source: RequestSource, under policy: Policy,
    at time: Timestamp
  ) {
    if let (name, price) = Self.several(in: usage),
      case .perRequest(let credits)? = try? policy.model(model, at: time).pricing
    {
      let cost = max(credits, policy.priceRules.minimumCharge)
      let dashes = if case .flags = source { "--" } else { "" }
      errors.remark(
        once: "the model costs \(cost) credits a request; \(dashes)\(name) does not change that; "
          + "\(price) prices each")
    }
    let isResponse = if case .response = source { true } else { false }
    if case .counts(.tokens(let tokens)) = usage, tokens.isZero || isResponse,
      let pricing = try? policy.model(model, at: time).pricing, let count = pricing.callsAlone,
      tokens.isZero || count == .images && tokens[count] == 0
    {
      errors.remark(
        once: "the usage has 0 \(count.row.member), which the model prices: \(pricing.advice)")
    }
    guard case .response(let response) = source, let own = Name(valid: response.responseModel),
      let known = try? policy.prices.model(own, at: time),
      let priced = try? policy.prices.model(model, at: time), known.id != priced.id
    else { return }
    errors.ask(
      "the response is of model \(quoted(own.text)), but --model prices it as "
        + "\(quoted(model.text)): is that meant?")
  }

  /// Returns the count of a usage that is of several things, and the price for each of them.
  private static func several(in usage: ReportedUsage) -> (name: String, price: String)? {
    switch usage {
    case .counts(.units(let units)): return units > 1 ? ("units", "creditsPerUnit") : nil
    case .counts(.tokens(let tokens)) where !tokens.isCommon:
      let several = [UsageCount.images, .pages].first { tokens[$0] > 1 }?.row
      return several.map { ("\($0.member)", "\($0.price)Per1000 in usdPer1M") }
    default: return nil
    }
  }
}

/// Prices requests by the store's policy, or by a catalog of the command line.
private final class PriceService: RequestService {
  private let command: Command
  private var store: (any Store)?
  private var policy: Policy? {
    didSet { context = policy.map { command.context(under: $0) } }
  }
  private var context: RequestContext?
  private var explanations = Explanations()
  /// As of the current batch.
  private var time = Timestamp.earliest

  init(_ command: Command) { self.command = command }

  func beginBatch(expecting count: Int) throws(CreditError) -> Batch? {
    time = command.now
    let store = if let store = self.store { store } else { try command.openStore() }
    self.store = store
    guard let path = command.settings.arguments[.catalog] else {
      policy = try store.policy()
      return nil
    }
    // A catalog replaces the policy's prices; the rest of the policy still holds.
    guard policy == nil else { return nil }
    var policy = try store.policy()
    policy.prices = KnownPrices(try CatalogFile.load(path, system: command.host.system))
    self.policy = policy
    return nil
  }

  func take(_ request: RequestSource, text: [UInt8]?, in batch: Batch?, to output: ResultOutput)
    throws(CreditError) -> GateRequest?
  {
    guard let policy, let context,
      let (billed, time) = try RequestReader(request, context).pricing()
    else { throw CreditError(.invalidPolicy, "there is no policy") }
    let timeOfUse = time ?? self.time
    let model: PricedModel
    do {
      model = try policy.model(billed.model, at: timeOfUse)
    } catch {
      throw explanations.explain(error, by: policy)
    }
    let quote = try policy.priceRules.quote(
      billed.usage, reportedUSD: billed.reportedUSD, costIsNegative: billed.costIsNegative,
      of: model, time: timeOfUse)
    command.errors.remark(on: billed.remarks, of: billed.usage)
    command.noteModel(billed.model, billed.usage, of: request, under: policy, at: timeOfUse)
    output.print(request: text) {
      $0.price(quote, billed.usage.counts, model: billed.model, remarks: billed.remarks)
    }
    return nil
  }
}
