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
  func balance() throws(CreditError) -> (account: Name, model: Name?, time: Timestamp?) {
    let account = try account()
    let model = try name("model", .balanceModel)
    return (account ?? .defaultAccount, model, try time(isOfReading: true))
  }
}

extension Tool {
  public static let balance = Tool(
    .balance,
    summary: "Show the credits of an account, or of all",
    request: { reader throws(CreditError) in _ = try reader.balance() },
    flags: [.all, .children, .balanceBelow, .total, .at] + Flag.common,
    exclusions: [Exclusion(.all, [.account, .children])],
    requirements: [
      Requirement(.children, [.account]), Requirement(.balanceBelow, [.all, .children]),
      Requirement(.total, [.all, .children]),
    ],
    wholeRequests: [CommandForm([.account, .all])],
    run: { command throws(UsageError) in try command.runBalance() })
}
