/// The pre-check that a charge refers to; its id is the charge's idempotency key.
package struct CreditAuthorization: Hashable, Sendable {
  package var id: Name
  package var account: Name
  package var timestamp: Timestamp
  /// Credits set aside, if any.
  package var hold: Optional<Hold>
  /// What a charge under it takes over for what it does not say itself.
  package var tags: Optional<Tags>
  /// The id in the catalog of the model that it was asked for, where one was named and the account
  /// had something that is for some models only.
  package var model: Optional<Name>

  package struct Hold: Hashable, Sendable {
    package var credits: Credits
    package var expiresAt: Timestamp
    /// What each account of its chain holds, its own first; empty where that holds all of it.
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
}
