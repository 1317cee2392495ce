internal import CreditJSON
internal import CreditModel

extension Flag {
  static let catalog = TextFlag(
    "catalog", "FILE", .path, group: .catalog, "Prices from this catalog, not the policy's")

  static let models = Switch(
    "models", group: .catalog, "List the models and their prices, one a line")

  static let modelText = TextFlag(
    "search", "TEXT", group: .catalog,
    "With --models: only those with this text in a name")

  static let priceTime = TimeFlag(
    "at", group: .catalog, "With --models: the prices in force then, not now")

  static let products = Switch("products", group: .catalog, "List the products on sale, one a line")

  static let buyer = TextFlag(
    "account", "NAME", .name(.account), group: .catalog,
    "With --products: those that the account is shown")

  static let buyerGroup = TextFlag(
    "group", "ID", group: .catalog,
    "With --products: those without groups, and of this group")

  static let listTitle = TextFlag(
    "title", "TEXT", group: .catalog, "With --products --format html: what the page is called")

  static let importFile = TextFlag(
    "import", "FILE", .path, group: .catalog,
    "Turn another program's price file into a catalog")

  static let productCredits = ListFlag(
    "product-credits", "ID=N", group: .catalog,
    "With --import: what a product grants; repeatable")
}

extension RequestReader {
  /// Visits a usage and the time of the work, which selects a price with a date.
  func pricing() throws(CreditError) -> (billed: BilledUsage, time: Timestamp?)? {
    let billed = try billedUsage()
    var time = try time("usedAt", .usedAt)
    if time == nil { time = try self.time(isOfReading: true) }
    return billed.map { ($0, time) }
  }
}

extension Tool {
  public static let price = Tool(
    .price,
    summary: "Price the usage of a model in credits",
    request: { reader throws(CreditError) in _ = try reader.pricing() },
    flags: [
      .response, .responseHeaders, .partial, .catalog, .models, .modelText, .priceTime, .products,
      .buyer, .buyerGroup, .listTitle, .importFile, .productCredits,
    ] + Flag.common.map { $0 === Flag.resultFormat ? priceFormat : $0 },
    exclusions: [
      Exclusion(.models, [.products, .importFile] + ofRequests),
      Exclusion(.products, [.importFile, .model] + ofRequests),
      Exclusion(.buyer, [.buyerGroup, .catalog]),
      Exclusion(.importFile, [.model] + ofRequests),
      Exclusion(.response, Flag.usage),
      Flag.unitsOrTokens,
    ],
    requirements: [
      Requirement(.productCredits, [.importFile]), Requirement(.modelText, [.models]),
      Requirement(.priceTime, [.models]), Requirement(.responseHeaders, [.response]),
      Requirement(.buyer, [.products]), Requirement(.buyerGroup, [.products]),
      Requirement(.listTitle, [.resultFormat]),
    ],
    wholeRequests: [
      CommandForm([.model], Flag.usagePart),
      CommandForm([.models, .products, .importFile]),
    ],
    storeless: [CommandForm([.importFile]), CommandForm([.catalog], [.models, .products])],
    run: { command throws(UsageError) in try command.runPrice() })

  private static let priceFormat = Flag.resultFormat.worded(
    "JSON, or text laid out for reading; of --products also a page",
    as: .text(.choice(["json", "text", "html"])))

  private static let ofRequests: [Flag] = [.response, .usedAt] + Flag.usage + Flag.conditions
}
