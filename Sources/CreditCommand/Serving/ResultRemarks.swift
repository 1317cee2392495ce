internal import CreditModel

// Sentences for people on results, beside what these say themselves.
extension GateResult {
  /// The result without the thresholds and funds that may come with it.
  var bare: GateResult {
    switch self {
    case .crossing(let result, _), .funds(let result, _): result.bare
    default: self
    }
  }

  /// The charge, if it is its first result.
  var newCharge: Charge? {
    guard case .receipt(let charge, isReplay: false) = bare, charge.amendment == nil else {
      return nil
    }
    return charge
  }

  /// The authorization, if it is its first result.
  var started: CreditAuthorization? {
    guard case .authorization(let authorization, _, isReplay: false) = bare else { return nil }
    return authorization
  }

  /// The transaction of a top-up that has added credits now, by its own id or key.
  var newTopUp: Transaction? {
    guard case .topUp(let topUp, isReplay: false) = bare, topUp.payment == nil, topUp.news == nil,
      topUp.transaction.status == .completed
    else { return nil }
    return topUp.transaction
  }

  /// A sentence on an event without effect, on an odd price, or on a plan's end; nil if the result
  /// is enough. Of several results it is that of the first.
  var remark: String? {
    switch self {
    case .crossing(let result, _), .funds(let result, _): return result.remark
    case .payments(_, let results): return results.lazy.compactMap(\.remark).first
    case .plan(let result, let inForce):
      if let remark = result.remark ?? result.newTopUp.flatMap(inForce.remark(onTurnAfter:)) {
        return remark
      }
      guard case .transactionRefund(let bought, let refund, _) = result else {
        return inForce.remark
      }
      return bought.remark(onPartIn: refund, leaving: inForce)
    case .transactionRefund(let transaction, let refund, _):
      guard let currency = transaction.currency, Currency.isCode(currency) else { return nil }
      if let other = refund.disputedIn {
        return "transaction \(quoted(transaction.id.text)): the dispute of its payment is in "
          + "\(other), and it was paid in \(currency); the whole price counts as paid back"
      }
      if let stated = refund.stated {
        let text = stated.text(atLeast: Currency.minorDigits(of: currency))
        return "transaction \(quoted(transaction.id.text)): the refunds of its payment are "
          + "\(text) \(currency), more than was paid; no more than the price counts as paid back"
      }
      if refund.unused > 0 {
        return "transaction \(quoted(transaction.id.text)): the change of plans has taken "
          + "\(refund.unused) of its \(transaction.credits) credits back before, which are not "
          + "taken again"
      }
      return Currency.remark(on: refund.price, in: currency)
        ?? transaction.remark(onWholeIn: refund).map { remark in
          undoing().map { "\(remark) to undo this\($0.how): \($0.commands)" } ?? remark
        }
    case .topUp(let topUp, isReplay: false)
    where topUp.transaction.credits < 0 && topUp.payment != nil:
      return remark(onUnusedTimeOf: topUp)
    case .topUp(let topUp, isReplay: false)
    where topUp.transaction.status == .pending && topUp.payment?.event.format == .stripe:
      return "transaction \(quoted(topUp.transaction.id.text)): the session was unpaid; "
        + "payment_intent.succeeded or checkout.session.async_payment_succeeded completes it"
    case .event(let event, _, _) where event.type == "invoice.payment_succeeded":
      return "event \(plainOrQuoted(event.id.text)) grants nothing: invoice.paid does, if this "
        + "endpoint gets it"
    case .event(let event, PaymentRequest.familyShared, _):
      return "event \(plainOrQuoted(event.id.text)) is of a purchase that was shared in a family, "
        + "not bought: nothing was granted"
    case .event(let event, PaymentRequest.notOurs, _):
      return "event \(plainOrQuoted(event.id.text)) is of another sale: it names no account and "
        + "no product of this store"
    case .event(let event, "known", isRecorded: true):
      return "event \(plainOrQuoted(event.id.text)) refunds a purchase that was refunded by hand: "
        + "if its credits were granted again under another id, refund that with credit-refund, too"
    case .event(let event, nil, isRecorded: true):
      return "event \(plainOrQuoted(event.id.text)) ends no plan: the account that it names has no "
        + "payment of the subscription in force; the end is kept for one that comes later"
    case .event(let event, PaymentRequest.removed, _):
      return "event \(plainOrQuoted(event.id.text)) is about an account that was removed: nothing "
        + "was changed"
    case .event(let event, PaymentRequest.notMoved, _):
      return "event \(plainOrQuoted(event.id.text)) moves nothing: credits and plans stay with the "
        + "account that has them"
    default: return nil
    }
  }

  private func remark(onUnusedTimeOf topUp: TopUp) -> String {
    let known = topUp.transaction
    let (id, account) = (known.id, known.account)
    let subject =
      "transaction \(quoted(id.text)) of \(quoted(account.text)): the plan was changed, and "
      + "\(-known.credits) credits of the unused time are taken back"
    if known.status == .pending {
      return subject + " when the event of its payment comes; if they were granted otherwise, "
        + "credit-topup \(shellFlag("account", account.text)) \(shellFlag("transaction", id.text)) "
        + "--type adjustment --credits \(known.credits) --reason "
        + "\(shellWord(known.reason ?? "")) takes them now"
    }
    if let paid = topUp.payment?.parts.first {
      return subject + "; a refund of \(quoted(paid.text)) takes no more than the rest"
    }
    return subject + "; if Stripe refunds an earlier payment for that, it takes them again: then "
      + "\(adjustment(of: account, id, -Int128(known.credits))) gives them back"
  }

  /// Says that a repeat names another price or reason or other tags than its first request, that a
  /// new sale has a currency alone, or that limits end before their time; nil otherwise.
  func remark(on number: Int, in batch: Batch, by service: GateService?) -> String? {
    // Most results are such.
    if case .receipt(let new, isReplay: false) = self, new.isPlain { return nil }
    switch (bare, batch.requests[number]) {
    case (.topUp(let topUp, isReplay: true), .topUp(let repeated)):
      let known = topUp.transaction
      if known.status == .refunded, batch.requests.count == 1 {
        let (id, kind) = known.key.map { ($0, "key") } ?? (known.id, "transaction")
        return "\(quoted(id.text)) has been refunded, so its repeat moves nothing; "
          + "a new sale needs a new \(kind): \(shellFlag(kind, id.again.text))"
      }
      return remark(onPriceOf: repeated, known)
        ?? remark(known.key ?? known.id, known.reason, repeated.reason, known.tags, repeated.tags)
    case (.topUp(let topUp, isReplay: false), .topUp(let request)):
      if let currency = request.currency, topUp.transaction.price == nil {
        return "currency \(currency) without a price: no price is recorded, nor the product's"
      }
      let product = topUp.transaction.productID.flatMap { try? batch.policy.product($0) }
      let missing = product?.bonuses.filter { $0.isMissing(from: topUp) } ?? []
      if missing.isEmpty { return nil }
      let ids = missing.map { quoted("\(topUp.transaction.id.text):\($0.id.text)") }
      return "bonuses not granted, because other transactions have their ids: "
        + "\(ids.joined(separator: ", ")); credit-topup --type bonus grants them under other ids"
    case (.skipped(account: _, key: _, let balance), .topUp(let request))
    where request.isListedAsClosed && balance < request.below ?? .max:
      return "the account is closed, so it is passed over"
    case (.refundedReceipt(let charge, let left), .charge(let repeated)):
      // Whole logs are run again, with their refunded charges: those are said once.
      return charge.remark(onRefundBefore: repeated, left, isLone: batch.requests.count == 1)
    case (.receipt(let charge, isReplay: let isReplay), .charge(let repeated)):
      let (id, details) = (charge.key ?? charge.receipt.authorization.id, charge.receipt.details)
      if let usedAt = repeated.usedAt, usedAt != details?.usedAt {
        let known = "recorded with usedAt \(details?.usedAt?.text ?? "none")"
        return "\(quoted(id.text)) was \(known), not \(usedAt.text), and keeps it"
      }
      return remark(id, nil, nil, details?.tags, repeated.tags)
        .map { $0 + (repeated.amends ? repeated.advice(onTagsUnder: batch.policy) : "") }
        ?? charge.remarkOnPayers
        ?? newCharge.flatMap { service?.remarkOnMove(before: $0.receipt) }
        ?? remarkOnForfeited
        ?? (isReplay && repeated.amends ? charge.remarkOnPrice(repeated, in: batch) : nil)
    case (.authorization(let first, balance: _, isReplay: true), .authorize(let repeated)):
      if let span = repeated.expiresIn, let end = first.hold?.expiresAt,
        end != HoldStep.expiry(after: span, from: first.timestamp)
      {
        return "\(quoted(first.id.text)) was recorded with expiresAt \(end.text), and keeps it"
      }
      return remark(first.id, nil, nil, first.tags, repeated.tags)
    case (.transactionRefund(let sale, let refund, isReplay: false), .refund(let asked)):
      return refund.remark(onTotal: asked.credits) ?? refund.remark(onPriceOf: sale, asked)
        ?? refund.remarkOnPurchased ?? refund.remark(onDebtOf: sale, asked)
    case (.plan(.transactionRefund(let sale, let refund, isReplay: false), let plan), .refund)
    where plan.isEnded(by: refund, of: sale):
      return service?.remark(onPlanBefore: sale)
    case (.chargeRefund(let first, let key, let refund, isReplay: false), .refund(let asked)):
      return refund.remarkOnForfeited(of: first, key) ?? refund.remark(onTotal: asked.credits)
    case (.transfer(let new, let isReplay), .transfer(let asked)):
      if isReplay { return remark(new.key, new.reason, asked.reason, nil, nil) }
      let owed = new.credits &- new.toBalance
      if owed <= 0 { return nil }
      return "\(quoted(new.to.text)) owed \(owed): \(min(owed, new.credits)) of the credits settle "
        + "that, and cannot be transferred back"
    case (.transactionRefund(let first, let refund, isReplay: true), .refund(let repeated)):
      return remark(first.id, refund.reason, repeated.reason, nil, nil)
    case (.account(let view), .account(let request)):
      return view.remark(onChangeBy: request, under: batch.policy)
    case (let result, .payment(let request)):
      return request.remark(on: result, under: batch.policy)
    default: return nil
    }
  }

  private func remark(
    _ id: Name, _ reason: String?, _ newReason: String?, _ tags: Tags?, _ newTags: Tags?
  ) -> String? {
    if let newReason, newReason != reason {
      let known = reason.map { "the reason \(quoted($0))" } ?? "no reason"
      return "\(quoted(id.text)) was recorded with \(known), not \(quoted(newReason)), and keeps it"
    }
    guard let newTags, tags?.contains(newTags) != true else { return nil }
    return "\(quoted(id.text)) was recorded with other tags, and keeps them"
  }

  private func remark(onPriceOf repeated: TopUpRequest, _ known: Transaction) -> String? {
    guard let price = repeated.price else { return nil }
    let currency = repeated.currency.map { " " + $0 } ?? ""
    let isSame = known.price.flatMap { ExactDecimal(text: $0) } == ExactDecimal(text: price)
    if isSame, repeated.currency ?? known.currency == known.currency { return nil }
    let recorded = known.price.map { "the price \($0) \(known.currency ?? "")" } ?? "no price"
    return "\(plainOrQuoted((known.key ?? known.id).text)) was recorded with \(recorded), not "
      + "\(price)\(currency), and nothing was done; another sale needs another "
      + (known.key == nil ? "transaction" : "key")
      + (known.paid == nil ? ", and if the first was wrong, \(known.undo) undoes it" : "")
  }

  /// Says that a correction did not give all credits back; nil if it did, and for other results.
  var remarkOnForfeited: String? {
    guard case .receipt(let charge, isReplay: false) = bare, let correction = charge.amendment,
      case let lost = correction.forfeitedInAll(by: charge), lost > 0
    else { return nil }
    let authorization = charge.receipt.authorization
    let id = (charge.key ?? authorization.id).text
    let name = Name(trusted: correction.number > 1 ? "\(id):\(correction.number)" : id)
    let gift = adjustment(of: authorization.account, name, Int128(lost))
    return sentence(onExpired: lost, givenBy: charge.receipt.paidBy.isEmpty ? [gift] : [])
  }
}

extension ChargeRequest {
  fileprivate func advice(onTagsUnder policy: Policy) -> String {
    let pricing = try? policy.model(model, at: .latest).pricing
    let way = pricing?.needsUsage == false ? "credit-refund it" : "correct its counts to 0"
    return "; to move it, \(way), and charge it under a new key with its --used-at"
  }
}

extension Charge {
  /// True if no correction changed it, and its own account has paid it of its credits, none of them
  /// held by others, or its work began now.
  var isPlain: Bool {
    if amendment != nil { return false }
    let isOwn = receipt.paidBy.isEmpty && receipt.newBalance >= 0
    return isOwn && receipt.authorization.hold?.heldBy.isEmpty ?? true
      || receipt.details?.usedAt == nil && receipt.authorization.timestamp == receipt.timestamp
  }

  func remark(onRefundBefore repeated: ChargeRequest, _ left: String?, isLone: Bool) -> String {
    let id = key ?? receipt.authorization.id
    let effect = repeated.amends ? "--amend corrects" : "its repeat moves"
    let name = isLone ? " \(quoted(id.text))" : ""
    if let left { return "the charge\(name) has been refunded\(left), and \(effect) nothing" }
    return "the charge\(name) has been refunded, so \(effect) nothing; the same work is "
      + "charged again under a new key" + (isLone ? ": \(shellFlag("key", id.again.text))" : "")
  }

  /// Says that a correction to the same work left its price, which would be another one now.
  func remarkOnPrice(_ request: ChargeRequest, in batch: Batch) -> String? {
    guard let now = price(of: request, under: batch.policy), !now.isFallback,
      case let credits = receipt.creditsCharged &+ (receipt.creditsWaived ?? 0),
      now.credits != credits || now.usd != receipt.usd ?? now.usd
    else { return nil }
    let prices = [(credits, receipt.usd), (now.credits, now.usd)].map { credits, usd in
      "\(credits) credits" + (usd.map { " ($\($0))" } ?? "")
    }
    let nothing = if case .counts(.units) = request.usage { "units" } else { "input-tokens" }
    let flags = [("model", request.model.text), (nothing, "0")]
    let advice =
      batch.requests.count == 1
      ? "to charge that: \(shellCommand("credit-charge \(reference)", flags)) --amend, and then "
        + "this again"
      : "to charge that, amend each usage to 0 first, and then run this again"
    return "the same usage keeps the charge's price of \(prices[0]), and would cost \(prices[1]) "
      + "now; \(advice)"
  }
}

extension Refund {
  var remarkOnPurchased: String? {
    if purchased <= 0 { return nil }
    return "\(purchased) of the credits taken back were purchased ones: a refund takes these "
      + "first, but for a bonus with --expires-at or --priority, which loses its own"
  }

  func remark(onTotal all: Credits?) -> String? {
    guard number > 1, let all else { return nil }
    let now = credits + forfeited
    return "credits \(all) is the total of all refunds: \(all - now) before, \(now) now"
  }

  /// Asks whether all credits were meant to be taken back for a part of the price.
  func remark(onPriceOf sale: Transaction, _ asked: RefundRequest) -> String? {
    guard asked.credits == nil, !asked.isUnused,
      let paid = asked.price?.coefficient(atScale: 4),
      let price = sale.price.flatMap({ ExactDecimal(text: $0) })?.coefficient(atScale: 4),
      let before = (priceBefore ?? .zero).coefficient(atScale: 4), case let due = price - before,
      paid < due, due <= Int64.max, case let all = Int128(credits) + Int128(forfeited),
      case let part = all * paid / due, part > 0
    else { return nil }
    let others = adjustment(of: sale.account, sale.id, all - part)
    let (word, rest) = number == 1 ? ("all", "") : ("the other", "'s rest")
    return "\(word) \(all) credits are taken back for a part of the price\(rest): is that meant? "
      + "--credits \(Int128(requested) - all + part) would have taken that part alone; "
      + "\(others) gives back the others"
  }

  func remarkOnForfeited(of charged: CreditAuthorization, _ key: Name?) -> String? {
    if forfeited <= 0 { return nil }
    let own = refundedTo.reduce(forfeited) { $0 - $1.forfeited }
    let parts = [(charged.account, own)] + refundedTo.map { ($0.account, $0.forfeited) }
    let gifts = parts.filter { $0.1 > 0 }.map {
      adjustment(of: $0.0, key ?? charged.id, Int128($0.1))
    }
    return sentence(onExpired: forfeited, givenBy: gifts)
  }

  /// Says that the credits of a sale were spent, so that its account owes them now.
  func remark(onDebtOf sale: Transaction, _ asked: RefundRequest) -> String? {
    if newBalance >= 0 || asked.isUnused { return nil }
    return "\(quoted(sale.account.text)) owes \(-newBalance) now; --unused takes only what is left"
  }
}

/// Says that credits of a charge did not go back, and the commands that give them, if known.
private func sentence(onExpired credits: Credits, givenBy gifts: [String]) -> String {
  "\(credits) of the charge's credits had expired and did not go back"
    + (gifts.isEmpty ? "" : ": \(gifts.joined(separator: "; ")) gives them")
}

extension AccountView {
  /// Says that limits have ended or are odd, or that an account spends its own credits first, keeps
  /// them or refuses its members while it is closed, or has no quota yet after it was opened.
  func remark(onChangeBy request: AccountRequest, under policy: Policy) -> String? {
    let (name, own) = (account.name.text, account.buckets.undated.purchased)
    var remarks = endedLimits.map { old in
      old.remark(onEndBy: account.limitsSet.first { $0.id == old.id })
    }
    remarks += request.limits.compactMap(remark)
    if case .set(let parent) = request.parent, own > 0 {
      remarks.append(
        "\(quoted(name)) has \(own) purchased credits of its own, and spends these before "
          + "\(quoted(parent.text)) pays")
    }
    if request.isClosed == true, account.balance > 0 {
      remarks.append("\(quoted(name)) keeps its balance of \(account.balance) while it is closed")
    }
    if request.isClosed == true, account.hasChildren {
      remarks.append(
        "accounts with the parent \(quoted(name)) are refused while it is closed; credit-balance "
          + "\(shellFlag("account", name)) --children --json | jq -c '{account, parent: \"TO\"}' | "
          + "credit-account gives them the parent TO")
    }
    if request.isClosed == false, let quota = account.quota, quota.limit == 0,
      let given = policy.plan(quota.plan)?.quota, given > 0
    {
      let until = quota.resetsAt.text
      remarks.append(
        "account \(quoted(name)) was closed when its quota's period began, so it has none "
          + "until \(until); credit-topup \(shellFlag("account", name)) --key "
          + "\(shellWord("quota:" + until)) --type bonus --credits \(given) --expires-at \(until) "
          + "gives as much")
    }
    return remarks.isEmpty ? nil : remarks.joined(separator: "; ")
  }
}

extension GateService {
  /// Says that a plan set by hand, which a refunded subscription had replaced, is not set again.
  func remark(onPlanBefore sale: Transaction) -> String? {
    waitUntilServed()
    guard let before = try? OpenBooks(of: store).account(before: sale),
      before.subscriptions.active == nil, let plan = before.plan
    else { return nil }
    return "the plan \(quoted(plan.text)), which it had replaced, is not set again: credit-account "
      + "\(shellFlag("account", sale.account.text)) \(shellFlag("plan", plan.text)) sets it"
  }
}
