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
        "there is no limit that would end at that time: limitUntil (--limit-until) goes with "
          + "limits (--limit)")
    }
    return .account(request)
  }
}

extension AccountRequest.Change {
  /// Reads a name to set; `none` removes it.
  fileprivate init(_ name: Name) { self = name.text == "none" ? .remove : .set(name) }
}

extension Tool {
  /// `credit-account`: registers an account, sets its plan and exemption, lists accounts.
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
    run: { command throws(UsageError) in try command.runAccount() },
    help: { accountHelp })

  private static var accountHelp: ToolHelp {
    ToolHelp(
      synopsis: [
        "--account NAME [--plan ID] [--exempt true|false] [--closed true|false]",
        "--account NAME [--parent NAME] [--limit ID=N] ... [--limit-until TIME]",
        "--account NAME [--group ID]",
        "--all",
        "< requests",
      ],
      description: """
        Registers an account with the policy's starter credits, sets its plan, exempts it from
        charges, or closes it. It answers with the account as credit-balance(1) shows it. If
        nothing changes, it records only expiries and quota resets that are due.
        """,
      examples: [
        Example("Register an account:", "credit-account --account alice"),
        Example("Put it on a plan:", "credit-account --account alice --plan pro --get quota.limit"),
        Example("Never charge the test account:", "credit-account --account ci --exempt true"),
        Example(
          "Close an account, and see what is still open:",
          """
          credit-account --account alice --closed true --get balance
          credit-history --account alice --open
          """),
        Example(
          "A member of a team spends the team's credits, at most 500 a day:",
          "credit-account --account ana --parent acme --limit day=500"),
        Example(
          "2,000 credits a day until Monday, then the plan's number again:",
          "credit-account --account alice --limit day=2000 --limit-until 2026-11-30"),
        Example(
          "Show an account the prices that are being tried out:",
          """
          credit-account --account alice --group b
          credit-price --products --account alice
          """),
        Example("List the exempt accounts:", "credit-account --all | grep '\"exempt\":true'"),
      ],
      errors: [
        .accountClosed, .unknownAccount, .unknownPlan, .limitExceeded, .amountOutOfRange,
        .cannotCreate,
      ])
  }
}
