internal import CreditModel

extension Flag {
  static let authorizationID = TextFlag(
    "authorization", "ID", group: .request,
    "The id that the authorization is to have")

  static let hold = NumberFlag(
    "hold", "N", group: .request,
    "Set N credits aside until charge, void or expiry")

  static let holdExpiresIn = SpanFlag(
    "expires-in", group: .request,
    "When the hold ends, from now: 90s, 15m, 1h, 30d")

  static let workModel = TextFlag(
    "model", "ID", .name(.model), group: .request,
    "The model that the work is for")

  static let void = TextFlag(
    "void", "ID", .name(.authorization), group: .action,
    "Close an open authorization without a charge")
}

extension RequestReader {
  func authorize() throws(CreditError) -> GateRequest? {
    let account = try account()
    let id = try name("authorization", .authorizationID)
    let hold = try integer("hold", .hold, in: 1...Int64.max)
    let expiresIn = try span("expiresIn", .holdExpiresIn)
    let model = try name("model", .workModel)
    let tags = try tags()
    let time = try time()
    if expiresIn != nil, hold == nil {
      throw .invalidRequest(
        "expiresIn goes with hold (--hold N): an authorization without one never ends")
    }
    return .authorize(
      AuthorizeRequest(
        account: account ?? .defaultAccount, id: id, hold: hold, expiresIn: expiresIn,
        model: model, tags: tags, time: time))
  }

  func void(_ id: Name) throws(CreditError) -> GateRequest? {
    .void(VoidRequest(id: id, account: try account(), time: try time()))
  }
}

extension Tool {
  /// `credit-authorize`: may this account start? → an authorization.
  public static let authorize = Tool(
    .authorize,
    summary: "Ask whether an account may start work that costs credits",
    request: { reader throws(CreditError) in _ = try reader.authorize() },
    flags: [.void, .dryRun] + Flag.common,
    exclusions: [Exclusion(.void, [.authorizationID, .hold, .holdExpiresIn, .workModel, .tag])],
    wholeRequests: [CommandForm([.account, .void])],
    run: { command throws(UsageError) in try command.runGate() },
    help: { authorizeHelp })

  private static var authorizeHelp: ToolHelp {
    ToolHelp(
      synopsis: [
        "--account NAME [--authorization ID] [--hold N] [--expires-in SPAN] [--model ID]",
        "[--account NAME] --void ID",
        "< requests",
      ],
      description: """
        Asks, before the work, whether an account has credits to start it, and records an
        authorization that credit-charge(1) refers to afterwards. It never deducts anything.
        """,
      examples: [
        Example(
          "Ask, work, then charge what it really took:",
          """
          id=$(credit-authorize --account alice --get authorization.id) &&
            answer < question.json > response.json &&
            credit-charge --authorization "$id" --response < response.json
          """),
        Example(
          "Set 50 credits aside for a quarter of an hour, under the job's own id:",
          """
          credit-authorize --account alice --authorization job-17 \\
            --hold 50 --expires-in 15m
          """),
        Example("The job was given up:", "credit-authorize --void job-17"),
        Example(
          "Charge a whole log, but only what is authorized, and each key once; refusals pass on:",
          """
          jq -c '.authorization = .key' usage.ndjson |
            credit-authorize --pass | credit-charge
          """),
      ],
      errors: [
        .accountClosed,
        .insufficientCredits, .spendLimit, .idempotencyConflict, .authorizationClosed,
        .unknownAccount, .unknownAuthorization, .unknownModel, .limitExceeded, .amountOutOfRange,
        .cannotCreate,
      ])
  }
}
