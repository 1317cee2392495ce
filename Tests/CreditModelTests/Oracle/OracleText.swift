import CreditModel

// The real ledger and the slow one say what they have in the same words, to be compared.

extension OracleAccount {
  /// Balance, holds, buckets in burn order, plan and quota.
  var text: String {
    var sums: [Bucket] = []
    func add(_ kind: Bucket.Kind, _ credits: Int128, _ until: Timestamp?) {
      if let index = sums.firstIndex(where: { $0.kind == kind && $0.expiresAt == until }) {
        sums[index].credits += Credits(credits)
      } else {
        sums.append(Bucket(kind: kind, credits: Credits(credits), expiresAt: until))
      }
    }
    for lot in lots { add(lot.kind, lot.credits, lot.until) }
    if let plan, plan.remaining > 0 { add(.quota, plan.remaining, plan.resetsAt) }
    if debt > 0 { add(.purchased, -debt, nil) }
    sums.sort { left, right in
      let leftUntil = left.expiresAt?.milliseconds ?? .max
      let rightUntil = right.expiresAt?.milliseconds ?? .max
      let kinds = Bucket.Kind.allCases
      return leftUntil == rightUntil
        ? (kinds.firstIndex(of: left.kind) ?? 0) < (kinds.firstIndex(of: right.kind) ?? 0)
        : leftUntil < rightUntil
    }
    var quota = ""
    if let plan {
      quota =
        " plan \(plan.plan.text) \(plan.period) \(plan.used)/\(plan.limit)"
        + " left \(plan.remaining) until \(plan.resetsAt.text)"
    }
    return Self.text(
      balance: "\(balance)", held: "\(held)",
      available: "\(max(available, Int128(Int64.min)))", sums, quota, isExempt, isClosed)
  }

  fileprivate static func text(
    balance: String, held: String, available: String, _ buckets: [Bucket], _ quota: String,
    _ isExempt: Bool, _ isClosed: Bool
  ) -> String {
    let list = buckets.map { bucket in
      "\(bucket.kind) \(bucket.credits)" + (bucket.expiresAt.map { " until \($0.text)" } ?? "")
    }
    return "balance \(balance) held \(held) available \(available) \(list)" + quota
      + (isExempt ? " exempt" : "") + (isClosed ? " closed" : "")
  }
}

extension Account {
  /// The same of a real account.
  var text: String {
    let quotaText = quota.map { quota in
      " plan \(quota.plan.text) \(quota.period) \(quota.used)/\(quota.limit)"
        + " left \(quota.remaining) until \(quota.resetsAt.text)"
    }
    return OracleAccount.text(
      balance: "\(balance)", held: "\(held)", available: "\(available)", bucketsInBurnOrder,
      quotaText ?? "", isExempt, isClosed)
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
    case .receipt(let charge, _), .refundedReceipt(let charge):
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
    return "\(transaction.id.text) of \(transaction.account.text) \(transaction.kind) "
      + "\(transaction.status) \(grant) = \(transaction.credits) at \(transaction.timestamp.text)"
      + (transaction.expiresAt.map { " until \($0.text)" } ?? "")
      + " added \(topUp.creditsAdded) balance \(topUp.newBalance)"
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
