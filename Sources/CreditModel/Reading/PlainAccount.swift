/// An account that has nothing but undated credits, as its newest record left it: without a plan,
/// dated buckets and holds, so that time alone changes nothing of it.
///
/// Nearly all accounts are such. A list of them all makes no text or array of any.
package struct PlainAccount {
  /// The bytes of the name: printable ASCII without quotes and backslashes, which JSON shows as it
  /// is. They are valid where the account is given.
  package var name: UnsafeRawBufferPointer
  package var credits = UndatedCredits()
  package var isExempt = false
  package var isClosed = false
  /// Whether it has had top-ups that may count against the policy's limit.
  package var hasRecentTopUps = false
  /// The time of the newest record, and where it stands.
  package var updatedAt: Timestamp
  package var position: RecordPosition

  package init(name: UnsafeRawBufferPointer, updatedAt: Timestamp, position: RecordPosition) {
    self.name = name
    self.updatedAt = updatedAt
    self.position = position
  }
}
