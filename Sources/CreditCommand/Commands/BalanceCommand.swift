internal import CreditJSON
internal import CreditModel
internal import CreditStore

extension Command {
  /// `credit-balance`: what accounts have.
  func runBalance() throws(UsageError) {
    let service: BalanceService
    do {
      service = try BalanceService(self)
    } catch {
      return printError(error)
    }
    if settings.arguments.flag("all") {
      return printLines { printer throws(CreditError) in
        try service.listAll(into: &printer)
      }
    }
    try serve(.reading(service))
  }
}

/// Answers with accounts as they stand at a time.
private final class BalanceService: ReadingService {
  private let command: Command
  private let view: AccountsView

  init(_ command: Command) throws(CreditError) {
    self.command = command
    view = AccountsView(try command.openStore())
  }

  func beginBatch() throws(CreditError) {
    try view.refresh(now: command.now, at: command.settings.viewTime)
  }

  func answer(_ request: RequestSource, into output: inout JSONWriter) throws(CreditError) {
    let reader = try RequestReader(request, flags: command.settings.members, now: command.now)
    output.accountView(try view.account(try reader.accountName()))
  }

  /// Prints every account in the order of names, or the sum of their balances.
  func listAll(into printer: inout ResultPrinter) throws(CreditError) {
    try beginBatch()
    let below = command.settings.arguments.integer("below")
    let wantsTotal = command.settings.arguments.flag("total")
    var accounts = 0
    var total: Int128 = 0
    try view.forEachAccount { account in
      if let below, account.account.balance >= below { return }
      accounts += 1
      total += Int128(account.account.balance)
      if wantsTotal { return }
      printer.print { $0.accountView(account) }
      if printer.outputCount > 1 << 16 { command.flush(&printer) }
    }
    if wantsTotal { printer.print { $0.total(accounts: accounts, balance: total) } }
  }
}
