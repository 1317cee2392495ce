internal import CreditJSON
internal import CreditModel
internal import CreditStore

extension Command {
  /// `credit-account`: registers and changes accounts, or lists them.
  func runAccount() throws(UsageError) {
    if settings.arguments[.all] { listAccounts() } else { try runGate(.account) }
  }

  /// Every account in the order of names.
  private func listAccounts() {
    let columns = [
      TableColumn("ACCOUNT", "account", rank: 0),
      TableColumn("PLAN", "plan", rank: 1),
      TableColumn("EXEMPT", "exempt", as: .flag, rank: 3),
      TableColumn("CLOSED", "closed", as: .flag, rank: 2),
      TableColumn("REGISTERED", "registeredAt", as: .time, rank: 4),
    ]
    printLines(as: .table(columns)) {
      output throws(CreditError) in
      let books = OpenBooks(try openStore())
      try books.refresh()
      try books.accounts(now: now).forEachAccount { result in
        output.printLine(of: result) { $0.accountLine($1.account) }
      }
    }
  }
}

extension ResultOutput {
  /// Prints the line of an account, or its error.
  /// - Returns: false where the listing is to end.
  func printLine(
    of account: Result<AccountView, CreditError>,
    _ write: (inout JSONWriter, AccountView) -> Void
  ) -> Bool {
    switch account {
    case .success(let view): print { write(&$0, view) }
    case .failure(let error): print(error)
    }
    return flushIfFull()
  }
}
