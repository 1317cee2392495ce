internal import CreditModel

extension Flag {
  static let format = TextFlag(
    "format", "FORMAT",
    .choice([
      "html", "statement", "text", "csv", "json", "focus", "hledger", "ledger", "beancount",
    ]), group: .action,
    "The form of the report: html if not given")

  static let by = TextFlag(
    "by", "COLUMN,...", group: .action, "Print sums by these columns",
    detail: """
      One or more of `day`, `week`, `month`, `account`, `member`, `model`, `product`, `currency`,
      `type`, `status` and `tag.NAME`, separated by commas. Without `--format` it prints JSON, and
      a table on a terminal. `grant` alone prints where the credits of each top-up are.
      """)

  static let customer = Switch(
    "customer", group: .action, "Leave out cost and margin: for the customer",
    detail: "A page about one account does so by itself, and a statement always.")

  static let cost = Switch(
    "cost", group: .action, "Show cost and margin also on a page about one account")

  static let onlyAccount = TextFlag(
    "account", "NAME", group: .selection, "Only this account's lines")

  static let title = TextFlag(
    "title", "TEXT", group: .action, "What the page or statement is called; with focus, the seller")

  static let medium = TextFlag(
    "as", "MEDIUM", .choice(["html", "text", "csv"]), group: .statement,
    "What the statement is printed as: html if not given")

  static let each = Switch(
    "each", group: .statement, "A line for each use, not for all of a model on a day")

  static let byUse = Switch(
    "by-use", group: .statement, "Select lines by when work was done, not recorded",
    detail: "A statement that was printed before may change then: work is recorded later.")

  static let logo = TextFlag(
    "logo", "FILE", .path, group: .statement,
    "An image in the head: PNG, JPEG, GIF, WebP or SVG, 1 MiB at most")

  static let senderAddress = TextFlag(
    "from-address", "FILE", .path, group: .statement, "Who sends it: lines of text")

  static let receiverAddress = TextFlag(
    "to-address", "FILE", .path, group: .statement, "Who gets it: lines of text")

  static let utcOffset = TextFlag(
    "utc-offset", "+HH:MM", group: .selection, "Where days and months begin: in UTC if not given")
}

extension Tool {
  /// `credit-report`: history on standard input → a page, sums, rows, or another ledger's journal.
  package static let report = Tool(
    .report,
    summary: "Turn a history into a page, a statement, sums or a journal",
    flags: [
      .format, .by, .customer, .cost, .title, .onlyAccount, .since, .until, .month, .byRecord,
      .utcOffset, .medium, .each, .byUse, .logo, .senderAddress, .receiverAddress, .quiet, .help,
      .version,
    ],
    exclusions: [
      Exclusion(.month, [.since, .until]), Exclusion(.customer, [.cost]),
      Exclusion(.byUse, [.byRecord]),
    ],
    run: { command throws(UsageError) in try command.runReport() },
    manual: { reportManual })

  private static var reportManual: Manual {
    Manual(
      synopsis: [
        "[--since TIME] [--until TIME] < transactions > page.html",
        "--by COLUMN,... [--format text|csv|json] < transactions",
        "--by grant [--until TIME] [--format text|csv|json] < transactions",
        "--format csv|json|text < transactions",
        "--format statement --account NAME --month YYYY-MM [--as html|text|csv] [--each] "
          + "[--by-use] [--title TEXT] [--logo FILE] [--from-address FILE] [--to-address FILE] "
          + "< transactions",
        "--format focus [--by COLUMN,...] < transactions",
        "--format hledger|ledger|beancount < transactions",
      ],
      description: [
        .text(
          """
          Reads the lines that credit-history(1) prints, any number of them and in any order, and
          prints what `--format` says. It opens no store. It also reads requests that
          `credit-price --pass` has priced, as usage that nobody was charged for: in sums, rows and
          pages, not in statements and journals. One without `usedAt` has no day.
          """),
        .terms([
          Term(
            "`html`",
            """
            One page that needs no other file and no network: the balance, sales, what was sold,
            spent, refunded and expired; charts of the balance, of the usage by model and of the
            sales by product; the top accounts, models and products; how many accounts bought, and
            bought again; and the newest 1,000 transactions, which can be searched, filtered and
            sorted. It has the newest of each month, too, and all purchases, refunds and expiries,
            10,000 at most. Sales are what was paid less what was paid back, and a product's share
            is one of the money of its currency. With `--since` the figures are compared with as
            many days before, so give it the whole history. What was paid for credits that are left
            is deferred revenue, of each currency apart. Where there are several accounts, what
            customers are owed and what they owe are two figures, never netted. The table by tag
            shows the tag that is chosen, and a button saves the transactions that are shown, and
            says how many are not on the page.
            """
          ),
          Term(
            "`statement`",
            """
            A month of one account for its customer, on a page that prints: the opening balance,
            each day's usage of each model, or with `--each` each use, purchases with price and id,
            bonuses, refunds, expiries, and the closing balance. The balance before the first line
            that is read follows from that line, so a part of the history that goes up to the newest
            line will do. Lines are selected by the time of their record, so that a month that is
            over stays as it was, with work that is recorded later in a later month; `--by-use`
            selects them by the time of use. Money that was paid back is below 0. Its number is
            `STATEMENT-NAME-YYYY-MM-` and the first 8 digits of the SHA-256 of what `--as csv`
            prints. It never shows what the work cost you.
            """
          ),
          Term(
            "`focus`",
            """
            Usage as rows of FOCUS 1.2 (focus.finops.org), in CSV, for each day, account and model
            or the columns of `--by`. A charge has one price for all that it counts: its row
            measures credits, and further rows, without a price, each of its counts. What was given
            back for charges is a row of the category Credit on its own day, with the dollars of
            the charge in proportion. What the providers took is in `x_CostUSD`.
            """
          ),
          Term(
            "`text`, `csv`, `json`",
            """
            Sums by the columns of `--by`, or without it a line a transaction. Text that a
            spreadsheet would take for a formula has an apostrophe before it in CSV.
            """
          ),
          Term(
            "`hledger`, `ledger`, `beancount`",
            """
            A journal that these programs read. The balance of an account is in
            `assets:credits:NAME`, in the commodity CREDIT. A sale puts its price into
            `assets:receipts` from `income:sales` on its day, and a refund takes back what was paid
            back, from `income:refunds`, on its own. Of a whole history the balances are the
            store's. Characters that would end a name are written as `%3A`, for beancount as `-3A`.
            """
          ),
        ]),
        .text(
          """
          `count`, `credits`, `usd` and `costUSD` sum the completed lines, `price` what was paid
          for purchases and `refundedPrice` what was paid back. What was kept is the difference. A
          purchase or charge that was refunded later is reported as completed: the refund is a line
          of its own, at its own time, so that a past month stays as it was. A purchase that is
          pending is listed, and counts when it is completed. A sale whose credits start later is
          booked on the day when it was paid: its credits count, without another `count`, from
          their start on. Sums are exact. Money of two
          currencies is never added: where there are several, each has lines of its own. A
          column has null, or nothing in CSV, where a line has no such thing.
          """),
        .text(
          """
          Usage counts when the work was done, if the line says so in `usedAt`. Anything else counts
          when it was recorded, and a purchase that was pending first when it was completed.
          `--since`, `--until`, `--month`, days and months all go by these times, as they do in
          credit-history(1); with `--by-record` usage goes by the time of its record. Balances,
          statements and journals always do.
          """),
        .text(
          """
          Lines may come newest first, or oldest first as `credit-history --after` prints them. One
          that a follower repeats with `"changed":true` counts once: a purchase when it is
          completed, and not again when it is refunded. Of a charge that was corrected, the last
          correction says what was used. Without `--by` a purchase that was completed meanwhile has
          a row for each state, the latest last.
          """),
        .text(
          """
          `--by grant` prints a line for each purchase, bonus, positive adjustment and starter
          credits, from the history alone. `granted` is always `used` + `expired` + `refunded` +
          `left`. `pricePerCredit` is the price divided by `granted`, of which `used` makes
          `revenue`, `left` makes `deferred` and `expired` makes `breakage`: each is worked out
          exactly, and shown with 12 places at most, half to even. What was given has price 0; a
          purchase without a price and currency has no such members. Of each kind, plain credits
          are used oldest first. Credits that settle a debt are used by what was owed, those of a
          grant for good: if that goes back, it is plain credits. A refund or
          a lower `--amend` gives back to where the credits came from. Credits that were
          transferred are still those of the purchase, and used or left where they are now. What
          a refund takes beyond what is left counts as never used, and what others pay for it as
          used of theirs. A grant that has not started has `startsAt`, and its credits are `left`,
          though no part of a balance. Quotas have no line.
          """),
        .text(
          """
          It needs the whole history: where a line's `balance` shows that lines are missing, the
          grants of the account have `"incomplete":true`. `--until` shows how it was at any time
          before: revenue of a month is the difference of two. It keeps 10,000,000 lines at most.
          """),
        .text(
          """
          An error result among the lines ends it with that error's exit status; no page is
          written then. Sums have 2,000,000 groups at most; more are `limit_exceeded`.
          """),
      ],
      examples: [
        Example(
          "A page of everything:",
          "credit-history --all --limit 0 | credit-report > credits.html"),
        Example(
          "February compared with the 28 days before it:",
          """
          credit-history --all --limit 0 |
            credit-report --month 2026-02 > february.html
          """),
        Example(
          "What was paid, and paid back, each month, for a spreadsheet:",
          """
          credit-history --all --limit 0 |
            credit-report --by month,product --format csv > sales.csv
          """),
        Example(
          "What is earned, and what is deferred, at the end of March:",
          """
          credit-history --all --limit 0 |
            credit-report --by grant --until 2026-04-01 --format csv > grants.csv
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
          credit-history --all --limit 0 --type usage |
            credit-report --by tag.project --format csv | sort -t , -k 3 -n
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
      ],
      errors: [.unknownAccount, .limitExceeded, .amountOutOfRange],
      seeAlso: ["credit-history"])
  }
}
