/// What a record can be found by.
package enum RecordKey: Hashable, Sendable {
  case account(Name)
  case authorization(Name)
  case transaction(Name)
  /// A direct charge's key, within its account.
  case chargeKey(account: Name, Name)
  /// A top-up's key, within its account.
  case topUpKey(account: Name, Name)
}
