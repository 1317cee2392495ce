internal import CreditModel

extension Tool {
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
    run: { command throws(UsageError) in try command.runGate() })
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
