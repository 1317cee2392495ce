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
    manual: { topupManual })

  private static var topupManual: Manual {
    Manual(
      synopsis: [
        "--account NAME --transaction ID --product ID [--quantity N]",
        "--account NAME --key KEY --credits N [--type TYPE] [--below N]",
        "--account NAME --key KEY [--product ID] --to N [--below N]",
        "--account NAME --transaction ID --product ID --expires-at TIME",
        "[--storekit] < requests",
        "--event FORMAT [--header TEXT ...] [--headers FILE] [--verify] < body",
      ],
      description: [
        .text(
          """
          Adds credits to an account: a purchase, a bonus or an adjustment; or sets the plan that a
          subscription pays for. Each id adds once, however often the command runs, so that it can
          be repeated until it succeeds.
          """),
        .text("The answer is one line; it is broken here to fit the page:"),
        .code(
          """
          {"transaction":{"id":"2000000123","account":"alice",
           "type":"purchase","status":"completed",
           "productID":"pack.1000","credits":1000,
           "timestamp":"2026-02-19T10:00:00.000Z"},
           "creditsAdded":1000,"newBalance":1988}
          """),
        .text(
          """
          New credits pay off debt first. They do not expire unless the request or the product
          says so.
          """),
      ],
      sections: [topupRepeats, topupTerms, topupSubscriptions] + topupEvents + topupStoreKit,
      examples: topupExamples,
      errors: [
        .accountClosed,
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
          `--strict` it is `duplicate_transaction`. The same id for another account, type, product,
          amount or terms is `idempotency_conflict`, and nothing is credited.
          """),
        .text(
          """
          The order of the checks: a repeat, `--below` and `--to`, the policy's `topUpLimit`, then
          the grant. The limit counts new completed top-ups of an account, or their credits, in a
          sliding window; more is `rate_limited` with `retryAfter` in seconds. What StoreKit and
          payment events say was paid is outside it.
          """),
      ])
  }

  private static var topupTerms: Section {
    Section(
      "Credits with terms",
      [
        .text(
          """
          A purchase or a bonus may have a priority, a start, an expiry and models. It is then a
          grant: its credits are kept apart from all others, under the id of its transaction.
          Credits are used in the order of their priority, then soonest expiry first, then quota,
          bonus, starter, purchased, then the older grant. Credits for some models pay for those
          alone, and settle no debt. An account has at most 100 grants with credits left:
          one more is `limit_exceeded`, unless StoreKit or a payment event says that it was paid.
          """),
        .text(
          """
          A product may have `priority`, `expiresIn` and `models`, which hold for what the request
          does not say. The terms of a grant cannot be changed: take back what is left of it with
          `credit-refund --unused`, and grant it again.
          """),
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
