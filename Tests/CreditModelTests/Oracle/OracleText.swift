import CreditModel

// The real ledger and the slow one in the same words, for comparison.

extension OracleAccount {
  /// Balance, holds, buckets in burn order, plan and quota.
  var text: String {
    var sums: [Lot] = []
    func add(_ lot: Lot) {
      let same = sums.firstIndex {
        $0.kind == lot.kind && $0.until == lot.until && $0.grant?.id == lot.grant?.id
      }
      if let same { sums[same].credits += lot.credits } else { sums.append(lot) }
    }
    lots.forEach(add)
    if let plan, plan.remaining > 0 {
      add(Lot(kind: .quota, credits: plan.remaining, until: plan.resetsAt))
    }
    if debt > 0 { add(Lot(kind: .purchased, credits: -debt)) }
    sums.sort { $0.order.lexicographicallyPrecedes($1.order) }
    let buckets = sums.map { lot in
      Self.text(
        lot.kind, Credits(lot.credits), lot.until, lot.grant?.id, lot.grant?.priority,
        lot.grant?.models)
    }
    let later = scheduled.sorted { $0.start < $1.start }.map {
      " later \($0.lot.grant?.id.text ?? "") \($0.lot.credits) from \($0.start.text)"
    }
    var quota = ""
    if let plan {
      quota =
        " plan \(plan.plan.text) \(plan.period) \(plan.used)/\(plan.limit)"
        + (plan.lasts == nil ? "" : " carried \(plan.carried)")
        + " left \(plan.remaining) until \(plan.resetsAt.text)"
    }
    quota += planName.map { " on \($0.text)" } ?? ""
    if let active { quota += " paid \(active.product.text) until \(active.until.text)" }
    let usable = [self.available, available(for: Name(trusted: "unit"))].map {
      max($0, Int128(Int64.min))
    }
    return Self.text(
      balance: "\(balance)", held: "\(held)", available: "\(usable)", buckets,
      quota + later.sorted().joined(), isExempt, isClosed)
  }

  fileprivate static func text(
    _ kind: Bucket.Kind, _ credits: Credits, _ until: Timestamp?, _ grant: Name?,
    _ priority: Int64?, _ models: [String]?
  ) -> String {
    "\(kind) \(credits)" + (until.map { " until \($0.text)" } ?? "")
      + (grant.map { " of \($0.text) \(priority ?? -1)" } ?? "")
      + (models.map { " for \($0)" } ?? "")
  }

  fileprivate static func text(
    balance: String, held: String, available: String, _ list: [String], _ quota: String,
    _ isExempt: Bool, _ isClosed: Bool
  ) -> String {
    "balance \(balance) held \(held) available \(available) \(list)" + quota
      + (isExempt ? " exempt" : "") + (isClosed ? " closed" : "")
  }
}

extension OracleAccount.PlanState {
  /// The rests of the parts carried over, by age, the oldest first.
  fileprivate var carried: [String] {
    left.filter { $0.age > 0 && $0.credits > 0 }.map { "\($0.credits) of age \($0.age)" }
  }
}

extension Account {
  /// The same of a real account's quota.
  private func carried(by quota: Quota) -> String {
    guard let rollover else { return "" }
    let parts = rollover.left(of: quota).enumerated().filter { $0.offset > 0 && $0.element > 0 }
    return " carried \(parts.reversed().map { "\($0.element) of age \($0.offset)" })"
  }

  /// The same of a real account.
  var text: String {
    var quotaText =
      quota.map { quota in
        " plan \(quota.plan.text) \(quota.period) \(quota.used)/\(quota.limit)"
          + carried(by: quota) + " left \(quota.remaining) until \(quota.resetsAt.text)"
      } ?? ""
    quotaText += plan.map { " on \($0.text)" } ?? ""
    if let active = subscriptions.active {
      quotaText += " paid \(active.product.text) until \(active.until.text)"
    }
    let buckets = bucketsInBurnOrder.map { bucket in
      OracleAccount.text(
        bucket.kind, bucket.credits, bucket.expiresAt, bucket.grant?.id, bucket.grant?.priority,
        bucket.grant?.models?.names.map(\.text))
    }
    let later = scheduled.map {
      " later \($0.bucket.grant?.id.text ?? "") \($0.bucket.credits) from \($0.startsAt.text)"
    }
    let usable = [self.available, available(for: Name(trusted: "unit"))]
    return OracleAccount.text(
      balance: "\(balance)", held: "\(held)", available: "\(usable)", buckets,
      quotaText + later.sorted().joined(), isExempt, isClosed)
  }
}

extension GateResult {
  /// The answer in the words of `LedgerOracle`.
  var text: String {
    let again = isReplay ? " again" : ""
    switch self {
    case .authorization(let authorization, let balance, _):
      return "authorized \(Self.text(authorization)) balance \(balance)" + again
    case .voided(let authorization, _):
      return "voided \(Self.text(authorization))" + again
    case .receipt(let charge, _), .refundedReceipt(let charge, _):
      let receipt = charge.receipt
      let isRefunded = if case .refundedReceipt = self { true } else { false }
      return "charged \(Self.text(receipt.authorization)) \(receipt.model.text) "
        + "\(receipt.creditsCharged) balance \(receipt.newBalance) at \(receipt.timestamp.text)"
        + (receipt.details?.usedAt.map { " used \($0.text)" } ?? "")
        + LedgerOracle.text(LedgerOracle.list(receipt.details?.tags))
        + (receipt.creditsWaived.map { " waived \($0)" } ?? "")
        + (charge.amendment.map { " amended \($0.number) from \($0.previousCredits)" } ?? "")
        + (isRefunded ? " refunded" : "") + again
    case .topUp(let topUp, _):
      return "topped up \(Self.text(topUp))" + again
    case .skipped(let account, _, let balance):
      return "skipped \(account.text) balance \(balance)"
    case .transactionRefund(let transaction, let refund, _):
      let price = refund.price.map { OraclePrice.thousandths($0.text) } ?? -1
      return "refunded transaction \(transaction.id.text) \(refund.credits) for \(price) balance "
        + "\(refund.newBalance) at \(refund.timestamp.text)" + again
    case .chargeRefund(let authorization, _, let refund, _):
      return "refunded charge \(authorization.id.text) \(refund.credits) forfeited "
        + "\(refund.forfeited) balance \(refund.newBalance) at \(refund.timestamp.text)" + again
    case .crossing(let result, let thresholds):
      return result.text + " crossed \(thresholds)"
    case .plan(let result, _):
      return result.text
    case .transfer(let transfer, _):
      return "transferred \(transfer.id.text) \(transfer.credits) from \(transfer.from.text) "
        + "\(transfer.fromBalance) to \(transfer.to.text) \(transfer.toBalance) at "
        + transfer.timestamp.text + again
    case .account(let view):
      return "account \(view.account.text)"
    default:
      return "not compared here"
    }
  }

  private static func text(_ authorization: CreditAuthorization) -> String {
    "\(authorization.id.text) of \(authorization.account.text) at \(authorization.timestamp.text)"
      + (authorization.hold.map { " hold \($0.credits) until \($0.expiresAt.text)" } ?? "")
  }

  private static func text(_ topUp: TopUp) -> String {
    let transaction = topUp.transaction
    let grant: TopUpRequest.Grant =
      if let product = transaction.productID {
        .product(product, quantity: transaction.quantity)
      } else {
        .credits(transaction.credits)
      }
    let hasStarted = transaction.terms?.startsAt != nil && topUp.creditsAdded > 0
    return "\(transaction.id.text) of \(transaction.account.text) \(transaction.kind) "
      + "\(transaction.status) \(grant) = \(transaction.credits) at \(transaction.timestamp.text)"
      + (transaction.terms?.startsAt.map { " from \($0.text)" } ?? "")
      + (topUp.bonuses.isEmpty ? "" : " with \(topUp.bonuses.map(\.id.text))")
      + (transaction.expiresAt.map { " until \($0.text)" } ?? "")
      + (transaction.paid.map { " paid \($0.plan.text) until \($0.until.text)" } ?? "")
      + " added \(topUp.creditsAdded)"
      + (hasStarted ? "" : " balance \(topUp.newBalance)")
  }
}

extension CreditError {
  /// A refusal in the same words.
  var text: String {
    var text = "refused \(code.rawValue)"
    for case .retryAfter(let seconds) in details { text += " for \(seconds) s" }
    return text
  }
}
