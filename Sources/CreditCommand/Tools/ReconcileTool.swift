internal import CreditFinance
internal import CreditModel

extension Flag {
  static let reconcileFormat = TextFlag(
    "format", "FORM", .choice(["text", "csv", "json", "html"]), group: .action,
    "The form of what is printed")

  static let reconcileBy = TextFlag(
    "by", "WHAT", .choice(Grouping.allCases.map(\.rawValue)), group: .action,
    "What a line is for: day,model if not given")

  static let tolerance = TextFlag(
    "tolerance", "AMOUNT", group: .action, "How much a line may differ: 0 if not given")

  static let settled = SpanFlag(
    "settled", group: .action, "When a day of the bill is final: 24h after its end if not given")

  static let midnightGrace = SpanFlag(
    "grace", group: .action, "Let calls this close to midnight count on the other day")

  static let modelMap = ListFlag(
    "map", "BILL=BOOKS", group: .selection, "A model of the bill is this model of the books")

  static let modelColumn = TextFlag(
    "model-column", "NAME", group: .selection, "The column of a FOCUS file that names the model")

  /// The catalog flag for names and prices only.
  static let reconcileCatalog = catalog.worded(
    "Match models by the ids and aliases of this catalog")
}

extension Tool {
  /// `credit-reconcile`: compares a provider's bill with the books, and explains differences.
  public static let reconcile = Tool(
    .reconcile,
    summary: "Compare a provider's bill with the books",
    flags: [
      .reconcileFormat, .reconcileBy, .tolerance, .settled, .midnightGrace, .since, .until,
      .utcOffset, .modelMap, .modelColumn, .reconcileCatalog, .now, .quiet, .help, .version,
    ],
    subcommands: BillFormats.all.map(subcommand), subcommandNoun: "format",
    help: { reconcileHelp })

  private static func subcommand(of format: any BillFormat.Type) -> Subcommand {
    let description = format.description
    return Subcommand(
      description.name, description.summary, flags: [], takesFiles: true,
      run: { command throws(UsageError) in try command.reconcile(format) })
  }

  private static var reconcileHelp: ToolHelp {
    ToolHelp(
      synopsis: ["FORMAT BILL ... [--since TIME] [--until TIME] < history"],
      description: """
        Compares a provider's bill with the usage lines of credit-history(1), and prints a
        result for each day and model, and a total. It opens no store, asks no network and
        writes nothing. Lines of other types are skipped.
        """,
      examples: reconcileExamples,
      errors: [
        .differs, .incompleteBill, .invalidUsage, .amountOutOfRange, .limitExceeded,
        .permissionDenied,
      ])
  }

  private static var reconcileExamples: [Example] {
    [
      Example(
        "November, by the models of the store; exit status 15 if a line differs:",
        """
        credit-store policy > policy.json
        credit-history --all --type usage --limit 0 |
          credit-reconcile anthropic usage.json cost.json --catalog policy.json \\
            --since 2026-11-01 --until 2026-12-01
        """),
      Example(
        "Books of several providers: each charge whose newest line has a model of the bill's one:",
        """
        credit-history --all --type usage --limit 0 |
          awk -F'"' '{ id = $4
            if (sub(/^amend:/, "", id)) sub(/:[0-9]+(:old)?$/, "", id)
            if (!(id in own)) own[id] = /"model":"claude/ } own[id]' |
          credit-reconcile anthropic usage.json cost.json --catalog policy.json
        """),
      Example(
        "A page for who closes the month, differences under a cent aside:",
        """
        credit-history --all --type usage --limit 0 |
          credit-reconcile anthropic usage.json cost.json --catalog policy.json \\
            --since 2026-11-01 --until 2026-12-01 --tolerance 0.01 \\
            --format html > november.html
        """),
      Example(
        "Call by call, what a proxy paid and what was charged:",
        """
        credit-history --all --type usage --limit 0 |
          credit-reconcile litellm spend.csv --by key --format csv > calls.csv
        """),
    ]
  }
}
