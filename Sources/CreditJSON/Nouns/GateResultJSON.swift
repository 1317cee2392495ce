public import CreditModel

// The answers of a gate, which the writing tools print.
extension JSONWriter {
  /// Writes a gate's answer as the one object that a tool prints.
  public mutating func result(_ result: GateResult) {
    element { $0.mark("replayed", $0.members(of: result)) }
  }

  /// - Returns: whether it is a replay.
  private mutating func members(of result: GateResult) -> Bool {
    switch result {
    case .crossing(let result, let thresholds):
      let isReplay = members(of: result)
      optional("crossed", thresholds, List<Whole>.self)
      return isReplay
    case .funds(let result, let funds):
      let isReplay = members(of: result)
      self.funds(funds)
      return isReplay
    case .plan(let inner, let inForce):
      let isReplay = members(of: inner)
      if case .transactionRefund(let bought, let refund, _) = inner {
        mark("ended", inForce.isEnded(by: refund, of: bought))
      }
      paidPlan(inForce.plan, until: inForce.until)
      return isReplay
    case .authorization(let authorization, let balance, let isReplay):
      authorized(authorization, balance: balance)
      return isReplay
    case .voided(let authorization, let isReplay):
      voided(authorization)
      return isReplay
    case .receipt(let charge, let isReplay):
      charged(charge, isRefunded: false)
      return isReplay
    case .refundedReceipt(let charge, _):
      charged(charge, isRefunded: true)
      return true
    case .topUp(let topUp, let isReplay):
      topUpMembers(topUp)
      return isReplay
    case .skipped(let account, let key, let balance):
      skipped(account, key: key, balance: balance)
      return false
    case .transactionRefund(let transaction, let refund, let isReplay):
      refunded(transaction, refund)
      return isReplay
    case .chargeRefund(let authorization, let key, let refund, let isReplay):
      refunded(authorization, key: key, refund)
      return isReplay
    case .transfer(let transfer, let isReplay):
      transferred(transfer)
      return isReplay
    case .account(let view): accountMembers(view)
    case .notification(let notification): unchanged(by: notification)
    case .subscriptionEnd(let topUp): topUpMembers(topUp, isEnd: true)
    case .event(let event, let reason, let isRecorded):
      unchanged(by: event, reason: reason, isRecorded: isRecorded)
    case .payments(let event, let results):
      self.event(event)
      array("results", if: true) { for result in results { $0.result(result) } }
    }
    return false
  }

  /// Writes the subject of a verified event.
  public mutating func verified(_ request: PaymentRequest) {
    let change = request.changes.first { $0.product != nil } ?? request.changes.first
    element { $0.verified(request.event, change) }
  }
}

extension ResultVisitor where Self: ~Copyable {
  fileprivate mutating func authorized(_ known: CreditAuthorization, balance: Credits) {
    authorizationPart(known)
    member("balance", balance, Whole.self)
  }

  fileprivate mutating func voided(_ known: CreditAuthorization) {
    authorizationPart(known)
    member("voided", true, Truth.self)
  }

  /// Visits the credits that others may still pay for the account.
  fileprivate mutating func funds(_ known: ChainFunds?) {
    optional("available", known?.available, Whole.self)
    optional("payer", known?.payer, AccountName.self)
  }

  fileprivate mutating func charged(_ known: Charge, isRefunded: Bool) {
    receiptMembers(known)
    mark("refunded", isRefunded)
  }

  fileprivate mutating func skipped(_ account: Name, key: Name?, balance: Credits) {
    member("account", account, AccountName.self)
    member("skipped", true, Truth.self)
    member("balance", balance, Whole.self)
    optional("key", key, ID.self)
  }

  fileprivate mutating func refunded(_ transaction: Transaction, _ refund: Refund) {
    transactionPart(transaction)
    refundResult(refund)
    optional("refundedPrice", refund.priceText(in: transaction.currency), Dollars.self)
  }

  fileprivate mutating func refunded(
    _ authorization: CreditAuthorization, key: Name?, _ refund: Refund
  ) {
    authorizationPart(authorization)
    refundResult(refund)
    refundedTo(refund, of: authorization.account)
    optional("key", key, ID.self)
  }

  fileprivate mutating func transferred(_ known: Transfer) {
    transferPart(known)
    member("fromBalance", known.fromBalance, Whole.self)
    member("toBalance", known.toBalance, Whole.self)
  }

  fileprivate mutating func unchanged(by notification: AppStoreNotification?) {
    part("notification", notification) { visitor, known in
      visitor.member("type", known?.type, Text.self)
      visitor.member("id", known?.id, ID.self)
    }
    member("changed", false, Truth.self)
  }

  fileprivate mutating func unchanged(by event: PaymentEvent?, reason: String?, isRecorded: Bool?) {
    self.event(event)
    member("changed", false, Truth.self)
    optional("reason", reason, Text.self)
    mark("recorded", isRecorded)
  }

  fileprivate mutating func verified(_ event: PaymentEvent?, _ change: PaymentChange?) {
    self.event(event)
    optional("account", change?.account, AccountName.self)
    optional("product", change?.product, PolicyName.self)
    optional("transaction", change?.transaction, ID.self)
    member("verified", true, Truth.self)
  }
}

// The names for `--get`, and the output of `credit schema`.
extension JSONShape {
  private static func answer(_ visit: (inout ShapeRecorder) -> Void) -> JSONShape {
    ShapeRecorder.shape {
      visit(&$0)
      $0.optional("crossed", nil, List<Whole>.self)
      $0.mark("replayed", nil)
    }
  }

  /// An authorization that was given, or that has been voided.
  public static var authorizations: [JSONShape] {
    [
      answer {
        $0.authorized(.sample, balance: 0)
        $0.funds(nil)
      },
      answer { $0.voided(.sample) },
    ]
  }

  public static var charge: JSONShape { answer { $0.charged(.sample, isRefunded: false) } }

  /// The shapes of a top-up's answer; signed transactions and notifications can also be refunds.
  public static var topUps: [JSONShape] {
    [
      answer {
        $0.topUpMembers(.sample)
        $0.paidPlan(nil, until: nil)
      },
      answer { $0.topUpMembers(.sample, isEnd: true) },
      ShapeRecorder.shape { $0.skipped(.nobody, key: nil, balance: 0) },
      ShapeRecorder.shape { $0.unchanged(by: nil) },
      ShapeRecorder.shape { $0.unchanged(by: nil, reason: nil, isRecorded: nil) },
      ShapeRecorder.shape {
        $0.event(nil)
        $0.add(.list("results", of: .any))
      },
      ShapeRecorder.shape { $0.verified(nil, nil) },
    ] + refunds
  }

  public static var refunds: [JSONShape] {
    [
      answer {
        $0.refunded(.sample, .sample)
        $0.mark("ended", nil)
        $0.paidPlan(nil, until: nil)
      },
      answer { $0.refunded(.sample, key: nil, .sample) },
    ]
  }

  public static var transferResult: JSONShape { answer { $0.transferred(.sample) } }

  public static var account: JSONShape { answer { $0.accountMembers(AccountView(.unread)) } }
}
