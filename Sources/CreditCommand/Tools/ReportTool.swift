internal import CreditFinance
internal import CreditModel

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
}

extension Tool {
  /// `credit-report`: history on standard input → a page, sums, rows, or another ledger's journal.
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
    run: { command throws(UsageError) in try command.runReport() },
    help: { reportHelp })

  private static var reportHelp: ToolHelp {
    ToolHelp(
      synopsis: [
        "[--since TIME] [--until TIME] < transactions > page.html",
        "--by COLUMN,... [--format text|csv|json] < transactions",
        "--by grant [--month YYYY-MM] [--format text|csv|json] < transactions",
        "--format csv|json|text < transactions",
        "--format statement --account NAME --month YYYY-MM [--as html|text|csv] [--each] "
          + "[--by-use] [--title TEXT] [--logo FILE] [--from-address FILE] [--to-address FILE] "
          + "< transactions",
        "--format focus [--by COLUMN,...] < transactions",
        "--format hledger|ledger|beancount [--deferred] < transactions",
        "--format csv --deferred < transactions",
      ],
      description: """
        Reads the lines that credit-history(1) prints, any number of them and in any order, and
        prints what `--format` says. It opens no store. It also reads requests that
        `credit-price --pass` has priced, as usage that nobody was charged for: in sums, rows and
        pages, not in statements and journals. One without `usedAt` has no day.
        """,
      examples: [
        Example(
          "A page of everything:",
          "credit-history --all --limit 0 | credit-report > credits.html"),
        Example(
          "February compared with the 28 days before it:",
          """
          credit-history --all --limit 0 |
            credit-report --month 2026-02 --by-record > february.html
          """),
        Example(
          "What was paid, and paid back, each month, for a spreadsheet:",
          """
          credit-history --all --limit 0 |
            credit-report --by month,product --format csv > sales.csv
          """),
        Example(
          "What was earned in March, and what is deferred at its end:",
          """
          credit-history --all --limit 0 |
            credit-report --by grant --month 2026-03 --format csv > grants.csv
          """),
        Example(
          "A page for a customer, without what the work cost you:",
          """
          credit-history --account alice --limit 0 |
            credit-report --customer > alice.html
          """),
        Example(
          "What each project spent, the most first:",
          """
          credit-history --all --limit 0 |
            credit-report --by tag.project --format json | jq -sc 'sort_by(.credits)[]'
          """),
        Example(
          "What a log would cost, without a store:",
          """
          credit-usage claude --account me | credit-price --pass |
            credit-report --by day,tag.project --format text
          """),
        Example(
          "A statement of February, to print or to mail:",
          """
          credit-history --account alice --limit 0 |
            credit-report --format statement --account alice \\
              --month 2026-02 > statement.html
          """),
        Example(
          "Balances as another program computes them:",
          """
          credit-history --all --limit 0 | credit-report --format hledger |
            hledger -f - balance assets:credits
          """),
        Example(
          "Income when it is earned, and what is deferred, a month:",
          """
          credit-history --all --limit 0 |
            credit-report --format hledger --deferred |
            hledger -f - balance --monthly income liabilities
          """),
      ],
      errors: [.unknownAccount, .limitExceeded, .amountOutOfRange])
  }
}
