/// An account as `credit-balance` and `credit-account` show it.
package struct AccountView: Sendable {
  package let account: Account
  /// False for an account that nothing has been written for: it is shown as it would start.
  package let isRegistered: Bool
  /// The time of the account's last record.
  package let updatedAt: Timestamp

  /// - Parameter updatedAt: where the account is shown as of another time than its own.
  package init(_ account: Account, isRegistered: Bool = true, updatedAt: Timestamp? = nil) {
    self.account = account
    self.isRegistered = isRegistered
    self.updatedAt = updatedAt ?? account.updatedAt
  }
}
