internal import CreditModel

/// Which event a record is of, by the word that says so.
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

  init(of event: LedgerEvent) {
    switch event {
    case .registration: self = .registration
    case .settings: self = .settings
    case .authorization: self = .authorization
    case .void: self = .void
    case .charge: self = .charge
    case .amend: self = .amend
    case .chargeRefund: self = .chargeRefund
    case .topUp: self = .topUp
    case .topUpRefund: self = .topUpRefund
    case .topUpNews: self = .topUpNews
    case .transferOut: self = .transferOut
    case .transferIn: self = .transferIn
    case .share: self = .share
    case .claim: self = .claim
    case .payment: self = .payment
    case .expiry: self = .expiry
    case .refill: self = .refill
    case .dropped: self = .dropped
    }
  }

  /// Reads the word; nil where there is none of these.
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

extension JSONWriter {
  /// Writes what happened, and to which account.
  mutating func event(_ event: LedgerEvent, in account: Account) {
    key("event")
    plain(RecordEventKind(of: event).word)
    if case .claim(let id) = event { return claim(id) }
    if case .payment(let id, let news) = event { return payment(id, news) }
    member("account", account.name)
    switch event {
    case .registration(let credits), .settings(let credits), .refill(let credits),
      .dropped(let credits):
      member("credits", credits)
    case .expiry(let kind, let credits, let grant):
      key("bucket")
      plain(kind.plainName)
      if let grant { member("grant", grant) }
      member("credits", credits)
    case .authorization(let authorization), .void(let authorization):
      self.authorization(authorization, at: account.updatedAt)
    case .charge(let charge):
      self.charge(charge, in: account)
    case .amend(let charge):
      amendedCharge(charge, at: account.updatedAt)
    case .chargeRefund(let charge, let refund):
      pastCharge(charge, at: account.updatedAt)
      self.refund(refund)
    case .topUp(let topUp):
      self.topUp(topUp, at: account.updatedAt, isPast: false)
    case .topUpRefund(let topUp, let refund):
      self.topUp(topUp, at: account.updatedAt, isPast: true)
      self.refund(refund, of: topUp)
    case .topUpNews(let topUp, let refund):
      self.topUp(topUp, at: account.updatedAt, isPast: true)
      if let refund { self.refund(refund, of: topUp) }
    case .transferOut(let transfer): self.transfer(transfer, isOut: true)
    case .transferIn(let transfer): self.transfer(transfer, isOut: false)
    case .share(let share): self.share(share, at: account.updatedAt)
    case .claim, .payment: break
    }
  }
}

extension RecordReader {
  /// An event, and the account's state after it, which is the only one to say some of its balances.
  mutating func event(
    _ kind: RecordEventKind, of account: inout Account, _ cursor: inout RecordCursor
  ) -> LedgerEvent? {
    switch kind {
    case .charge:
      return .charge(charge(of: &account, &cursor))
    case .amend:
      return .amend(amendedCharge(of: &account, &cursor))
    case .topUp:
      guard var topUp = topUp(of: account, isPast: false, &cursor) else { return nil }
      state(of: &account, &cursor)
      topUp.newBalance = account.balance
      return .topUp(consume topUp)
    case .transferOut:
      var transfer = transfer(isOut: true, of: account, &cursor)
      state(of: &account, &cursor)
      transfer.fromBalance = account.balance
      return .transferOut(transfer)
    case .transferIn:
      var transfer = transfer(isOut: false, of: account, &cursor)
      state(of: &account, &cursor)
      transfer.toBalance = account.balance
      return .transferIn(transfer)
    default:
      let event = wholeEvent(kind, of: account, &cursor)
      state(of: &account, &cursor)
      return event
    }
  }

  /// An event that says all of itself.
  private mutating func wholeEvent(
    _ kind: RecordEventKind, of account: Account, _ cursor: inout RecordCursor
  ) -> LedgerEvent? {
    switch kind {
    case .registration: return .registration(starter: credits(&cursor))
    case .settings: return .settings(credits: credits(&cursor))
    case .refill: return .refill(credits: credits(&cursor))
    case .dropped: return .dropped(credits: credits(&cursor))
    case .expiry:
      cursor.expect(",\"bucket\":")
      let bucket: Bucket.Kind? = choice(&cursor)
      let grant = cursor.skip(",\"grant\":") ? id(&cursor) : nil
      return bucket.map { .expiry($0, credits: credits(&cursor), grant: grant) }
    case .authorization: return .authorization(authorization(of: account, &cursor))
    case .void: return .void(authorization(of: account, &cursor))
    case .chargeRefund:
      let charge = pastCharge(of: account, &cursor)
      return .chargeRefund(charge, refund(&cursor))
    case .topUpRefund:
      return topUp(of: account, isPast: true, &cursor).map {
        .topUpRefund($0, refund(of: $0, &cursor))
      }
    case .topUpNews:
      guard let topUp = topUp(of: account, isPast: true, &cursor) else { return nil }
      return .topUpNews(
        topUp, cursor.isNext(",\"refund\":") ? refund(of: topUp, &cursor) : nil)
    case .share: return share(of: account, &cursor).map { .share($0) }
    case .charge, .amend, .topUp, .transferOut, .transferIn, .claim, .payment: return nil
    }
  }

  private func credits(_ cursor: inout RecordCursor) -> Credits {
    cursor.expect(",\"credits\":")
    return cursor.integer()
  }
}
