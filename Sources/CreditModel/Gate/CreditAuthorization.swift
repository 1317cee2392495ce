/// The pre-check that a charge refers to; its id is the charge's idempotency key. A class: a record
/// of it, an entry of the books and a receipt under it share one.
package final class CreditAuthorization: Hashable, Sendable {
  package let id: Name
  package let account: Name
  package let timestamp: Timestamp
  /// Credits set aside, if any.
  package let hold: Hold?
  /// What a charge under it takes over for what it does not say itself.
  package let tags: Tags?
  /// The id in the catalog of the model that it was asked for, where one was named and the account
  /// had something that is for some models only.
  package let model: Name?

  package struct Hold: Hashable, Sendable {
    package var credits: Credits
    package var expiresAt: Timestamp
    /// The part that each account of its chain holds, its own first.
    ///
    /// Empty if its own account holds all of it.
    package var heldBy: [HeldShare] = []

    package init(credits: Credits, expiresAt: Timestamp) {
      self.credits = credits
      self.expiresAt = expiresAt
    }
  }

  package init(
    id: Name, account: Name, timestamp: Timestamp, hold: Hold? = nil, tags: Tags? = nil,
    model: Name? = nil
  ) {
    self.id = id
    self.account = account
    self.timestamp = timestamp
    self.hold = hold
    self.tags = tags
    self.model = model
  }

  package static func == (left: CreditAuthorization, right: CreditAuthorization) -> Bool {
    left.id == right.id && left.account == right.account && left.timestamp == right.timestamp
      && left.hold == right.hold && left.tags == right.tags && left.model == right.model
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
