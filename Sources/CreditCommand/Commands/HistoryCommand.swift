internal import CreditModel
internal import CreditStore

extension Command {
  /// `credit-history`: transactions, filtered, paged and followed; receipts.
  func runHistory() throws(UsageError) {
    let filter = try HistoryFilter(settings.arguments)
    let service: HistoryService
    do {
      service = HistoryService(self, try openStore(), filter)
    } catch {
      return printError(error)
    }
    let columns = HistoryTable.columns(isOfAll: !settings.arguments.has(.account))
    if settings.arguments[.follow] || settings.arguments.has(.after) {
      return printLines(as: .table(columns)) { output throws(CreditError) in
        try service.feed(output)
      }
    }
    if settings.arguments[.open] {
      let isPage = settings.arguments[.page]
      let form: TerminalForm = isPage ? .answer : .table(HistoryTable.openColumns)
      return printLines(as: form) { output throws(CreditError) in
        try service.listOpen(output)
      }
    }
    if let id = settings.arguments[.receipt] {
      return printLines { output throws(CreditError) in
        try service.printReceipt(of: id, output)
      }
    }
    if let id = settings.arguments[.wholeTransaction] {
      return printLines { output throws(CreditError) in
        try service.printTransaction(id, output)
      }
    }
    // The page of one account is the result of a request.
    let isPage = settings.arguments[.page]
    if let grant = settings.arguments[.onlyGrant], !settings.arguments[.all] {
      return printLines(as: isPage ? .answer : .table(columns)) { output throws(CreditError) in
        try service.beginBatch()
        try service.listAsTable(try service.accountOfGrant(grant), output)
      }
    }
    if settings.arguments[.all] || settings.arguments.has(.account) && !isPage {
      return printLines(as: isPage ? .answer : .table(columns)) { output throws(CreditError) in
        try service.beginBatch()
        try service.listAsTable(try settings.account(), output)
      }
    }
    try serve(.reading(service))
  }
}
