internal import CreditModel

extension Flag {
  static let plan = TextFlag(
    "plan", "ID", .name(.plan), group: .request, "Set the plan; none takes it away")

  static let exempt = TruthFlag(
    "exempt", group: .request, "Waive its charges (true) or not (false)")

  static let closed = TruthFlag(
    "closed", group: .request, "Close (true) or reopen (false) the account")

  static let parent = TextFlag(
    "parent", "NAME", .name(.account), group: .request,
    "The account that pays what this one cannot; none removes it")

  static let group = TextFlag(
    "group", "ID", group: .request,
    "The group whose products it is shown; none removes it")

  static let spendLimit = ListFlag(
    "limit", "ID=N", .limit, group: .request,
    "Limit what it may spend; may be given several times")

  static let limitUntil = TimeFlag(
    "limit-until", group: .request,
    "When what --limit sets ends")
}

extension RequestReader {
  func accountChange() throws(CreditError) -> GateRequest? {
    var request = AccountRequest(account: try account() ?? .defaultAccount)
    request.plan = try name("plan", .plan).map { AccountRequest.Change($0) }
    request.isExempt = try truth("exempt", .exempt)
    request.isClosed = try truth("closed", .closed)
    request.parent = try name("parent", .parent, limit: Name.accountLimit)
      .map { AccountRequest.Change($0) }
    if let group = try name("group", .group) {
      if let problem = ProductGroup.problem(with: group.text) {
        throw .invalidRequest("group \(problem)")
      }
      request.group = AccountRequest.Change(group)
    }
    request.limits = try limits()
    request.limitUntil = try time("limitUntil", .limitUntil)
    request.time = try time()
    if request.limitUntil != nil, request.limits.isEmpty {
      throw .invalidRequest(
        "limitUntil (--limit-until) needs limits (--limit): no limit would end at that "
          + "time")
    }
    return .account(request)
  }
}

extension AccountRequest.Change {
  /// Reads a name to set; `none` removes it.
  fileprivate init(_ name: Name) { self = name.text == "none" ? .remove : .set(name) }
}

extension Tool {
  public static let account = Tool(
    .account,
    summary: "Register an account, set its plan and limits, or exempt it",
    request: { reader throws(CreditError) in _ = try reader.accountChange() },
    flags: [.all.worded("List accounts with plan, exemption and time of registration"), .dryRun]
      + Flag.common,
    exclusions: [
      Exclusion(
        .all,
        [.account, .plan, .exempt, .closed, .parent, .group, .spendLimit, .limitUntil, .dryRun])
    ],
    wholeRequests: [CommandForm([.account, .all])],
    run: { command throws(UsageError) in try command.runAccount() })
}
