internal import CreditModel

extension Flag {
  static let from = TextFlag(
    "from", "NAME", .name(.account), group: .request, "The account that gives")

  static let to = TextFlag(
    "to", "NAME", .name(.account), group: .request,
    "The account that receives: a registered one")

  fileprivate static let given = credits.worded("How many credits")

  fileprivate static let transferKey = key.worded(
    "What makes it once: unique within the giving account")
}

extension RequestReader {
  func transfer() throws(CreditError) -> GateRequest? {
    let from = try name("from", .from, limit: Name.accountLimit)
    let to = try name("to", .to, limit: Name.accountLimit)
    let credits = try integer("credits", .given, in: 1...Credits.largestGrant)
    let key = try name("key", .transferKey)
    let reason = try reason()
    let time = try time()
    if isListing { return nil }
    guard let from, let to, let credits else {
      throw .invalidRequest("a transfer needs from, to and credits")
    }
    guard let key else {
      throw .invalidRequest("a transfer needs a key, so that a retry can't give twice")
    }
    return .transfer(
      TransferRequest(from: from, to: to, credits: credits, key: key, reason: reason, time: time))
  }
}

extension Tool {
  public static let transfer = Tool(
    .transfer,
    summary: "Give credits from one account to another, once",
    request: { reader throws(CreditError) in _ = try reader.transfer() },
    flags: [.dryRun] + Flag.common,
    wholeRequests: [CommandForm([.from], [.to], [.credits], [.key])],
    run: { command throws(UsageError) in try command.runGate() })
}
