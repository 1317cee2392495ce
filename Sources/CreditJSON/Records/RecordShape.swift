internal import CreditModel

/// The lines of a journal and of an export, as `RecordForm` and the files beside it write them.
/// Members have the order in which they are written.
extension JSONShape {
  /// A line of a journal or an export: its header, or a record.
  package static var record: JSONShape {
    .anyOf([header] + RecordEventKind.allCases.map(record))
  }

  /// A record of one kind of event.
  static func record(of kind: RecordEventKind) -> JSONShape {
    let beginning: [JSONMember] = [.time("at"), .words("event", ["\(kind.word)"])]
    if kind == .claim {
      return .choice(
        beginning + [.integer("previous").optional] + seal,
        oneOf: [.text("authorization"), .text("transaction")])
    }
    if kind == .payment {
      return .object(
        beginning + [.text("transaction"), payment, .integer("previous").optional] + seal)
    }
    return .object(
      beginning + [.text("account")] + members(of: kind) + [
        JSONMember("state", .named("state", state)),
        .list("crossed", of: .value(.integer)).optional, .integer("original").optional,
        .integer("previous").optional,
      ] + seal)
  }

  /// The first line.
  private static var header: JSONShape {
    .object([.words("store", ["credit"]), .integer("version"), .time("createdAt")] + seal)
  }

  /// The checksum: `and` where others of the same batch follow. An exported record may have none.
  private static var seal: [JSONMember] { [.text("crc").optional, .text("and").optional] }

  private static func members(of kind: RecordEventKind) -> [JSONMember] {
    switch kind {
    case .registration, .settings, .refill, .dropped: [.integer("credits")]
    case .expiry: [.words("bucket", bucketKinds), .text("grant").optional, .integer("credits")]
    case .authorization, .void: [recordedAuthorization]
    case .charge: bill + [taken.optional]
    case .amend: bill + [taken]
    case .chargeRefund: pastBill + [refund]
    case .topUp:
      [
        recordedTransaction, .integer("creditsAdded").optional, news, payment.optional, bonuses,
        takenByTopUp,
      ]
    case .topUpRefund: pastTopUp + [refund]
    case .topUpNews: pastTopUp + [refund.optional]
    case .transferOut, .transferIn: [recordedTransfer]
    case .share: share
    case .claim, .payment: []
    }
  }

  // MARK: Charges

  private static var recordedAuthorization: JSONMember {
    JSONMember(
      "authorization",
      .named(
        "authorization",
        .object([
          .text("id"), .time("timestamp").optional, .integer("hold").optional,
          .time("expiresAt").optional, .list("held", of: heldShare).optional, tags,
          .text("model").optional,
        ])))
  }

  private static var bill: [JSONMember] {
    [
      recordedAuthorization, .text("key").optional, .text("model"),
      JSONMember("usage", usage).optional, .text("unreadUsage").optional, .decimal("usd").optional,
      .decimal("costUSD").optional, .decimal("reportedUSD").optional, .time("usedAt").optional,
      tags, JSONMember("arrears", .value(.yes)).optional,
      JSONMember("amendment", .named("amendment", amendment)).optional,
      .text("catalogModel").optional, .list("paidBy", of: paidShare).optional,
      .integer("countedAfter").optional, limitsCrossed,
      .integer("creditsCharged"), .integer("creditsWaived").optional,
      JSONMember("usageFallback", .value(.yes)).optional,
    ] + ofRemarks
  }

  private static var pastBill: [JSONMember] {
    bill + [.integer("newBalance"), .time("timestamp"), taken]
  }

  private static var amendment: JSONShape {
    .object([
      .integer("number"), JSONMember("return", .value(.yes)).optional, .integer("credits"),
      .integer("previousCredits"), .decimal("previousUSD").optional,
      .decimal("previousCostUSD").optional, .integer("previousWaived").optional,
      .list("forfeited", of: bucket).optional, .list("moved", of: bucket).optional,
      .list("shares", of: heldShare).optional,
      .time("chargedAt"),
      JSONMember(
        "first",
        .object([
          .text("model"), JSONMember("usage", usage).optional, .text("unreadUsage").optional,
          .decimal("reportedUSD").optional,
        ])),
    ])
  }

  // MARK: Shares of the accounts of a chain

  private static var heldShare: JSONShape {
    .object([.text("account").optional, .integer("credits")])
  }

  private static var paidShare: JSONShape {
    .object([
      .text("account").optional, .integer("credits"), .integer("waived").optional, taken.optional,
      .list("forfeited", of: bucket).optional, .integer("newBalance"),
      .list("crossed", of: .value(.integer)).optional, .integer("way").optional,
      .integer("countedAfter").optional,
    ])
  }

  private static var paidBackShare: JSONShape {
    .object([
      .text("account").optional, .integer("credits"), .integer("forfeited").optional,
      .integer("newBalance"), .list("crossed", of: .value(.integer)).optional,
    ])
  }

  private static var share: [JSONMember] {
    let part = JSONShape.object([
      .integer("credits"), .integer("passed"), .time("expiresAt"),
    ])
    return [
      .text("member").optional, .text("authorization"),
      .words("of", ["hold", "void", "charge", "amend", "refund"]), .integer("number").optional,
      JSONMember("return", .value(.yes)).optional, JSONMember("held", part).optional,
      JSONMember("released", part).optional, .integer("credits").optional, taken.optional,
      .integer("counted").optional, .text("model").optional, .time("countedAt").optional,
      .integer("countedAfter").optional,
    ]
  }

  /// Which buckets paid.
  private static var taken: JSONMember { .list("taken", of: bucket) }

  // MARK: Top-ups and transfers

  private static var recordedTransaction: JSONMember {
    JSONMember(
      "transaction",
      .named(
        "transaction",
        .object([
          .text("id"), .words("type", Transaction.Kind.allCases.map(\.rawValue)),
          .words("status", Transaction.Status.allCases.map(\.rawValue)),
          .text("productID").optional, .integer("quantity").optional, .integer("credits"),
          .time("timestamp").optional, .decimal("price").optional, .text("currency").optional,
          .text("key").optional, .text("reason").optional, .time("expiresAt").optional,
          JSONMember("terms", terms).optional, .time("scheduledAt").optional,
          .text("purchase").optional,
          JSONMember("paid", paid).optional, tags,
          .text("originalTransactionID").optional, .text("signedTransactionInfo").optional,
        ])))
  }

  /// What makes a grant of a top-up.
  private static var terms: JSONShape {
    .object([
      .integer("priority"), .time("startsAt").optional, models.optional,
      .integer("startsIn").optional, .integer("expiresIn").optional,
      JSONMember("statedExpiry", .value(.yes)).optional,
      JSONMember("statedPriority", .value(.yes)).optional,
      JSONMember("productModels", .value(.yes)).optional,
    ])
  }

  private static var models: JSONMember { .list("models", of: .value(.text)) }

  private static var pastTopUp: [JSONMember] {
    [
      recordedTransaction, .integer("creditsAdded").optional, .integer("newBalance"), news,
      payment.optional, bonuses, takenByTopUp,
    ]
  }

  /// Where a negative adjustment took credits from, if a grant is among the buckets.
  private static var takenByTopUp: JSONMember { .list("taken", of: bucket).optional }

  /// What promotions have granted with a purchase.
  private static var bonuses: JSONMember {
    .list("bonuses", of: .object([.text("id"), .integer("credits")])).optional
  }

  private static var news: JSONMember {
    JSONMember(
      "appStore",
      .object([
        .time("signedDate").optional, .list("notifications", of: .value(.text)),
      ])
    ).optional
  }

  /// What a payment provider has said.
  private static var payment: JSONMember {
    let event: [JSONMember] = [
      .words("format", PaymentFormat.allCases.map(\.rawValue)), .text("id"), .text("type"),
      .time("at"),
    ]
    let refund: [JSONMember] = [
      .text("id"), .integer("amount"), JSONMember("failed", .value(.yes)).optional, .time("at"),
    ]
    let dispute: [JSONMember] = [
      .text("id"), JSONMember("taken", .value(.yes)).optional, .time("at"),
    ]
    return JSONMember(
      "payment",
      .named(
        "payment",
        .object([
          JSONMember("event", .object(event)), .integer("paid").optional,
          JSONMember("refunded", .object([.integer("amount"), .time("at")])).optional,
          .list("refunds", of: .object(refund)).optional,
          .list("disputes", of: .object(dispute)).optional,
          .list("parts", of: .value(.text)).optional, .integer("taken").optional,
        ])))
  }

  private static var refund: JSONMember {
    JSONMember(
      "refund",
      .named(
        "refund",
        .object([
          .integer("credits"), .integer("number").optional, .integer("before").optional,
          .integer("forfeitedBefore").optional,
          .decimal("price").optional, .decimal("priceBefore").optional,
          .integer("forfeited").optional, .list("shares", of: bucket).optional,
          JSONMember("unused", .value(.yes)).optional,
          .list("refundedTo", of: paidBackShare).optional, .text("reason").optional,
          .integer("newBalance"),
          .time("timestamp"),
        ])))
  }

  private static var recordedTransfer: JSONMember {
    JSONMember(
      "transfer",
      .named(
        "transfer",
        .object([
          .text("id"), .text("counterparty").optional, .integer("credits"), .text("key"),
          .text("reason").optional, .integer("counterpartyBalance").optional,
        ])))
  }

  // MARK: The account's state

  private static var state: JSONShape {
    .object(
      [
        .integer("records"), .integer("transactions"), .time("registeredAt"),
        JSONMember("exempt", .value(.yes)).optional, JSONMember("closed", .value(.yes)).optional,
        .list("dated", of: bucket).optional, .list("grants", of: bucket).optional,
        .integer("bonus").optional, .integer("starter").optional, .integer("purchased").optional,
        .list("scheduled", of: bucket).optional,
        .list("startsAt", of: .value(.time)).optional,
        JSONMember("quota", quota).optional, JSONMember("subscriptions", subscriptions).optional,
        // A time, credits, and from each `+` on the milliseconds between two expiries.
        .list("holds", of: .anyOf([.value(.integer), .value(.text)])).optional,
        .list(
          "recentTopUps",
          of: .anyOf([.value(.time), .object([.time("at"), .integer("credits")])])
        ).optional,
      ] + ofLimits + [.text("group").optional, JSONMember("bought", .value(.yes)).optional])
  }

  /// What an account may spend and for whom, as `LimitForm` writes it.
  private static var ofLimits: [JSONMember] {
    [
      .text("plan").optional, .text("parent").optional,
      JSONMember("children", .value(.yes)).optional,
      .list("passed", of: .anyOf([.value(.integer), .value(.text)])).optional,
      .list(
        "limits",
        of: .object([
          .text("id"), JSONMember("period", PolicyShape.limitPeriod).optional,
          .list("models", of: .value(.text)).optional, .time("since"),
          .integer("after").optional, .integer("used").optional,
        ])
      ).optional,
      .list(
        "limitsSet",
        of: .object([.text("id"), .integer("credits").optional, .time("until").optional])
      ).optional,
    ]
  }

  /// What was paid for the plan, and how far.
  private static var subscriptions: JSONShape {
    let states = Subscription.State.allCases.filter { $0 != .paid }
    let payment = JSONShape.object(
      [.text("product"), .text("plan"), .text("transaction"), .text("id").optional] + paidPeriod + [
        .words("state", states.map(\.rawValue)).optional, .integer("used").optional,
        .integer("limit").optional, .time("resetsAt").optional,
      ])
    let end = JSONShape.object([
      .text("product").optional, .text("id").optional, .time("until"), .time("at"),
    ])
    return .object([
      .list("paid", of: payment).optional, .list("ends", of: end).optional,
      .list("shared", of: .value(.time)).optional,
    ])
  }

  private static var paid: JSONShape {
    .object(
      [.text("plan")] + paidPeriod + [
        JSONMember("upgraded", .value(.yes)).optional, .time("extendedAt").optional,
      ])
  }

  private static var paidPeriod: [JSONMember] {
    [.time("since"), .time("until"), .integer("grace").optional]
  }

  private static var quota: JSONShape {
    .object([
      .text("plan"),
      JSONMember(
        "period",
        .anyOf([
          .value(.words(["day", "month", "subscription"])), .object(PolicyShape.periodOfDays),
        ])),
      .integer("limit"), .integer("used"), .time("resetsAt"),
    ])
  }

  private static var bucketKinds: [String] { Bucket.Kind.allCases.map(\.rawValue) }

  /// `{"bonus":5,"expiresAt":"2026-03-01T00:00:00.000Z"}`
  private static var bucket: JSONShape {
    .named(
      "bucket",
      .choice(
        [
          .time("expiresAt").optional, .text("grant").optional, .integer("number").optional,
          .integer("priority").optional, models.optional,
        ], oneOf: bucketKinds.map { .integer($0) }))
  }
}
