/// A direct charge that says nothing but what nearly all say, as its line in the journal has it:
/// one usage, one key, an account with undated credits only, paid by the bucket that comes first.
///
/// Who checks or indexes a whole journal makes no values of such lines.
package struct PlainCharge {
  /// The account after the charge; its name is a part of the line.
  package let account: PlainAccount
  /// The id of the authorization that stands for the charge, and the key: parts of the line.
  package let id: UnsafeRawBufferPointer
  package let key: UnsafeRawBufferPointer
  package let creditsCharged: Credits
  package let recordCount: Int64
  package let transactionCount: Int64
  package let registeredAt: Timestamp
  /// Where the account's record before stands; nil for its first.
  package let previous: RecordPosition?

  package init(
    of account: PlainAccount, id: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer,
    creditsCharged: Credits, recordCount: Int64, transactionCount: Int64,
    registeredAt: Timestamp, previous: RecordPosition?
  ) {
    self.account = account
    self.id = id
    self.key = key
    self.creditsCharged = creditsCharged
    self.recordCount = recordCount
    self.transactionCount = transactionCount
    self.registeredAt = registeredAt
    self.previous = previous
  }
}

extension UndatedCredits {
  /// What a charge leaves where one bucket has all the credits, and more than the charge takes; nil
  /// for any other, which ``Account/burn(_:)`` does.
  package func afterCharge(of charged: Credits) -> UndatedCredits? {
    guard charged >= 0, balance > charged else { return nil }
    var left = self
    if bonus == balance, starter == 0, purchased == 0 {
      left.bonus -= charged
    } else if starter == balance, bonus == 0, purchased == 0 {
      left.starter -= charged
    } else if purchased == balance, bonus == 0, starter == 0 {
      left.purchased -= charged
    } else {
      return nil
    }
    return left
  }
}
