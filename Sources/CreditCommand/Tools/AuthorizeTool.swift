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
        "expiresIn needs hold (--hold N): an authorization without one never ends")
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
  public static let authorize = Tool(
    .authorize,
    summary: "Ask whether an account may start work that costs credits",
    request: { reader throws(CreditError) in _ = try reader.authorize() },
    flags: [.void, .dryRun] + Flag.common,
    exclusions: [Exclusion(.void, [.authorizationID, .hold, .holdExpiresIn, .workModel, .tag])],
    wholeRequests: [CommandForm([.account, .void])],
    run: { command throws(UsageError) in try command.runGate() })
}
