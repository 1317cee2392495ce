internal import CreditModel

// An authorization. Records leave out its account, and its time if that is the record's.
extension MemberVisitor where Self: ~Copyable {
  mutating func authorization(
    _ known: CreditAuthorization?, of account: Name, at time: Timestamp
  ) -> CreditAuthorization? {
    object("authorization", known, shape: "authorization") { visitor, known in
      let id = visitor.member("id", known?.id, ID.self)
      let timestamp = visitor.member("timestamp", known?.timestamp, Time.self, unless: time)
      let credits = visitor.optional("hold", known?.hold?.credits, Whole.self)
      let expiresAt = visitor.member(
        "expiresAt", known?.hold?.expiresAt, Time.self, if: credits != nil)
      let heldBy = visitor.heldShares("held", known?.hold?.heldBy)
      let tags = visitor.optional("tags", known?.tags, TagMap.self)
      let model = visitor.optional("model", known?.model, PolicyName.self)
      guard let id else { return nil }
      var hold: CreditAuthorization.Hold?
      if let credits, let expiresAt {
        hold = CreditAuthorization.Hold(credits: credits, expiresAt: expiresAt)
        hold?.heldBy = heldBy
      } else {
        visitor.require(heldBy.isEmpty)
      }
      return CreditAuthorization(
        id: id, account: account, timestamp: timestamp, hold: hold, tags: tags, model: model)
    }
  }

  /// Visits who holds what of a hold, or of an amendment.
  mutating func heldShares(_ name: StaticString, _ known: [HeldShare]?) -> [HeldShare] {
    list(name, known) { visitor, known in
      let account = visitor.otherAccount(known?.account)
      let credits = visitor.member("credits", known?.credits, Whole.self)
      return credits.map { HeldShare(account: account, credits: $0) }
    }
  }

  /// Visits another account of a chain. One that was removed from the books has no name.
  @inline(__always)
  mutating func otherAccount(_ known: Name?) -> Name {
    optional("account", known == .nobody ? nil : known, AccountName.self) ?? .nobody
  }
}
