internal import CreditModel

extension Flag {
  static let plan = TextFlag(
    "plan", "ID", .name(.plan), member: "plan", group: .request, "Set the plan; none takes it away",
    detail: """
      Setting a plan grants its quota; setting the plan that the account has does nothing.
      Changing it keeps what was used: the new quota less that is left, 0 at least.
      `none` removes what is left of the quota.
      """)

  static let exempt = TruthFlag(
    "exempt", member: "exempt", group: .request, "Whether charges are waived")
}

extension Flag {
  static let closed = TruthFlag(
    "closed", member: "closed", group: .request, "Whether nothing new may begin for it",
    detail: """
      Authorizations, direct charges, top-ups and transfers to a closed account are
      `account_closed`, and its quota does not refill. Charges of open authorizations, refunds,
      transfers from it, pending top-ups that complete and StoreKit's transactions, which are paid,
      go on.
      """)
}

extension Tool {
  /// `credit-account`: registers an account, sets its plan and exemption, lists accounts.
  package static let account = Tool(
    .account,
    summary: "Register an account, set its plan or exempt it",
    flags: [
      .account,
      .plan,
      .exempt,
      .closed,
      .all.worded("List accounts with plan, exemption and time of registration"),
    ] + Flag.common,
    exclusions: [Exclusion(.all, [.account, .plan, .exempt, .closed])],
    wholeRequests: [CommandForm([.account, .all])],
    run: { command throws(UsageError) in try command.runAccount() },
    manual: { accountManual })

  private static var accountManual: Manual {
    Manual(
      synopsis: [
        "--account NAME [--plan ID] [--exempt true|false] [--closed true|false]",
        "--all",
        "< requests",
      ],
      description: [
        .text(
          """
          Registers an account with the policy's starter credits, sets its plan, exempts it from
          charges, or closes it. It answers with the account as credit-balance(1) shows it. Of an
          account that is as wanted already it records only what has expired or turned by then.
          """),
        .text(
          """
          Any first write for an account registers it, too, unless the policy says
          `"registration":"explicit"`: then an account must be registered here first, and is
          `unknown_account` to the other tools until it is.
          """),
        .text(
          """
          A plan grants a quota of credits each period: `month` and `day` turn at 00:00 UTC,
          `{"days":N}` every N days, 36500 at most, from the instant the plan was set. What is left
          at a turn is carried over up to the plan's `rolloverMax`. A turn is seen at the account's
          next operation, and missed turns follow one another. Edits of the policy count from the
          next turn on.
          """),
      ],
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
        Example("List the exempt accounts:", "credit-account --all | grep '\"exempt\":true'"),
      ],
      errors: [.unknownPlan, .limitExceeded, .amountOutOfRange, .cannotCreate],
      seeAlso: ["credit-balance", "credit-store"])
  }
}
