internal import CreditModel

extension Tool {
  /// `credit-topup`: a purchase, grant or bonus → a transaction and the new balance.
  package static let topup = Tool(
    .topup,
    summary: "Add credits to an account, once",
    flags: [
      .account, .transaction, .key, .product, .quantity, .credits, .grantType, .paymentStatus,
      .reason, .price, .currency, .priority, .startsAt, .startsIn, .expiresAt, .grantExpiresIn,
      .grantModels, .grantBelow, .grantTo, .appAccountToken, .tag, .strict, .storeKit, .event,
      .header, .headers, .verify, .dryRun,
    ] + Flag.common,
    exclusions: [
      Exclusion(.transaction, [.key]),
      Exclusion(.credits, [.product, .quantity, .grantTo]),
      Exclusion(.grantTo, [.quantity]),
      Exclusion(.startsAt, [.startsIn]),
      Exclusion(.expiresAt, [.grantExpiresIn]),
      Exclusion(
        .storeKit,
        [
          .credits, .grantTo, .transaction, .key, .priority, .startsAt, .startsIn, .expiresAt,
          .grantExpiresIn, .grantModels,
        ]),
      Exclusion(
        .event,
        [
          .credits, .transaction, .key, .product, .quantity, .grantType, .paymentStatus, .reason,
          .price, .currency, .priority, .startsAt, .startsIn, .expiresAt, .grantExpiresIn,
          .grantModels, .grantBelow, .grantTo, .appAccountToken, .tag, .strict, .storeKit,
        ]),
    ],
    requirements: [
      Requirement(.header, [.event]), Requirement(.headers, [.event]),
      Requirement(.verify, [.event]),
    ],
    wholeRequests: [
      CommandForm(
        [.account],
        .init(
          [.transaction, .key],
          need: "a top-up needs --transaction or --key, so that a repeat counts once"),
        [.product, .credits, .grantTo])
    ],
    run: { command throws(UsageError) in try command.runGate(.topUp) },
    help: { topupHelp })

  private static var topupHelp: ToolHelp {
    ToolHelp(
      synopsis: [
        "--account NAME --transaction ID --product ID [--quantity N]",
        "--account NAME --key KEY --credits N [--type TYPE] [--below N]",
        "--account NAME --key KEY [--product ID] --to N [--below N]",
        "--account NAME --transaction ID --product ID --expires-at TIME",
        "[--storekit] < requests",
        "--event FORMAT [--header TEXT ...] [--headers FILE] [--verify] < body",
      ],
      description: """
        Adds credits to an account: a purchase, a bonus or an adjustment; or sets the plan that a
        subscription pays for. Each id adds once, however often the command runs, so that it can
        be repeated until it succeeds.
        """,
      examples: topupExamples,
      errors: [
        .accountClosed,
        .idempotencyConflict, .duplicateTransaction, .unknownAccount, .unknownProduct,
        .unverifiedTransaction, .rateLimited, .limitExceeded, .amountOutOfRange, .unavailable,
        .cannotCreate,
      ])
  }

  private static var topupExamples: [Example] {
    [
      Example(
        "A purchase, as the shop's webhook reports it:",
        """
        credit-topup --account alice --transaction 2000000123 \\
          --product pack.1000 --get newBalance
        """,
        output: "1988"),
      Example(
        """
        From cron, each morning: fill up to 500 credits if less than 100 are left, but once a day
        at most. In a crontab the percent signs need a backslash.
        """,
        """
        credit-topup --account ci --to 500 --type adjustment \\
          --below 100 --key "daily-$(date +%F)"
        """),
      Example(
        "Give every account 2 credits, once, however often it runs:",
        """
        credit-balance --all |
          credit-topup --credits 2 --type bonus --key migration-1
        """),
      Example(
        "A bonus for December, for one model:",
        """
        credit-topup --account alice --key promo --type bonus --credits 300 \\
          --starts-at 2026-12-01 --expires-at 2027-01-01 --models claude-haiku-4.5
        """),
      Example(
        "A subscription that is paid until the end of the year:",
        """
        credit-topup --account alice --transaction sub-1042 \\
          --product pro.monthly --expires-at 2027-01-01
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

/// The flags of `credit-topup` alone.
extension Flag {
  static let product = TextFlag(
    "product", "ID", .name(.product), member: "product", group: .request,
    "What was bought: a product of the catalog",
    detail: "One that is no longer on sale still grants its credits.")

  static let quantity = NumberFlag(
    "quantity", "N", member: "quantity", group: .request,
    "How many of the product: 1 if not given")

  static let credits = NumberFlag(
    "credits", "N", member: "credits", group: .request,
    "How many credits, where no product says so",
    detail: """
      From 1 to 9007199254740992. An adjustment may be negative: with a `--reason` it takes credits
      as a refund of a purchase does, outside the policy's limit of top-ups.
      """)

  static let grantType = TextFlag(
    "type", "TYPE", .choice(["purchase", "subscription", "bonus", "adjustment"]), member: "type",
    group: .request, "What the credits are: purchase if not given",
    detail: "Of a product that has a plan it is subscription, whether given or not.")

  static let paymentStatus = TextFlag(
    "status", "STATUS", .choice(["completed", "pending", "failed"]), member: "status",
    group: .request, "The state of the payment: completed if not given",
    detail: """
      A pending or failed top-up is recorded and grants nothing. The same id may become completed
      later, which grants once: the recorded credits, even if the product has changed, with the
      recorded price, currency and terms unless the request says others. A later pending or failed
      for the same id is ignored.
      """)

  static let price = TextFlag(
    "price", "DECIMAL", member: "price", group: .request,
    "What was paid, for the record: 9.99",
    detail: """
      It is recorded as given; reports add it up, and refunds pay it back. Without it, a purchase
      of a product is recorded with the product's own price and currency, times the quantity.
      """)

  static let currency = TextFlag(
    "currency", "CODE", member: "currency", group: .request,
    "The currency of the price, for the record: USD")

  static let expiresAt = TimeFlag(
    "expires-at", member: "expiresAt", group: .request,
    "When the credits expire, or a subscription's paid period ends",
    detail: """
      A subscription needs it. The same transaction with a later end is paid further by that; with
      an earlier one it is a repeat.
      """)

  static let grantExpiresIn = SpanFlag(
    "expires-in", member: "expiresIn", group: .request,
    "When the credits expire, from their start: 30d")

  static let startsAt = TimeFlag(
    "starts-at", member: "startsAt", group: .request, "When the credits can first be used",
    detail: """
      At most 5 years ahead. Until then the transaction is `scheduled`, and its credits are no part
      of the balance, which shows them in `scheduled`.
      """)

  static let startsIn = SpanFlag(
    "starts-in", member: "startsIn", group: .request,
    "When the credits can first be used, from now: 7d")

  static let priority = NumberFlag(
    "priority", "N", member: "priority", group: .request,
    "Lower is used first: 0 to 100, 50 if not given")

  static let grantModels = TextFlag(
    "models", "ID,...", .list, member: "models", group: .request,
    "The models that the credits are for: all if not given",
    detail: """
      Ids of the catalog, or beginnings of ids before a `*`: `claude-*`. In a request it is a list.
      Standard error says if the catalog has no such model, as the credits then pay for nothing.
      """)

  static let grantBelow = NumberFlag(
    "below", "N", member: "below", group: .request, "Grant only if the balance is below N",
    detail: """
      Otherwise nothing is recorded, with any status, and the answer is
      `{"account":...,"skipped":true,"balance":...}`.
      """)

  static let grantTo = NumberFlag(
    "to", "N", .notNegative, member: "to", group: .request,
    "Grant what is missing to a balance of N",
    detail: """
      With a product, as many of it as that takes. Where nothing is missing, nothing is recorded,
      and the answer is that of `--below`, with which it goes: `--below 100 --to 5000`. A repeat
      is answered with what was granted then; one that was pending grants what was missing when it
      was recorded.
      """)

  static let appAccountToken = TextFlag(
    "app-account-token", "UUID", member: "appAccountToken", group: .request,
    "The token that a StoreKit transaction must carry")

  static let strict = Switch(
    "strict", group: .action, "Refuse a repeat with duplicate_transaction",
    detail: "Without it, a repeat is answered like the first time.")

  static let storeKit = Switch(
    "storekit", group: .action, "Accept StoreKit's own transactions alone",
    detail: """
      For input that comes from clients: signed transactions (a bare JWS on a line, or in
      `signedTransactionInfo`, `jwsRepresentation` or `transaction_data`), App Store Server
      notifications (`signedPayload`), and a transaction as JSON. A JWS is verified against the
      policy's `appStore` before anything else, with the `openssl` command.
      """)
}

/// The flags of payment events.
extension Flag {
  static let event = TextFlag(
    "event", "FORMAT", .choice(PaymentFormat.allCases.map(\.rawValue)), group: .action,
    "Take one payment event, raw, from standard input",
    detail: """
      A webhook's delivery of Stripe, Paddle, RevenueCat, or whoever signs by Standard Webhooks
      (Polar, Svix): all of standard input is its body, byte for byte. See Payment events below.
      """)

  static let header = ListFlag(
    "header", "NAME: VALUE", group: .action,
    "A header of the delivery; may be given several times",
    detail: "Others can read command lines: `Authorization` has to come by `--headers`.")

  static let headers = TextFlag(
    "headers", "FILE", .path, group: .action, "The headers of the delivery, one a line")

  static let verify = Switch(
    "verify", group: .action, "Check the event, print what it is about, and write nothing")
}
