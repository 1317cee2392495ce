internal import CreditModel

// A transfer, as the records of both accounts have it. They differ in whose the other side is.
extension MemberVisitor where Self: ~Copyable {
  /// Visits a transfer; the balance of the record's own account is left out.
  mutating func transfer(
    _ known: Transfer?, isOut: Bool, of account: Name, at time: Timestamp
  ) -> Transfer? {
    object("transfer", known, shape: "transfer") { visitor, known in
      var other = isOut ? known?.to : known?.from
      // An account that was removed from the books is left out.
      if other == .nobody { other = nil }
      let otherBalance = isOut ? known?.toBalance : known?.fromBalance
      let id = visitor.member("id", known?.id, ID.self)
      let counterparty = visitor.optional("counterparty", other, AccountName.self)
      let credits = visitor.member("credits", known?.credits, Whole.self)
      let key = visitor.member("key", known?.key, ID.self)
      let reason = visitor.optional("reason", known?.reason, Text.self)
      let balance = visitor.member(
        "counterpartyBalance", other == nil ? nil : otherBalance, Whole.self,
        if: counterparty != nil)
      guard let id, let credits, let key else { return nil }
      let name = counterparty ?? .nobody
      return Transfer(
        id: id, from: isOut ? account : name, to: isOut ? name : account, credits: credits,
        timestamp: time, key: key, reason: reason, fromBalance: isOut ? 0 : balance ?? 0,
        toBalance: isOut ? balance ?? 0 : 0)
    }
  }
}

// The same as a result has it.
extension ResultVisitor where Self: ~Copyable {
  mutating func transferPart(_ known: Transfer, isRequired: Bool = true) {
    part("transfer", isRequired: isRequired) { visitor in
      visitor.member("id", known.id, ID.self)
      visitor.member("from", known.from, AccountName.self)
      visitor.member("to", known.to, AccountName.self)
      visitor.member("credits", known.credits, Whole.self)
      visitor.member("timestamp", known.timestamp, Time.self)
      visitor.member("key", known.key, ID.self)
      visitor.optional("reason", known.reason, Text.self)
    }
  }
}

extension Transfer {
  /// Any transfer: schemas begin with it.
  static var sample: Transfer {
    Transfer(
      id: .nobody, from: .nobody, to: .nobody, credits: 0, timestamp: .earliest, key: .nobody)
  }
}
