/// All accounts as of one moment, by numbers in the order of their names.
package protocol AccountList: AnyObject, Sendable {
  var count: Int { get }

  /// Calls `body` with accounts, up to the first that its newest record did not leave plain, or to
  /// that for which it returns false. Several threads may do this at once.
  /// - Returns: the number of that account; otherwise the end of the numbers.
  func forEachPlain(_ numbers: Range<Int>, _ body: (PlainAccount) -> Bool) -> Int

  /// The newest record of an account. One thread at a time may ask.
  func newest(_ number: Int) throws(CreditError) -> StoredRecord
}

/// All accounts at the time of a view. Most are plain, and no values are made of those.
package struct ProjectedList {
  private let accounts: any AccountList
  private let projection: AccountProjection
  /// The time of the view.
  private let latest: Timestamp

  init(_ accounts: any AccountList, _ projection: AccountProjection, latest: Timestamp) {
    self.accounts = accounts
    self.projection = projection
    self.latest = latest
  }

  package var count: Int { accounts.count }

  /// Calls `body` with accounts, up to the first that is not plain at the time of the view, or to
  /// that for which it returns false. Several threads may do this at once.
  /// - Returns: the number of that account; otherwise the end of the numbers.
  package func forEachPlain(_ numbers: Range<Int>, _ body: (PlainAccount) -> Bool) -> Int {
    accounts.forEachPlain(numbers) { $0.updatedAt <= latest && body($0) }
  }

  /// An account, or why it can't be shown as of that time; nil where it isn't registered then. One
  /// thread at a time may ask.
  package func account(_ number: Int) throws(CreditError) -> Result<AccountView, CreditError>? {
    try projection.registered(try accounts.newest(number))
  }

  /// Calls `plain` or `other` with every account until one returns false.
  package func forEach(
    plain: (PlainAccount) -> Bool, other: (Result<AccountView, CreditError>) -> Bool
  ) throws(CreditError) {
    var number = 0
    while number < count {
      var goesOn = true
      number = forEachPlain(number..<count) { account in
        goesOn = plain(account)
        return goesOn
      }
      guard goesOn, number < count else { return }
      if let account = try account(number), !other(account) { return }
      number += 1
    }
  }
}
