internal import CreditModel

enum RecordEventKind: CaseIterable {
  // The commonest first, as they are tried in this order.
  case charge, authorization, topUp, registration, settings, refill, expiry, void, chargeRefund
  case topUpRefund, topUpNews, amend, transferOut, transferIn, share, claim, payment, dropped

  var word: StaticString {
    switch self {
    case .charge: "charge"
    case .authorization: "authorization"
    case .topUp: "top-up"
    case .registration: "registration"
    case .settings: "settings"
    case .refill: "refill"
    case .expiry: "expiry"
    case .void: "void"
    case .chargeRefund: "charge-refund"
    case .topUpRefund: "top-up-refund"
    case .topUpNews: "top-up-news"
    case .transferOut: "transfer-out"
    case .transferIn: "transfer-in"
    case .amend: "amend"
    case .share: "share"
    case .claim: "claim"
    case .payment: "payment"
    case .dropped: "dropped"
    }
  }

  /// Reads the word.
  /// - Returns: nil if it is not one of these.
  init?(_ cursor: inout RecordCursor) {
    cursor.expect(",\"event\":\"")
    if cursor.skip("charge\"") {
      self = .charge
      return
    }
    let kind = Self.allCases.first { cursor.skipWord($0.word) }
    guard let kind else { return nil }
    self = kind
  }
}

extension LedgerEvent {
  fileprivate var kind: RecordEventKind {
    switch self {
    case .registration: .registration
    case .settings: .settings
    case .authorization: .authorization
    case .void: .void
    case .charge: .charge
    case .amend: .amend
    case .chargeRefund: .chargeRefund
    case .topUp: .topUp
    case .topUpRefund: .topUpRefund
    case .topUpNews: .topUpNews
    case .transferOut: .transferOut
    case .transferIn: .transferIn
    case .share: .share
    case .claim: .claim
    case .payment: .payment
    case .expiry: .expiry
    case .refill: .refill
    case .dropped: .dropped
    }
  }
}

extension JSONWriter {
  /// Writes the event, its account, and the account's state after it.
  mutating func event(_ event: LedgerEvent, in account: Account) {
    key("event")
    plain(event.kind.word)
    switch event {
    case .claim(let id): return claim(id)
    case .payment(let id, let news):
      member("transaction", id, ID.self)
      object("payment", news, shape: "payment") { $0.payment($1) }
      return
    default: break
    }
    let (name, time) = (account.name, account.updatedAt)
    member("account", name, AccountName.self)
    switch event {
    case .registration(let credits), .settings(let credits), .dropped(let credits):
      member("credits", credits, Whole.self)
    case .refill(let credits, let carriedOver): _ = refill(credits, carriedOver)
    case .expiry(let kind, let credits, let grant): _ = expiry(kind, credits, grant)
    case .authorization(let authorization), .void(let authorization):
      _ = self.authorization(authorization, of: name, at: time)
    case .charge(let charge):
      let isUsual = account.wasTakenFromFirst(charge.taken, charge.receipt.ownCredits)
      _ = self.charge(charge, of: name, at: time) { writer, _, _ in
        if !isUsual { writer.member("taken", charge.taken, Shares.self) }
        return nil
      }
    case .amend(let charge):
      _ = self.charge(charge, of: name, at: time) { writer, _, _ in
        writer.member("taken", charge.taken, Shares.self)
        return nil
      }
    case .chargeRefund(let charge, let refund):
      _ = pastCharge(charge, of: name, at: time)
      _ = self.refund(refund)
    case .topUp(let topUp): _ = self.topUp(topUp, of: name, at: time, isPast: false)
    case .topUpRefund(let topUp, let refund):
      _ = self.topUp(topUp, of: name, at: time, isPast: true)
      _ = self.refund(refund, of: topUp)
    case .topUpNews(let topUp, let refund):
      _ = self.topUp(topUp, of: name, at: time, isPast: true)
      _ = self.refund(refund, of: topUp, isOptional: true)
    case .transferOut(let transfer): _ = self.transfer(transfer, isOut: true, of: name, at: time)
    case .transferIn(let transfer): _ = self.transfer(transfer, isOut: false, of: name, at: time)
    case .share(let share): _ = self.share(share, at: time)
    case .claim, .payment: break
    }
  }

  /// Writes an id that must not be used again, without an account and its state.
  private mutating func claim(_ id: RecordKey) {
    switch id {
    case .authorization(let id): _ = member("authorization", id, ID.self)
    case .transaction(let id): _ = member("transaction", id, ID.self)
    // Keys are an account's own, and go with it.
    case .account, .chargeKey, .topUpKey, .transferKey, .payment: break
    }
  }
}

// The same, read or described.
extension MemberVisitor where Self: ~Copyable {
  /// Visits an event, and the account's state after it, which alone has some of its balances.
  mutating func event(_ kind: RecordEventKind, of account: inout Account) -> LedgerEvent? {
    let (name, time) = (account.name, account.updatedAt)
    switch kind {
    case .charge: return charge(of: &account).map { .charge($0) }
    case .amend: return amendedCharge(of: &account).map { .amend($0) }
    case .topUp:
      var topUp = topUp(.sample, of: name, at: time, isPast: false)
      account = state(account) ?? account
      topUp?.newBalance = account.balance
      return topUp.map { .topUp($0) }
    case .transferOut:
      var transfer = transfer(nil, isOut: true, of: name, at: time)
      account = state(account) ?? account
      transfer?.fromBalance = account.balance
      return transfer.map { .transferOut($0) }
    case .transferIn:
      var transfer = transfer(nil, isOut: false, of: name, at: time)
      account = state(account) ?? account
      transfer?.toBalance = account.balance
      return transfer.map { .transferIn($0) }
    default:
      let event = wholeEvent(kind, of: name, at: time)
      account = state(account) ?? account
      return event
    }
  }

  /// Visits an event that has all of itself.
  private mutating func wholeEvent(
    _ kind: RecordEventKind, of name: Name, at time: Timestamp
  ) -> LedgerEvent? {
    switch kind {
    case .registration: return credits().map { .registration(starter: $0) }
    case .settings: return credits().map { .settings(credits: $0) }
    case .refill: return refill(nil, nil)
    case .dropped: return credits().map { .dropped(credits: $0) }
    case .expiry: return expiry(nil, nil, nil)
    case .authorization:
      return authorization(.sample, of: name, at: time).map { .authorization($0) }
    case .void: return authorization(.sample, of: name, at: time).map { .void($0) }
    case .chargeRefund:
      let charge = pastCharge(.sample, of: name, at: time)
      let refund = refund(nil)
      guard let charge, let refund else { return nil }
      return .chargeRefund(charge, refund)
    case .topUpRefund:
      let topUp = topUp(.sample, of: name, at: time, isPast: true)
      let refund = refund(nil, of: topUp)
      guard let topUp, let refund else { return nil }
      return .topUpRefund(topUp, refund)
    case .topUpNews:
      let topUp = topUp(.sample, of: name, at: time, isPast: true)
      let refund = refund(nil, of: topUp, isOptional: true)
      return topUp.map { .topUpNews($0, refund) }
    case .share: return share(nil, at: time).map { .share($0) }
    case .charge, .amend, .topUp, .transferOut, .transferIn, .claim, .payment: return nil
    }
  }

  private mutating func credits() -> Credits? { member("credits", nil, Whole.self) }

  fileprivate mutating func refill(_ credits: Credits?, _ carriedOver: Credits?) -> LedgerEvent? {
    let credits = member("credits", credits, Whole.self)
    let isCarried = carriedOver ?? 0 > 0
    let carriedOver = optional("carriedOver", isCarried ? carriedOver : nil, Whole.self)
    require(carriedOver ?? 1 > 0)
    return credits.map { .refill(credits: $0, carriedOver: carriedOver ?? 0) }
  }

  fileprivate mutating func expiry(
    _ known: Bucket.Kind?, _ credits: Credits?, _ grant: Name?
  ) -> LedgerEvent? {
    let kind = member("bucket", known, Word<Bucket.Kind>.self)
    let id = optional("grant", grant, ID.self)
    let credits = member("credits", credits, Whole.self)
    guard let kind, let credits else { return nil }
    return .expiry(kind, credits: credits, grant: id)
  }

  /// Visits a charge whose balance and time are those of the record. The buckets that paid are a
  /// member only if they do not follow from the account's current ones.
  private mutating func charge(of account: inout Account) -> Charge? {
    charge(.sample, of: account.name, at: account.updatedAt) { visitor, details, charged in
      visitor.require(details?.amendment == nil)
      let said = visitor.optional("taken", nil, Shares.self)
      account = visitor.state(account) ?? account
      if !Self.reads { return nil }
      let credits = details?.paidBy.reduce(charged) { $0 &- $1.credits } ?? charged
      visitor.require(said.map { !account.wasTakenFromFirst($0, credits) } ?? true)
      // Mostly all credits came from the account's first bucket after it.
      let first = credits == 0 ? [] : account.buckets.first.map { BucketShares($0.with(credits)) }
      guard let taken = said ?? first else { return nil }
      return ChargeEnd(taken: taken, newBalance: account.balance, timestamp: account.updatedAt)
    }
  }

  private mutating func amendedCharge(of account: inout Account) -> Charge? {
    charge(.sample, of: account.name, at: account.updatedAt) { visitor, details, _ in
      visitor.require(details?.amendment != nil)
      let taken = visitor.member("taken", nil, Shares.self)
      account = visitor.state(account) ?? account
      guard let taken else { return nil }
      return ChargeEnd(taken: taken, newBalance: account.balance, timestamp: account.updatedAt)
    }
  }
}

// Which buckets paid, if a record need not have it.
extension Account {
  /// Whether a charge took all its credits from the first bucket after it.
  fileprivate func wasTakenFromFirst(_ taken: BucketShares, _ credits: Credits) -> Bool {
    if credits == 0 { return taken.isEmpty }
    // Most accounts have plain credits alone, which are compared by their kinds.
    if buckets.listed == nil {
      return buckets.undated.firstKind.map { taken.isPlain(credits, $0) } ?? false
    }
    guard taken.count == 1, taken[0].credits == credits, let first = buckets.first else {
      return false
    }
    return taken[0] == first.with(credits)
  }
}
