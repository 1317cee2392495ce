/// An account as `credit-balance` and `credit-account` show it.
package struct AccountView: Sendable {
  package let account: Account
  /// False for an account that nothing has been written for: it is shown as it would start.
  package let isRegistered: Bool

  package init(_ account: Account, isRegistered: Bool = true) {
    self.account = account
    self.isRegistered = isRegistered
  }
}
