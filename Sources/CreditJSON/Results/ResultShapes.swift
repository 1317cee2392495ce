internal import CreditModel

/// The results that there are, as this module writes them: what `--get` may name. Members have the
/// order in which they are printed.
extension JSONShape {
  /// An error as a result.
  package static var error: JSONShape {
    .object([
      JSONMember(
        "error",
        .object([
          .text("code"), .integer("status"), .text("message"),
          .text("account").optional, .integer("balance").optional, .integer("available").optional,
          .text("payer").optional, .integer("price").optional,
          .list(
            "limits",
            of: .object([
              .text("account"), .text("limit"), .integer("used"), .integer("held"),
              .integer("credits"), .time("resetsAt").optional,
            ])
          ).optional,
          JSONMember("authorization", orID(authorization)).optional,
          JSONMember("receipt", receipt).optional,
          JSONMember("transaction", orID(transaction)).optional,
          JSONMember("transfer", transfer).optional,
          .text("model").optional, .text("product").optional, .time("from").optional,
          .list("unpriced", of: .value(.text)).optional, .text("key").optional,
          .integer("retryAfter").optional, .text("reason").optional, .text("outcome").optional,
          JSONMember("partial", usage).optional, .text("path").optional,
          .integer("line").optional, .integer("offset").optional, .integer("lost").optional,
          JSONMember(
            "holder", .object([.integer("process"), .text("command"), .time("since")])
          ).optional,
        ]))
    ])
  }

  /// What an error is about, or its id alone, as a request says it.
  private static func orID(_ shape: JSONShape) -> JSONShape { .anyOf([shape, .value(.text)]) }

  /// An authorization that was given, or that has been voided.
  package static var authorizations: [JSONShape] {
    let member = JSONMember("authorization", authorization)
    return [
      .object(
        [member, .integer("balance"), .integer("available").optional, .text("payer").optional]
          + ofWrites),
      .object([member, .truth("voided")] + ofWrites),
    ]
  }

  /// What a charge answers.
  package static var charge: JSONShape {
    .object(ofReceipts + [key, .truth("refunded").optional] + ofWrites)
  }

  /// A receipt alone.
  package static var receipt: JSONShape { .object(ofReceipts) }

  /// What a top-up answers; signed transactions and notifications can also be refunds.
  package static var topUps: [JSONShape] {
    [
      .object(
        [
          JSONMember("transaction", transaction), .integer("creditsAdded"),
          .integer("newBalance"),
          .list("bonuses", of: .object([.text("id"), .integer("credits")])).optional,
        ] + paidPlan + ofWrites),
      .object(
        [JSONMember("transaction", transaction), .truth("ended"), .integer("newBalance")]
          + paidPlan + ofWrites),
      .object([.text("account"), .truth("skipped"), .integer("balance"), key]),
      .object([
        JSONMember("notification", .object([.text("type"), .text("id")])), .truth("changed"),
      ]),
      .object([event, .truth("changed"), .text("reason").optional]),
      .object([event, .list("results", of: .any)]),
      .object([
        event, .text("account").optional, .text("product").optional,
        .text("transaction").optional, .truth("verified"),
      ]),
    ] + refunds
  }

  /// Which plan a transaction pays for, and how far.
  private static var paidPlan: [JSONMember] { [.text("plan").optional, .time("until").optional] }

  package static var refunds: [JSONShape] {
    let members: [JSONMember] = [
      .integer("creditsRefunded"), .integer("creditsForfeited").optional, .integer("newBalance"),
    ]
    return [
      .object(
        [JSONMember("transaction", transaction)] + members
          + [.decimal("refundedPrice").optional] + ofWrites),
      .object(
        [JSONMember("authorization", authorization)] + members
          + [payers("refundedTo"), key] + ofWrites),
    ]
  }

  package static var transferResult: JSONShape {
    .object(
      [JSONMember("transfer", transfer), .integer("fromBalance"), .integer("toBalance")]
        + ofWrites)
  }

  /// Which models a grant is for.
  private static var models: JSONMember { .list("models", of: .value(.text)).optional }

  /// What an account has.
  package static var account: JSONShape {
    .object(
      [
        .text("account"), .integer("balance"), .integer("available"), .integer("held"),
        .list(
          "buckets",
          of: .object(
            [
              .text("kind"), .integer("credits"), .text("grant").optional,
              .integer("priority").optional, .time("expiresAt").optional, models,
            ])),
        .list(
          "scheduled",
          of: .object([
            .text("grant"), .text("kind"), .integer("credits"), .time("startsAt"),
            .integer("priority"), .time("expiresAt").optional, models,
          ])
        ).optional,
        .truth("exempt"), .truth("closed").optional, .text("plan").optional,
        .time("planUntil").optional, .time("graceUntil").optional, .truth("planRemoved").optional,
        JSONMember(
          "quota",
          .object([
            .integer("limit"), .integer("used"), .integer("remaining"), .time("resetsAt"),
          ])
        ).optional,
        .text("parent").optional, .text("payer").optional, .text("group").optional,
        .list("limits", of: limit).optional,
        .time("updatedAt").optional, .truth("registered").optional,
      ] + ofWrites)
  }

  /// Who paid a charge, or got some of it back.
  private static func payers(_ name: String) -> JSONMember {
    .list(
      name,
      of: .object([
        .text("account").optional, .integer("credits"), .integer("newBalance").optional, crossed,
      ])
    ).optional
  }

  private static var limit: JSONShape {
    .object([
      .text("limit"), JSONMember("period", PolicyShape.limitPeriod),
      .list("models", of: .value(.text)).optional,
      .integer("credits"), .time("until").optional, .integer("used"), .integer("held"),
      .integer("remaining"), .time("resetsAt").optional,
    ])
  }

  /// The shares of limits that a charge has come to.
  static var limitsCrossed: JSONMember {
    .list(
      "limitsCrossed",
      of: .object([
        .text("account"), .text("limit"), .integer("percent"), .integer("used"),
        .integer("credits"), .time("resetsAt").optional,
      ])
    ).optional
  }

  /// A line of the list of accounts.
  package static var accountLine: JSONShape {
    .object([
      .text("account"), .text("plan").optional, .truth("exempt"), .truth("closed").optional,
      .text("parent").optional, .text("group").optional, .time("registeredAt"),
    ])
  }

  /// The sums of all accounts.
  package static var total: JSONShape {
    .object([
      .integer("accounts"), .integer("balance"), .integer("owedToCustomers"),
      .integer("owedByCustomers"),
    ])
  }

  /// What a price answers.
  package static var price: JSONShape {
    .object(
      [
        .text("model"), JSONMember("usage", usage).optional, .decimal("usd").optional,
        .decimal("costUSD").optional, .integer("credits"), .truth("usageFallback").optional,
      ] + ofRemarks)
  }

  /// A line of the list of models, whose prices are as the catalog has them.
  package static var listedModel: JSONShape {
    .object(
      [
        .text("id"), .list("aliases", of: .value(.text)).optional,
        JSONMember("from", .value(.timeOrDay)).optional, .amount("markup").optional,
        .text("source").optional,
        JSONMember("dollars", .any).optional,
      ] + PolicyShape.pricing.map(\.optional))
  }

  package static var listedProduct: JSONShape {
    .object(
      [.text("id"), .text("name")] + PolicyShape.ofProducts
        + [.decimal("pricePerCredit").optional])
  }

  /// A line of the history.
  package static var historyLine: JSONShape {
    .object([
      .text("id"), .text("account"), .text("type"), .text("status"), .integer("credits"),
      .integer("balance"), .time("timestamp"), .time("updatedAt").optional,
      .time("completedAt").optional,
      .text("model").optional, JSONMember("usage", usage).optional,
      .text("productID").optional, .text("productName").optional,
      .integer("quantity").optional, .text("price").optional,
      .text("currency").optional, .text("key").optional, .text("reason").optional,
      .time("scheduledAt").optional, .time("startsAt").optional, .time("expiresAt").optional,
      .text("plan").optional,
      .time("until").optional, .integer("priority").optional, models, .text("grant").optional,
      .list(
        "taken",
        of: .object([.text("grant").optional, .text("kind").optional, .integer("credits")])
      ).optional,
      .integer("left").optional, .integer("used").optional, .integer("expired").optional,
      .time("usedAt").optional, tags, .decimal("usd").optional,
      .decimal("costUSD").optional, .integer("creditsWaived").optional,
      .integer("creditsRefunded").optional, crossed, limitsCrossed,
      payers("paidBy"), .text("member").optional,
      .text("counterparty").optional,
      .text("originalTransactionID").optional, .text("signedTransactionInfo").optional,
      JSONMember(
        "event", .object([.text("format"), .text("type"), .text("id"), .time("at")])
      ).optional,
      .truth("changed").optional, .text("cursor").optional,
    ])
  }

  /// A line of the list of open authorizations.
  package static var openAuthorization: JSONShape {
    .object([
      .text("id"), .text("account"), .text("type"), .text("status"), .time("timestamp"),
      .integer("hold").optional, .time("expiresAt").optional,
      .list("held", of: .object([.text("account").optional, .integer("credits")])).optional,
      tags, .integer("age"),
    ])
  }

  /// A page of lines.
  package static func page(of line: JSONShape) -> JSONShape {
    .object([
      .list("transactions", of: line), .integer("total"), .integer("limit"), .integer("offset"),
    ])
  }

  /// A request for `credit-charge`.
  package static var chargeRequest: JSONShape {
    .object([
      .text("account"), .text("key"), .text("model"), JSONMember("usage", .any),
      .decimal("reportedUSD").optional, .list("unread", of: .value(.text)).optional,
      .truth("partial").optional, .time("usedAt").optional, tags,
    ])
  }

  // MARK: Parts

  private static var event: JSONMember {
    JSONMember("event", .object([.text("format"), .text("type"), .text("id")]))
  }

  private static var authorization: JSONShape {
    .object([
      .text("id"), .text("account"), .time("timestamp"), .integer("hold").optional,
      .time("expiresAt").optional,
      .list("held", of: .object([.text("account").optional, .integer("credits")])).optional,
      tags, .text("model").optional,
    ])
  }

  private static var transaction: JSONShape {
    .object([
      .text("id"), .text("account"), .text("type"), .text("status"), .text("productID").optional,
      .integer("quantity").optional, .integer("credits"), .time("startsAt").optional,
      .time("timestamp"), .text("price").optional, .text("currency").optional,
      .text("key").optional, .text("reason").optional, .time("expiresAt").optional,
      .integer("priority").optional, models, tags, .text("originalTransactionID").optional,
    ])
  }

  private static var transfer: JSONShape {
    .object([
      .text("id"), .text("from"), .text("to"), .integer("credits"), .time("timestamp"),
      .text("key"), .text("reason").optional,
    ])
  }

  /// Counts in the order of their table, or units.
  static var usage: JSONShape {
    let counts = (0..<UsageCount.total).map { place in
      let member = JSONMember.integer("\(UsageCount(at: place).row.member)")
      return place < 2 ? member : member.optional
    }
    let conditions = UsageCondition.allCases.map { JSONMember.text("\($0.member)").optional }
    return .named("usage", .anyOf([.object(counts + conditions), .object([.integer("units")])]))
  }

  private static var ofReceipts: [JSONMember] {
    [
      JSONMember("authorization", authorization), .text("model"),
      JSONMember("usage", usage).optional, .integer("creditsCharged"), .integer("newBalance"),
      payers("paidBy"),
      .time("timestamp"), .time("usedAt").optional, tags, .decimal("reportedUSD").optional,
      .decimal("usd").optional, .decimal("costUSD").optional, .integer("amended").optional,
      .integer("previousCredits").optional, limitsCrossed, .truth("usageFallback").optional,
    ] + ofRemarks + [.truth("exempt").optional, .integer("creditsWaived").optional]
  }

  static var ofRemarks: [JSONMember] {
    [
      .truth("partial").optional, .list("unread", of: .value(.text)).optional,
      .list("unpriced", of: .value(.text)).optional,
    ]
  }

  /// What any write may say.
  private static var ofWrites: [JSONMember] { [crossed, .truth("replayed").optional] }

  /// The request's own.
  private static var key: JSONMember { .text("key").optional }

  private static var crossed: JSONMember {
    .list("crossed", of: .value(.integer)).optional
  }

  static var tags: JSONMember {
    JSONMember("tags", .map(.value(.text))).optional
  }
}
