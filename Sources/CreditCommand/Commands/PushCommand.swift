internal import CreditJSON
internal import CreditModel
internal import CreditStore

extension Command {
  /// `credit-store push`: the store's records, to a store on a server.
  func push() throws(UsageError) {
    guard let path = settings.arguments[.pushTarget] else {
      throw UsageError("push needs --to, the store on a server to send to")
    }
    let target = StoreLocation(path: path, isNamed: true)
    guard target.isURL else { throw UsageError("--to takes the URL of a store on a server") }
    try target.check(of: "--to")
    let progress = ProgressLine(self)
    onStore { store, output throws(CreditError) in
      try store.requireExists()
      let there = try host.open(target, storeOptions)
      let moved = try there.receive(try store.books()) {
        progress.show("sent", $0, of: $1)
      } conflict: {
        output.print($0)
      }
      output.printMoved(moved, to: there)
    }
  }
}

extension ResultOutput {
  /// Prints how many records and accounts have come to a store from elsewhere.
  func printMoved(_ summary: StoreSummary, to store: any Store) {
    print { writer in
      writer.beginObject()
      writer.member("store", store.location.path)
      writer.member("records", Int64(summary.records))
      writer.member("accounts", Int64(summary.accounts))
      writer.endObject()
    }
  }
}
