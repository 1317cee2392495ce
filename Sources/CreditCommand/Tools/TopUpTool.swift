internal import CreditModel

extension Tool {
  /// `credit-topup`: a purchase, grant or bonus → a transaction and the new balance.
  public static let topup = Tool(
    .topup,
    summary: "Add credits to an account, once",
    request: { reader throws(CreditError) in _ = try reader.topUp() },
    flags: [.strict, .storeKit, .event, .header, .headers, .verify, .dryRun] + Flag.common,
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
    run: { command throws(UsageError) in try command.runGate() },
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
      Example(
        "The account was mistyped: take the credits back, and record the sale for the right one:",
        """
        credit-topup --account alcie --transaction 2000000125 --product pack.1000
        credit-refund --transaction 2000000125 --reason "meant for alice"
        credit-topup --account alice --transaction 2000000125-2 --product pack.1000
        """),
    ]
  }
}

extension Flag {
  static let event = TextFlag(
    "event", "FORMAT", .choice(PaymentFormat.allCases.map(\.rawValue)), group: .action,
    "Take one payment event, raw, from standard input")

  static let header = ListFlag(
    "header", "NAME: VALUE", group: .action,
    "A header of the delivery; may be given several times")

  static let headers = TextFlag(
    "headers", "FILE", .path, group: .action, "The headers of the delivery, one a line")

  static let verify = Switch(
    "verify", group: .action, "Check the event, print what it is about, and write nothing")
}
