internal import CreditModel

extension Flag {
  static let authorizationID = TextFlag(
    "authorization", "ID", group: .request,
    "The id that the authorization is to have",
    detail: """
      Asked again with the same id while the authorization is open, the answer is the same
      authorization and the present balance. Once it is charged or voided, that id is
      `authorization_closed`. Without this flag the id is a new UUIDv7.
      """)

  static let hold = NumberFlag(
    "hold", "N", group: .request,
    "Set N credits aside until charge, void or expiry",
    detail: """
      N credits must be available: the balance minus what other open authorizations hold.
      A hold reduces the available balance; it reserves no particular bucket.
      """)

  static let holdExpiresIn = SpanFlag(
    "expires-in", group: .request,
    "When the hold ends, from now: 90s, 15m, 1h, 30d",
    detail: """
      Without it the policy's `holdExpiresIn` applies, an hour by default. The expiry is rounded
      up by at most a 60th of that time, so that many holds share few expiry times; `expiresAt`
      says it. An expired hold frees its credits, and its charge still goes through.
      """)

  static let workModel = TextFlag(
    "model", "ID", .name(.model), group: .request,
    "The model that the work is for",
    detail: """
      Credits for this model alone count, too, and limits of it are checked. It is no part of what
      makes a repeated request the same.
      """)

  static let void = TextFlag(
    "void", "ID", .name(.authorization), group: .action,
    "Close an open authorization without a charge",
    detail: """
      Its hold is freed. Voiding again gives the same answer plus `"replayed":true`; one that
      was charged is `authorization_closed`. With `--account` it must be that account's, else
      it is `idempotency_conflict`.
      """)
}

extension RequestReader {
  /// - Parameter namesModel: whether `model` is that of the work to be authorized.
  func authorize(namesModel: Bool = true) throws(CreditError) -> GateRequest? {
    let account = try account()
    let id = try name("authorization", .authorizationID)
    let hold = try integer("hold", .hold, in: 1...Int64.max)
    let expiresIn = try span("expiresIn", .holdExpiresIn)
    let model = namesModel ? try name("model", .workModel) : nil
    let tags = try tags()
    let time = try time()
    if expiresIn != nil, hold == nil { throw .invalidRequest("expiresIn goes with hold") }
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
  package static let authorize = Tool(
    .authorize,
    summary: "Ask whether an account may start work that costs credits",
    request: { reader throws(CreditError) in _ = try reader.authorize() },
    flags: [.void] + Flag.common,
    exclusions: [Exclusion(.void, [.authorizationID, .hold, .holdExpiresIn, .workModel, .tag])],
    wholeRequests: [CommandForm([.account, .void])],
    run: { command throws(UsageError) in try command.runGate(.authorize) },
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
          "Charge a whole log, but only what is authorized:",
          "credit-authorize --pass < usage.ndjson | credit-charge"),
      ],
      errors: [
        .accountClosed,
        .insufficientCredits, .spendLimit, .idempotencyConflict, .authorizationClosed,
        .unknownAccount, .unknownAuthorization, .unknownModel, .limitExceeded, .amountOutOfRange,
        .cannotCreate,
      ])
  }
}
