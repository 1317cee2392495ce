package import CreditModel

/// Which requests are wanted, and what the command line says of them.
package struct LogSelection: Sendable {
  /// Who is billed.
  package enum BilledAccount: Sendable {
    case named(Name)
    /// A tag or a member of the log, whose text is the account.
    case member(String)
  }

  package var account: BilledAccount
  /// The model of a log that names none.
  package var model: Name?
  /// The time of use from which on requests are wanted.
  package var since: Timestamp?
  /// The time of use before which requests are wanted.
  package var until: Timestamp?
  /// Whether requests are wanted whose final counts are not there yet.
  package var includesPartial = false

  package init(account: BilledAccount) {
    self.account = account
  }

  /// Returns true if requests of this time of use are wanted. Nil if that needs a time.
  func includes(_ time: Timestamp?) -> Bool? {
    if since == nil && until == nil { return true }
    guard let time else { return nil }
    return since.map { time >= $0 } ?? true && until.map { time < $0 } ?? true
  }
}
