internal import CreditFinance
internal import CreditModel

extension Flag {
  static let reconcileFormat = TextFlag(
    "format", "FORM", .choice(["text", "csv", "json", "html"]), group: .action,
    "The form of what is printed",
    detail: """
      Without it JSON, and a table on a terminal. `html` is one page for who closes the month:
      period, totals, causes, lines, the calls to look at, and the files with their SHA-256.
      """)

  static let reconcileBy = TextFlag(
    "by", "WHAT", .choice(Grouping.allCases.map(\.rawValue)), group: .action,
    "What a line is for: day,model if not given",
    detail: """
      `key` compares call by call: with bills that have a row for each, as those of `litellm` and
      the export and generations of `openrouter`.
      """)

  static let tolerance = TextFlag(
    "tolerance", "AMOUNT", group: .action, "How much a line may differ: 0 if not given",
    detail: """
      Dollars, `0.05`, or a share of the bill, `0.01%`. A line within it is `equal`, also where
      its counts differ, and keeps its difference.
      """)

  static let settled = SpanFlag(
    "settled", group: .action, "When a day of the bill is final: 24h after its end if not given",
    detail: "A younger day that differs is `open`, which is no failure.")

  static let midnightGrace = SpanFlag(
    "grace", group: .action, "Let calls this close to midnight count on the other day",
    detail: """
      It is tried for days that would differ. Whole calls are moved, the nearest to midnight
      first, and only if all days concerned then agree in their counts. The total says how many.
      """)

  static let modelMap = ListFlag(
    "map", "BILL=BOOKS", group: .selection, "A model of the bill is this model of the books",
    detail: """
      Repeatable. BILL may also be the description of a row of no model, such as
      `Code Execution Usage`, which the books have under a model of their own.
      """)

  static let modelColumn = TextFlag(
    "model-column", "NAME", group: .selection, "The column of a FOCUS file that names the model")

  /// The catalog flag for names and prices only.
  static let reconcileCatalog = catalog.worded(
    "Match models by the ids and aliases of this catalog",
    detail: """
      `credit-price --import` prints one. Its prices tell a difference of counts from one of
      prices, where the books have cost just that.
      """)
}

extension Tool {
  /// `credit-reconcile`: compares a provider's bill with the books, and explains differences.
  package static let reconcile = Tool(
    .reconcile,
    summary: "Compare a provider's bill with the books",
    flags: [
      .reconcileFormat, .reconcileBy, .tolerance, .settled, .midnightGrace, .since, .until,
      .utcOffset, .modelMap, .modelColumn, .reconcileCatalog, .now, .quiet, .help, .version,
    ],
    subcommands: BillFormats.all.map(subcommand), subcommandNoun: "format",
    manual: { reconcileManual })

  private static func subcommand(of format: any BillFormat.Type) -> Subcommand {
    let description = format.description
    return Subcommand(
      description.name, description.summary, flags: [], takesFiles: true,
      detail: "\(description.rule) \(description.source)",
      run: { command throws(UsageError) in try command.reconcile(format) })
  }

  private static var reconcileManual: Manual {
    Manual(
      synopsis: ["FORMAT BILL ... [--since TIME] [--until TIME] < history"],
      description: [
        .text(
          """
          Compares a provider's bill with the usage lines of credit-history(1), and prints a
          result for each day and model, and a total. It opens no store, asks no network and
          writes nothing. Lines of other types are skipped.
          """),
        .text(
          """
          A BILL is a file: JSON pages one after another, arrays, one object a line, or CSV, as
          the format says below. A pipe is a file, too, so `<(curl ...)` can be one.
          """),
        .code(
          """
          {"day":"2026-11-02","model":"claude-opus-4.7",
           "usage":{"bill":{"inputTokens":1000000,"cacheWrite1hTokens":450000},
           "books":{"inputTokens":1000000,"cacheWrite1hTokens":400000}},
           "billUSD":"9.5","booksUSD":"9","differenceUSD":"0.5",
           "cause":"quantity","counts":{"cacheWrite1hTokens":50000}}
          """),
        .text(
          """
          A result is one line; it is broken here to fit the page. Bill and books are exact
          decimals. A difference is the bill less the books.
          """),
      ],
      sections: [
        reconcileCauses, reconcileMatching, reconcileHoles, reconcileFetching, reconcileCorrecting,
      ],
      examples: reconcileExamples,
      errors: [
        .differs, .incompleteBill, .invalidUsage, .amountOutOfRange, .limitExceeded,
        .permissionDenied,
      ],
      seeAlso: ["credit-history", "credit-charge", "credit-report", "credit-price"])
  }

  private static var reconcileExamples: [Example] {
    [
      Example(
        "November, as a table; exit status 15 if a line differs:",
        """
        credit-history --all --type usage --since 2026-11-01 --limit 0 |
          credit-reconcile anthropic usage.json cost.json --format text
        """),
      Example(
        "A page for who closes the month, differences under a cent aside:",
        """
        credit-history --all --type usage --since 2026-11-01 --limit 0 |
          credit-reconcile anthropic usage.json cost.json \\
            --tolerance 0.01 --format html > november.html
        """),
      Example(
        "Call by call, what a proxy paid and what was charged:",
        """
        credit-history --all --type usage --since 2026-11-01 --limit 0 |
          credit-reconcile litellm spend.csv --by key --format csv > calls.csv
        """),
    ]
  }
}

/// The explanations of the manual page of `credit-reconcile`.
extension Tool {
  private static let reconcileTable = """
    DAY         MODEL             BILL, $  BOOKS, $  DIFFERENCE  CAUSE
    2026-11-01  claude-opus-4.7     14.50     14.50              equal
    2026-11-02  claude-opus-4.7     10.00      9.50        0.50  quantity: 20,000 outputTokens more
    2026-11-03  claude-haiku-4.5     0.50      0.40        0.10  price: input 1 for 0.8 per 1M
    2026-11-03  Code Execution       0.25                  0.25  not in books
    TOTAL                           25.25     24.40        0.85  3.37 %
    """

  static var reconcileCauses: Section {
    Section(
      "Causes",
      [
        .text("The `cause` of a line is the first of these that holds:"),
        .terms([
          Term("`equal`", "Bill and books agree, within `--tolerance`."),
          Term(
            "`open`",
            "They differ, but the day is younger than `--settled`: the bill may still change."),
          Term(
            "`unread`",
            """
            They agree in what can be compared, and the bill has counts that no price knows, by
            name in `unread`: a new kind of tokens, say. Such a line is never `equal`.
            """),
          Term(
            "`credit`", "The bill gives money back, for nothing that was counted."),
          Term(
            "`not_in_books`",
            """
            The bill alone has it; `description` is what it says: code execution, tax, or calls
            made with a key that these tools never saw.
            """),
          Term(
            "`not_in_bill`",
            "The books alone have it: `calls` of them, of which up to 20 `keys` are shown."),
          Term("`quantity`", "Counts differ: `counts` is bill less books of each."),
          Term(
            "`price`",
            "Counts agree, dollars do not: `pricePer1M` shows the prices that either side shows."),
          Term(
            "`both`",
            """
            Counts and prices differ: `quantityUSD` and `priceUSD` sum to the difference. It is
            told from `quantity` where the bill shows what each count cost, or the books cost what
            `--catalog` says; else all of the difference is `quantity`.
            """),
        ]),
        .text(
          """
          The total line has the sums of each cause; they sum to its `differenceUSD`. If any line is
          of another cause than `equal` and `open`, `ok` is false, the exit status is 15
          (`differs`), and standard error says how much differs. As a table:
          """),
        .code(reconcileTable),
      ])
  }

  static var reconcileMatching: Section {
    Section(
      "What is compared",
      [
        .text(
          """
          Days are UTC, or those of `--utc-offset` for a bill in another zone. A line of the
          history is of the day of its `usedAt`, else of its `timestamp`. The period is the bill's
          own, unless `--since` and `--until` say one; lines of other days are counted in `outside`.
          Give the history up to today: a charge that was corrected later counts on its own day,
          with what it was corrected to.
          """),
        .text(
          """
          Models match as they are written; with `--catalog` by id or alias, and with `--map` as
          told. All rows of a model are added up: batch, priority and cached variants. Of the
          books the dollars are `costUSD`, what the provider takes, else `usd`.
          """),
        .text(
          """
          Where the bill has dollars and no counts of a line, or counts and no dollars, only what it
          has is compared, and `compared` says `usd` or `usage`. Counts of the bill that these tools
          do not know are `unread`, whatever the cause. What calls with keys of your own cost at the
          provider (`ownKeyUSD`) is taken off the books, so that the gateway's fee is compared;
          books that have the fee alone stay as they are. Other currencies than USD are lines of
          their own and never converted. A payer's line (`member`) is no call: its member's line has
          the usage and the dollars. Two lines of the history with one id count twice:
          `repeatedIds`. A line that a follower repeats with `"changed":true` counts once. Corrected
          charges need the history newest first, as it is printed without `--after`.
          """),
        .text(
          """
          Memory grows with the days and models, not with the calls: 200,000 lines at most, and 8 to
          22 bytes for each line of the history.
          """),
      ])
  }

  static var reconcileHoles: Section {
    Section(
      "Bills with holes",
      [
        .text(
          """
          A bill with a hole never counts as equal. A page whose `has_more` promises another one
          that is not given, a time without a bucket, two buckets for one time, or two rows for
          one group or call are `incomplete_bill`, with what is `missing`. Several files may
          overlap where the overlapping buckets say the same. What cannot be read exactly is an
          error, too: a negative or fractional count, or a currency that is none. No total is
          printed then.
          """)
      ])
  }

  static var reconcileFetching: Section {
    Section(
      "Fetching a bill",
      [
        .text("Anthropic, with an admin key in the file `headers`; a page has up to 31 days:"),
        .code(
          """
          api=https://api.anthropic.com/v1/organizations
          days='starting_at=2026-11-01T00:00:00Z&ending_at=2026-12-01T00:00:00Z&limit=31'
          curl -sfg -H @headers \\
            "$api/usage_report/messages?$days&bucket_width=1d&group_by[]=model" \\
            > usage.json
          curl -sfg -H @headers "$api/cost_report?$days&group_by[]=description" \\
            > cost.json
          """),
        .text("OpenAI, with an admin key; times are seconds:"),
        .code(
          """
          api=https://api.openai.com/v1/organization
          days="start_time=$(date -ud 2026-11-01 +%s)&end_time=$(date -ud 2026-12-01 +%s)"
          curl -sfg -H @headers \\
            "$api/usage/completions?$days&bucket_width=1d&limit=31&group_by[]=model" \\
            > usage.json
          curl -sfg -H @headers "$api/costs?$days&limit=31&group_by[]=line_item" \\
            > cost.json
          """),
        .text("OpenRouter, the last 30 days, with a management key:"),
        .code(
          """
          curl -sfg -H @headers https://openrouter.ai/api/v1/activity > activity.json
          """),
        .text(
          """
          If the answer says `"has_more":true`, append the page that `&page=$next_page` gives to
          the same file.
          """),
      ])
  }

  static var reconcileCorrecting: Section {
    Section(
      "Correcting the books",
      [
        .text(
          """
          A call that the books have with wrong counts is charged again under its key, with the
          right ones: `credit-charge --amend` moves the difference. A call that they lack is
          charged with `--arrears`, so that it is recorded whatever the balance is; `--used-at`
          puts it on its day. Then a second comparison is equal.
          """),
        .code(
          """
          credit-charge --account ana --key msg_02 --model claude-opus-4.7 \\
            --input-tokens 1000000 --cache-write-1h-tokens 450000 --amend --arrears
          """),
        .text(
          """
          A wrong price is put right in the policy or its catalog, with `from`, the time since
          when it holds. Charges that were priced before keep their price until they are amended.
          """),
      ])
  }
}
