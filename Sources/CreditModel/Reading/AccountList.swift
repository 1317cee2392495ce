/// All accounts as of one moment, by numbers in the order of their names.
package protocol AccountList: AnyObject, Sendable {
  var count: Int { get }

  /// Calls `body` with accounts that have undated credits only, up to the first that has something
  /// else, or to that for which it returns false. Several threads may do this at once.
  /// - Returns: the number of that account; otherwise the end of the numbers.
  func forEachUndated(_ numbers: Range<Int>, _ body: (Account) -> Bool) -> Int

  /// The newest record of an account. One thread at a time may ask.
  func newest(_ number: Int) throws(CreditError) -> StoredRecord
}

/// All accounts at the time of a view.
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

  /// Calls `body` with accounts that time alone does not change, up to the first that it may, or to
  /// that for which it returns false. Several threads may do this at once.
  /// - Returns: the number of that account; otherwise the end of the numbers.
  package func forEachUndated(_ numbers: Range<Int>, _ body: (AccountView) -> Bool) -> Int {
    accounts.forEachUndated(numbers) { $0.updatedAt <= latest && body(AccountView($0)) }
  }

  /// Returns an account, or why it can't be shown as of that time. Returns nil if it isn't
  /// registered by then. Only one thread at a time may call this.
  package func account(_ number: Int) throws(CreditError) -> Result<AccountView, CreditError>? {
    try projection.registered(try accounts.newest(number))
  }

  /// Calls `body` with every account until it returns false.
  package func forEach(_ body: (Result<AccountView, CreditError>) -> Bool) throws(CreditError) {
    var number = 0
    while number < count {
      var goesOn = true
      number = forEachUndated(number..<count) { account in
        goesOn = body(.success(account))
        return goesOn
      }
      guard goesOn, number < count else { return }
      if let account = try account(number), !body(account) { return }
      number += 1
    }
  }
}
