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
    if settings.arguments[.follow] {
      return printLines { output throws(CreditError) in try service.follow(output) }
    }
    if settings.arguments[.open] {
      return printLines(columns: HistoryService.openColumns) { output throws(CreditError) in
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
    // A page is one object, never a table; that of one account is the result of a request.
    let isPage = settings.arguments[.page]
    if settings.arguments[.all] || settings.arguments.has(.account) && !isPage {
      let columns = isPage ? [] : HistoryService.columns
      return printLines(columns: columns) { output throws(CreditError) in
        try service.beginBatch()
        try service.list(try settings.account(), now: now, text: nil, output)
      }
    }
    try serve(.reading(service))
  }
}
