public import CreditModel

// An authorization. Records leave out its account, and its time if that is the record's.
extension MemberVisitor where Self: ~Copyable {
  mutating func authorization(
    _ known: CreditAuthorization, of account: Name, at time: Timestamp
  ) -> CreditAuthorization? {
    object("authorization", CreditAuthorization?.none, shape: "authorization") { visitor, _ in
      let id = visitor.member("id", known.id, ID.self)
      let timestamp = visitor.member("timestamp", known.timestamp, Time.self, unless: time)
      let hold = visitor.rare(if: known.hold != nil, before: nil) { $0.hold(known.hold) }
      let tags = visitor.optional("tags", known.tags, TagMap.self)
      let model = visitor.optional("model", known.model, PolicyName.self)
      guard let id else { return nil }
      return CreditAuthorization(
        id: id, account: account, timestamp: timestamp, hold: hold, tags: tags, model: model)
    }
  }

  private mutating func hold(_ known: CreditAuthorization.Hold?) -> CreditAuthorization.Hold? {
    let credits = optional("hold", known?.credits, Whole.self)
    let expiresAt = member("expiresAt", known?.expiresAt, Time.self, if: credits != nil)
    let heldBy = heldShares("held", known?.heldBy)
    guard let credits, let expiresAt else {
      require(heldBy.isEmpty)
      return nil
    }
    var hold = CreditAuthorization.Hold(credits: credits, expiresAt: expiresAt)
    hold.heldBy = heldBy
    return hold
  }

  /// Visits the shares of a hold or of an amendment.
  mutating func heldShares(_ name: StaticString, _ known: [HeldShare]?) -> [HeldShare] {
    list(name, known) { visitor, known in
      let account = visitor.otherAccount(known?.account)
      let credits = visitor.member("credits", known?.credits, Whole.self)
      return credits.map { HeldShare(account: account, credits: $0) }
    }
  }

  /// Visits another account of a chain. One that was removed from the books has no name.
  @inline(__always)
  @discardableResult
  mutating func otherAccount(_ known: Name?) -> Name {
    optional("account", known == .nobody ? nil : known, AccountName.self) ?? .nobody
  }
}

// The same as a result has it.
extension ResultVisitor where Self: ~Copyable {
  mutating func authorizationPart(_ known: CreditAuthorization, isRequired: Bool = true) {
    part("authorization", isRequired: isRequired) { visitor in
      visitor.member("id", known.id, ID.self)
      visitor.member("account", known.account, AccountName.self)
      visitor.member("timestamp", known.timestamp, Time.self)
      visitor.members(if: known.hold != nil) { $0.holdMembers(known.hold) }
      visitor.optional("tags", known.tags, TagMap.self)
      visitor.optional("model", known.model, PolicyName.self)
    }
  }

  private mutating func holdMembers(_ known: CreditAuthorization.Hold?) {
    optional("hold", known?.credits, Whole.self)
    optional("expiresAt", known?.expiresAt, Time.self)
    let holders = known.flatMap { $0.heldBy.isEmpty ? nil : $0.heldBy.filter { $0.credits > 0 } }
    parts("held", holders) { visitor, known in
      visitor.otherAccount(known?.account)
      visitor.member("credits", known?.credits, Whole.self)
    }
  }

  /// Visits a line of the list of open authorizations.
  /// - Parameter now: the time for its age.
  mutating func openAuthorizationMembers(_ known: CreditAuthorization, now: Timestamp) {
    let isExpired = known.hold.map { $0.expiresAt <= now } ?? false
    let age = max(0, now.milliseconds - known.timestamp.milliseconds) / 1000
    member("id", known.id, ID.self)
    member("account", known.account, AccountName.self)
    member("type", "authorization", Text.self)
    member("status", isExpired ? "expired" : "open", Text.self)
    member("timestamp", known.timestamp, Time.self)
    holdMembers(known.hold)
    optional("tags", known.tags, TagMap.self)
    member("age", age, Whole.self)
  }
}

extension JSONWriter {
  public mutating func openAuthorization(_ authorization: CreditAuthorization, now: Timestamp) {
    element { $0.openAuthorizationMembers(authorization, now: now) }
  }
}

extension JSONShape {
  /// A line of the list of open authorizations.
  public static var openAuthorization: JSONShape {
    ShapeRecorder.shape { $0.openAuthorizationMembers(.sample, now: .earliest) }
  }
}

extension CreditAuthorization {
  /// Any authorization: readers and schemas begin with it.
  static let sample = CreditAuthorization(id: .nobody, account: .nobody, timestamp: .earliest)
}
