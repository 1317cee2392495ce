internal import CreditModel

extension Tool {
  /// `credit-topup`: a purchase, grant or bonus → a transaction and the new balance.
  package static let topup = Tool(
    .topup,
    summary: "Add credits to an account, once",
    options: topupRequestOptions + topupActionOptions,
    exclusions: [
      Exclusion("transaction", ["key"]),
      Exclusion("credits", ["product", "quantity"]),
      Exclusion("expires-at", ["expires-in"]),
      Exclusion("storekit", ["credits", "transaction", "key"]),
    ],
    wholeRequests: [
      RequestForm(["account"], ["transaction", "key"], ["product", "credits"])
    ],
    manual: { topupManual })

  private static let topupRequestOptions: [Option] = [
    Option(
      "account", .text, "NAME", member: "account", group: .request,
      "The account that gets the credits: default if not given"),
    Option(
      "transaction", .text, "ID", member: "transaction", group: .request,
      "The payment's id: unique in the store"),
    Option(
      "key", .text, "KEY", member: "key", group: .request,
      "An id of your own instead: unique within the account"),
    Option(
      "product", .text, "ID", member: "product", group: .request,
      "What was bought: a product of the catalog",
      detail: "One that is no longer on sale still grants its credits."),
    Option(
      "quantity", .integer, "N", member: "quantity", group: .request,
      "How many of the product: 1 if not given"),
    Option(
      "credits", .integer, "N", member: "credits", group: .request,
      "How many credits, where no product says so",
      detail: "From 1 to 9007199254740992."),
    Option(
      "type", .choice(["purchase", "bonus", "adjustment"]), "TYPE", member: "type",
      group: .request, "What the credits are: purchase if not given"),
    Option(
      "status", .choice(["completed", "pending", "failed"]), "STATUS", member: "status",
      group: .request, "How the payment stands: completed if not given",
      detail: """
        A pending or failed one is recorded and grants nothing; the same id may become completed
        later, which grants once. Late news of pending or failed changes nothing.
        """),
    Option(
      "reason", .text, "TEXT", member: "reason", group: .request, "Why, for the record"),
    Option(
      "price", .text, "DECIMAL", member: "price", group: .request,
      "What was paid, for the record: 9.99",
      detail: "Its digits are kept and never computed with."),
    Option(
      "currency", .text, "CODE", member: "currency", group: .request,
      "The currency of the price, for the record: USD"),
    Option(
      "expires-at", .time, "TIME", member: "expiresAt", group: .request,
      "When a bonus expires; bought credits do not"),
    Option(
      "expires-in", .duration, "SPAN", member: "expiresIn", group: .request,
      "When a bonus expires, from now: 30d"),
    Option(
      "below", .integer, "N", member: "below", group: .request,
      "Grant only if the balance is below N",
      detail: """
        Otherwise nothing is recorded and the answer is `{"account":...,"skipped":true,"balance":...}`.
        """),
  ]

  private static let topupActionOptions: [Option] = [
    Option(
      "app-account-token", .text, "UUID", member: "appAccountToken", group: .request,
      "The token that a StoreKit transaction must carry"),
    Option(
      "strict", group: .action, "Refuse a repeat with duplicate_transaction",
      detail: "Without it, a repeat is answered like the first time."),
    Option(
      "storekit", group: .action, "Accept StoreKit's own transactions alone",
      detail: """
        For input that comes from clients: signed transactions (a bare JWS on a line, or in
        `signedTransactionInfo`, `jwsRepresentation` or `transaction_data`), App Store Server
        notifications (`signedPayload`), and a transaction as JSON. A JWS is verified against the
        policy's `appStore` before anything else, with the `openssl` command.
        """),
  ]

  private static var topupManual: Manual {
    Manual(
      synopsis: [
        "--account NAME --transaction ID --product ID [--quantity N]",
        "--account NAME --key KEY --credits N [--type TYPE] [--below N]",
        "[--storekit] < requests",
      ],
      description: [
        .text(
          """
          Adds credits to an account: a purchase, a bonus or an adjustment. Each id adds once,
          however often the command runs, so that it can be repeated until it succeeds.
          """),
        .text("The answer is one line; it is broken here to fit the page:"),
        .code(
          """
          {"transaction":{"id":"2000000123","account":"alice",
           "type":"purchase","status":"completed",
           "productID":"com.damsac.murmur.credits.1000","credits":1000,
           "timestamp":"2026-02-19T10:00:00.000Z"},
           "creditsAdded":1000,"newBalance":1988}
          """),
        .text(
          """
          What enters an account settles its debt first. Bought credits do not expire.
          """),
      ],
      sections: [topupRepeats] + topupStoreKit,
      examples: topupExamples,
      errors: [
        .idempotencyConflict, .duplicateTransaction, .unknownAccount, .unknownProduct,
        .unverifiedTransaction, .rateLimited, .limitExceeded, .amountOutOfRange, .unavailable,
        .cannotCreate,
      ],
      seeAlso: ["credit-balance", "credit-history", "credit-refund", "credit-store"])
  }

  private static var topupRepeats: Section {
    Section(
      "Topping up again",
      [
        .text(
          """
          An id is required, so that a top-up that is repeated by mistake, by cron or after a
          crash adds nothing: the payment's id as `--transaction`, or an id of your own as `--key`.
          The same id again is answered as before, plus `"replayed":true`, with status 0; with
          `--strict` it is `duplicate_transaction`. The same id for another account, type, product
          or amount is `idempotency_conflict`, and nothing is credited.
          """),
        .text(
          """
          The order of the checks: a repeat, `--below`, the policy's `topUpLimit`, then the grant.
          The limit counts new completed top-ups of an account in a sliding window; one more is
          `rate_limited` with `retryAfter` in seconds.
          """),
      ])
  }

  private static var topupExamples: [Example] {
    [
      Example(
        "A purchase, as the shop's webhook reports it:",
        """
        credit-topup --account alice --transaction 2000000123 \\
          --product com.damsac.murmur.credits.1000 --get newBalance
        """,
        output: "1988"),
      Example(
        """
        From cron, each morning: fill up if less than 100 credits are left, but once a day at most.
        In a crontab the percent signs need a backslash.
        """,
        """
        credit-topup --account ci --credits 500 --type adjustment \\
          --below 100 --key "daily-$(date +%F)"
        """),
      Example(
        "Give every account 2 credits, once, however often it runs:",
        """
        credit-balance --all |
          credit-topup --credits 2 --type bonus --key migration-1
        """),
      Example(
        "A bonus for 30 days:",
        """
        credit-topup --account alice --credits 200 --type bonus \\
          --key welcome --expires-in 30d
        """),
    ]
  }
}
