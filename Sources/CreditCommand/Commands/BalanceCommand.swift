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
    if settings.arguments[.all] || settings.arguments[.children] {
      let isSum = settings.arguments[.total]
      return printLines(as: isSum ? .answer : .table(BalanceService.columns)) {
        output throws(CreditError) in
        try service.listAll(to: output)
      }
    }
    try serve(.reading(service))
  }
}

/// Answers with accounts as they are at a time.
private final class BalanceService: ReadingService {
  static let columns = [
    TableColumn("ACCOUNT", "account", rank: 0),
    TableColumn("BALANCE", "balance", as: .balance, rank: 1),
    TableColumn("AVAILABLE", "available", as: .balance, rank: 2),
    TableColumn("HELD", "held", as: .number, rank: 3),
    TableColumn("PLAN", "plan", rank: 4),
    TableColumn("EXEMPT", "exempt", as: .flag, rank: 6),
    TableColumn("CLOSED", "closed", as: .flag, rank: 5),
  ]

  private let command: Command
  private let books: OpenBooks

  init(_ command: Command) throws(CreditError) {
    self.command = command
    books = OpenBooks(try command.openStore())
  }

  func beginBatch() throws(CreditError) {
    try books.refresh()
  }

  /// - Parameter model: for which credits are to be available.
  private func accounts(now: Timestamp, for model: Name?) throws(CreditError)
    -> AccountProjection
  {
    var accounts = try books.accounts(now: now, at: command.settings.viewTime)
    accounts.model = model
    return accounts
  }

  func answer(_ request: RequestSource, text: [UInt8]?, to output: ResultOutput)
    throws(CreditError)
  {
    let reader = try RequestReader(request, flags: command.settings.members)
    let name = try reader.accountName()
    let now = try reader.readingTime(under: books.policy) ?? books.now(or: command.settings.now)
    let model = try model(reader, at: now)
    let account = try accounts(now: now, for: model).account(name)
    if !account.isRegistered { try command.noteUnregistered(name, in: books) }
    output.print(request: text) { $0.accountView(account) }
  }

  /// The model that what is available is asked for.
  /// - Throws: `unknown_model`.
  private func model(_ reader: RequestReader, at time: Timestamp) throws(CreditError) -> Name? {
    guard let id = try reader.balanceModel() else { return nil }
    return try books.policy.model(id, at: command.settings.viewTime ?? time).id
  }

  /// Prints every account in the order of names, or those that one pays for, or the sum of their
  /// balances: none where one of them is not known, as it would not be the sum.
  func listAll(to output: ResultOutput) throws(CreditError) {
    try beginBatch()
    let parent = command.settings.arguments[.children] ? try command.settings.account() : nil
    if let parent { try command.noteUnregistered(parent, in: books) }
    let below = command.settings.arguments[.balanceBelow]
    let wantsTotal = command.settings.arguments[.total]
    let now = books.now(or: command.settings.now)
    let model = try model(RequestReader(.flags, flags: command.settings.members), at: now)
    let accounts = try accounts(now: now, for: model)
    let list = try accounts.list()
    if let list, output.printsText, !wantsTotal, parent == nil, model == nil {
      return try ListInTurns(of: list, below: below, to: output).print()
    }
    var total: BalanceTotal? = BalanceTotal()
    func isShown(_ balance: Credits) -> Bool {
      if let below, balance >= below { return false }
      total?.add(balance)
      return !wantsTotal
    }
    func show(_ account: Result<AccountView, CreditError>) -> Bool {
      if case .success(let view) = account {
        if let parent, view.account.parent != parent { return true }
        guard isShown(view.account.balance) else { return true }
      } else {
        total = nil
      }
      return output.printLine(of: account) { $0.accountView($1) }
    }
    if let list {
      try list.forEach(show)
    } else {
      try accounts.forEachAccount(show)
    }
    if wantsTotal, let total { output.print { $0.total(total) } }
  }
}
