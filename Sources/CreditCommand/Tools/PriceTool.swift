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
  /// `credit-price`: usage and a model → an exact price.
  public static let price = Tool(
    .price,
    summary: "Price the usage of a model in credits",
    request: { reader throws(CreditError) in _ = try reader.pricing() },
    flags: [
      .response, .responseHeaders, .partial, .catalog, .models, .modelText, .priceTime, .products,
      .buyer, .buyerGroup, .listTitle, .importFile, .productCredits,
      .store, .now, .pass, .get, .pretty, .json, priceFormat, .quiet, .lockTimeout, .noSync, .help,
      .version,
    ],
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
    run: { command throws(UsageError) in try command.runPrice() },
    help: { priceHelp })

  private static let priceFormat = Flag.resultFormat.worded(
    "JSON, or text laid out for reading; of --products also a page",
    as: .text(.choice(["json", "text", "html"])))

  private static let ofRequests: [Flag] = [.response, .usedAt] + Flag.usage + Flag.conditions

  private static var priceHelp: ToolHelp {
    ToolHelp(
      synopsis: [
        "--model MODEL --input-tokens N --output-tokens N ...",
        "[--model MODEL] < requests",
        "[--model MODEL] --response < response",
        "--models [--model MODEL] [--search TEXT] [--at TIME] [--catalog FILE]",
        "--products [--format json|text|html] [--title TEXT] [--catalog FILE]",
        "--products [--account NAME] [--group ID]",
        "--import FILE [--product-credits ID=N ...]",
      ],
      description: """
        Prices what a model used: the exact cost in dollars and the whole credits that
        credit-charge(1) would take. It changes nothing and charges nobody.
        """,
      examples: [
        Example(
          "What does a question cost?",
          """
          credit-price --model claude-sonnet-4.5 \\
            --input-tokens 1200 --output-tokens 500 --get credits
          """,
          output: "12"),
        Example(
          "The price of a response, in dollars, as the provider sent it:",
          """
          curl -s https://api.anthropic.com/v1/messages \\
            -H @headers -d @question.json |
            credit-price --response --get usd
          """),
        Example(
          "Every line of a usage log with its price added:",
          "credit-price --pass < usage.ndjson > priced.ndjson"),
        Example("Which models have a price?", "credit-price --models --get id"),
        Example(
          "What did a model cost on a day, and where is that from?",
          "credit-price --models --model claude-opus-4.8 --at 2026-02-19 --pretty"),
        Example(
          "Keep LiteLLM's prices as a catalog, and price from it:",
          """
          credit-price --import model_prices_and_context_window.json \\
            > catalog.json
          credit-price --catalog catalog.json < usage.ndjson
          """),
      ],
      errors: [
        .unknownModel, .invalidUsage, .unpricedUsage, .failedResponse, .cutResponse,
        .amountOutOfRange,
      ])
  }
}
