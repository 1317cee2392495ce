internal import CreditModel

extension Command {
  /// Says of an account that is not registered that it isn't, with the nearest names: whoever asks
  /// about it may have mistyped it.
  func noteUnregistered(_ account: Name, in books: OpenBooks) throws(CreditError) {
    guard !settings.isQuiet, try books.ledger.newest(of: .account(account)) == nil else {
      return
    }
    let hint = NearestNames.hint(try books.nearestAccounts(to: account))
    errors.remark("account \(quoted(account.text)) is not registered\(hint)")
  }
}

extension OpenBooks {
  /// In larger stores they are not looked for: that takes longer than the answer.
  private static let nearestLimit = 10_000

  /// The registered accounts whose names are nearest.
  func nearestAccounts(to account: Name) throws(CreditError) -> [Name] {
    defer { ledger.release() }
    let end = try ledger.bookmark().position
    guard try ledger.summary(before: end).accountCount <= Self.nearestLimit else { return [] }
    var names: [Name] = []
    while true {
      let page = try ledger.accounts(after: names.last, before: end, limit: 1000)
      if page.isEmpty { return NearestNames.find(account, among: names) }
      names += page.map(\.record.account.name)
    }
  }
}
