internal import CreditModel

extension Flag {
  static let balanceBelow = NumberFlag(
    "below", "N", group: .selection, "Only accounts with less than N credits")

  static let children = Switch(
    "children", group: .selection, "The accounts that the account pays for, instead of itself")

  static let total = Switch("total", group: .selection, "Sums instead of the accounts")

  static let at = TimeFlag("at", group: .selection, "The balance as of a time, past or future")

  static let balanceModel = TextFlag(
    "model", "ID", .name(.model), group: .request,
    "Count what is for this model in available")
}

extension RequestReader {
  /// Visits the account, the model for which credits are to be available, and the time.
  func balance() throws(CreditError) -> (account: Name, model: Name?, time: Timestamp?) {
    let account = try account()
    // They fill in no member.
    list?.flags += [.all, .children, .balanceBelow, .total, .at]
    let model = try name("model", .balanceModel)
    return (account ?? .defaultAccount, model, try time(isOfReading: true))
  }
}

extension Tool {
  /// `credit-balance`: balance, buckets and quota of one account or all.
  public static let balance = Tool(
    .balance,
    summary: "Show the credits of an account, or of all",
    request: { reader throws(CreditError) in _ = try reader.balance() },
    flags: Flag.common,
    exclusions: [Exclusion(.all, [.account, .children])],
    requirements: [
      Requirement(.children, [.account]), Requirement(.balanceBelow, [.all, .children]),
      Requirement(.total, [.all, .children]),
    ],
    wholeRequests: [CommandForm([.account, .all])],
    run: { command throws(UsageError) in try command.runBalance() },
    help: { balanceHelp })

  private static var balanceHelp: ToolHelp {
    ToolHelp(
      synopsis: [
        "--account NAME [--at TIME] [--model ID]",
        "--all [--below N] [--total] [--at TIME] [--model ID]",
        "--account NAME --children [--below N] [--total] [--at TIME] [--model ID]",
        "< requests",
      ],
      description: """
        Shows what an account has: its balance, how much of it is held, and the buckets that
        make it up. It writes nothing, not even for an account that is new.
        """,
      examples: [
        Example(
          "How much is left?", "credit-balance --account alice --get balance", output: "988"),
        Example(
          "What may each member of a team still spend?",
          "credit-balance --account acme --children --get account,available"),
        Example(
          "Of which limits is less than a fifth left?",
          """
          credit-balance --all | jq -r '.account as $a | .limits[]? |
            select((.remaining | tonumber) * 5 < (.credits // .usd | tonumber)) |
            [$a, .limit, .remaining, .credits // .usd, .resetsAt] | @tsv'
          """),
        Example("Who needs a reminder?", "credit-balance --all --below 50 --get account"),
        Example(
          "What is owed to customers, whatever others of them owe?",
          "credit-balance --all --total --get owedToCustomers"),
        Example(
          "The books at the end of the year:",
          "credit-balance --all --at 2026-12-31T23:59:59.999Z > balances.ndjson"),
      ],
      errors: [.limitExceeded, .amountOutOfRange])
  }
}
