internal import CreditFinance

extension Flag {
  static let format = TextFlag(
    "format", "FORMAT",
    .choice([
      "html", "statement", "text", "csv", "json", "focus", "hledger", "ledger", "beancount",
    ]), group: .action,
    "The form of the report: html if not given")

  static let by = TextFlag(
    "by", "COLUMN,...", .list(ReportColumn.names.dropLast() + ["grant"]), group: .action,
    "Print sums by these columns")

  static let customer = Switch(
    "customer", group: .action, "Leave out cost and margin: for the customer")

  static let cost = Switch(
    "cost", group: .action, "Show cost and margin also on a page about one account")

  static let onlyAccount = TextFlag(
    "account", "NAME", group: .selection, "Only this account's lines")

  static let title = TextFlag(
    "title", "TEXT", group: .action, "What the page or statement is called; with focus, the seller")

  static let deferred = Switch(
    "deferred", group: .action, "In a journal, book sales as a liability until they are earned")

  static let medium = TextFlag(
    "as", "MEDIUM", .choice(["html", "text", "csv"]), group: .statement,
    "What the statement is printed as: html if not given")

  static let each = Switch(
    "each", group: .statement, "A line for each use, not for all of a model on a day")

  static let byUse = Switch(
    "by-use", group: .statement, "Select lines by when work was done, not recorded")

  static let logo = TextFlag(
    "logo", "FILE", .path, group: .statement,
    "An image in the head: PNG, JPEG, GIF, WebP or SVG, 1 MiB at most")

  static let senderAddress = TextFlag(
    "from-address", "FILE", .path, group: .statement, "Who sends it: lines of text")

  static let receiverAddress = TextFlag(
    "to-address", "FILE", .path, group: .statement, "Who gets it: lines of text")

  static let utcOffset = TextFlag(
    "utc-offset", "+HH:MM", group: .selection, "Where days and months begin: in UTC if not given")

  static let timeZone = TextFlag(
    "time-zone", "NAME", .zone, group: .selection,
    "The zone whose days and months are meant, such as Europe/Berlin")

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

  static let bookModels = TextFlag(
    "models", "ID,...", .list([]), group: .selection,
    "Compare only these models of the books, or beginnings before a *")

  static let modelColumn = TextFlag(
    "model-column", "NAME", group: .selection, "The column of a FOCUS file that names the model")

  /// The catalog flag for names and prices only.
  static let reconcileCatalog = catalog.worded(
    "Match models by the ids and aliases of this catalog")
}

extension Tool {
  public static let report = Tool(
    .report,
    summary: "Turn a history into a page, a statement, sums or a journal",
    flags: [
      .format, .by, .customer, .cost, .deferred, .title, .onlyAccount, .since, .until, .month,
      .byRecord, .utcOffset, .timeZone, .medium, .each, .byUse, .logo, .senderAddress,
      .receiverAddress, .now, .quiet, .help, .version,
    ],
    exclusions: [
      Exclusion(.month, [.since, .until]), Exclusion(.customer, [.cost]),
      Exclusion(.byUse, [.byRecord]), Exclusion(.timeZone, [.utcOffset]),
      Exclusion(.by, [.deferred]),
    ],
    run: { command throws(UsageError) in try command.runReport() })

  public static let reconcile = Tool(
    .reconcile,
    summary: "Compare a provider's bill with the books",
    flags: [
      .reconcileFormat, .reconcileBy, .tolerance, .settled, .midnightGrace, .since, .until,
      .utcOffset, .bookModels, .modelMap, .modelColumn, .reconcileCatalog, .now, .quiet, .help,
      .version,
    ],
    subcommands: BillFormats.all.map { format in
      Subcommand(
        format.description.name, format.description.summary, flags: [], takesFiles: true,
        run: { command throws(UsageError) in try command.reconcile(format) })
    }, subcommandNoun: "format")
}
