internal import CreditModel
internal import CreditStore

/// Commands that undo a request, and how they differ from that, after "to undo this".
typealias Undo = (commands: String, how: String)

extension GateResult {
  /// The commands that undo a result, if there are some and the result is new.
  /// - Parameter books: nil if the state before it is not needed.
  func undoing(by books: @autoclosure () -> OpenBooks? = nil) -> Undo? {
    switch bare {
    case .topUp(let topUp, isReplay: _):
      guard let sale = newTopUp else { return nil }
      let undo = sale.paid == nil ? nil : try? books()?.undoing(planOf: sale)
      let newest = sale.isPlainBonus ? try? books()?.ledger.newest(of: .account(sale.account)) : nil
      let how =
        newest?.record.account.buckets.undated.purchased ?? 0 > 0
        ? ", from purchased credits first" : topUp.taken.isEmpty ? "" : ", as purchased credits"
      // A refund takes all that was paid, also before it was paid further.
      return undo ?? (sale.paid?.extendedAt == nil ? (sale.undo, how) : nil)
    case .receipt(let charge, isReplay: false):
      if charge.amendment == nil {
        let hold = charge.receipt.authorization.hold == nil ? [] : ["its hold"]
        let left = hold + (charge.receipt.details?.costUSD == nil ? [] : ["the provider's cost"])
        let how = left.isEmpty ? "" : ", but for \(left.joined(separator: " and "))"
        return ("credit-refund \(charge.reference)", how)
      }
      let former = try? books()?.former(of: charge)?.work.flags
      return former.map { (shellCommand("credit-charge \(charge.reference)", $0) + " --amend", "") }
    case .authorization(let made, balance: _, isReplay: false):
      return ("credit-authorize \(shellFlag("void", made.id.text))", "")
    case .transactionRefund(let sale, let refund, isReplay: false):
      return sale.again(after: refund, under: try? books()?.policy())
    case .chargeRefund(let made, let key, let refund, isReplay: false):
      if let again = try? books()?.again(made, refund, under: (key ?? made.id).again) {
        return again
      }
      // Without a part that went back to accounts above.
      guard refund.refundedTo.isEmpty, refund.credits > 0 else { return nil }
      let name = Name(trusted: "\((key ?? made.id).text):\(refund.number)")
      return (adjustment(of: made.account, name, -Int128(refund.credits)), ", but for its usage")
    case .transfer(let made, isReplay: false): return (made.undo, "")
    case .account(let view)
    where view.account.registeredAt == view.updatedAt && !view.account.isClosed:
      return (closing(view.account.name), "")
    case .plan(let result, _): return result.undoing(by: books())
    default: return nil
    }
  }
}

private func closing(_ account: Name) -> String {
  "credit-account \(shellFlag("account", account.text)) --closed true"
}

extension OpenBooks {
  /// Charges work again whose charge was given back; nil if a part was.
  fileprivate func again(_ made: CreditAuthorization, _ refund: Refund, under key: Name)
    throws(CreditError) -> Undo?
  {
    let entry = try ledger.newest(of: .authorization(made.id)).flatMap(AuthorizationEntry.init)
    guard case .refunded(let charge, _) = entry?.state, let flags = charge.work.flags,
      refund.number == 1, refund.forfeited == 0, refund.requested == charge.receipt.creditsCharged
    else { return nil }
    let details = charge.receipt.details
    let again = shellCommand(
      "credit-charge",
      [("account", made.account.text), ("key", key.text)] + flags
        + [("used-at", (details?.usedAt ?? charge.chargedAt).text)] + (details?.tags?.flags ?? []))
    let cost = details?.costUSD == nil ? "" : " and with the provider's cost once more"
    return (again + " --arrears", ", at present prices\(cost)")
  }

  fileprivate func former(of charge: Charge) throws(CreditError) -> Charge? {
    let made = charge.receipt.authorization
    guard let last = try ledger.newest(of: .authorization(made.id)) else { return nil }
    return try ledger.search(made.account, before: last.position) { stored in
      guard case .charged(let former)? = (try? AuthorizationEntry(stored))?.state,
        former.receipt.authorization.id == made.id,
        former.amendment?.number ?? 0 < charge.amendment?.number ?? 0
      else { return nil }
      return former
    }
  }

  /// Undoes a payment for a plan; nil if its refund alone does. The plan before is set again first,
  /// as its use stays then.
  fileprivate func undoing(planOf sale: Transaction) throws(CreditError) -> Undo? {
    let name = sale.account
    guard let now = try ledger.newest(of: .account(name))?.record.account,
      now.subscriptions.active?.transaction == sale.id, let before = try account(before: sale),
      case let old = before.subscriptions.active, old != nil || sale.paid?.extendedAt == nil
    else { return nil }
    var (commands, how) = (sale.undo, "")
    var last = AccountRequest(account: name)
    let batch = Batch(under: try policy())
    if let old, let paid = try ledger.newest(of: .transaction(old.transaction)),
      let first = try TransactionEntry(paid)?.topUp.transaction, let product = first.productID,
      let gift = first.gift(until: old.until)
    {
      // The part paid before stays paid.
      if old.transaction == sale.id, sale.price != nil { commands += " --price 0" }
      if old.until <= now.updatedAt { return (commands, ", but for the days of grace before it") }
      commands = "\(gift); \(commands)"
      let again = TopUpRequest(
        account: name, reference: .key(sale.id.again), grant: .product(product, quantity: 1),
        terms: StatedTerms(expiry: .at(old.until)))
      batch.add(.topUp(again))
    } else if let plan = before.plan {
      let flags = [("account", name.text), ("plan", plan.text)]
      commands += "; " + shellCommand("credit-account", flags)
      last.plan = .set(plan)
    }
    batch.add(.refund(RefundRequest(reference: .transaction(sale.id))))
    batch.add(.account(last))
    let ledger = ledger
    try DryRunGate({ ledger }, systemTime: { now.updatedAt }, makeID: { _ in name }).perform(batch)
    guard case .account(let view) = try batch.answers[batch.requests.count - 1].get().bare else {
      return nil
    }
    let more = Int128(view.account.balance) - Int128(before.balance)
    if more != 0 {
      commands += "; " + adjustment(of: name, Name(trusted: sale.id.text + ":back"), -more)
      how = ", with an adjustment for the quota"
    }
    return (commands, how)
  }

  /// Returns an account as it was before a payment for its plan; nil if that is not known.
  func account(before sale: Transaction) throws(CreditError) -> Account? {
    let (end, time) = (try ledger.bookmark().position, sale.paid?.extendedAt ?? sale.timestamp)
    return try ledger.search(sale.account, before: end) { stored -> Account? in
      let account = stored.record.account
      // The end of the last quota is a part of the payment.
      if case .expiry(.quota, _, _) = stored.record.event, account.updatedAt == time { return nil }
      return account.subscriptions[sale.id]?.until == sale.paid?.until ? nil : account
    }
  }
}

func shellCommand(_ name: String, _ flags: [(String, String?)]) -> String {
  flags.reduce(name) { text, flag in flag.1.map { "\(text) \(shellFlag(flag.0, $0))" } ?? text }
}

extension ChargedWork {
  /// The flags of the model and usage; nil if flags do not say them.
  fileprivate var flags: [(String, String?)]? {
    reportedUSD == nil ? usage.map { [("model", model.text)] + $0.flags } : nil
  }
}

extension Usage {
  var flags: [(String, String?)] {
    switch self {
    case .units(let units): return [("units", "\(units)")]
    case .tokens(let tokens):
      let counts = UsageCount.allCases.filter { tokens[$0] > 0 || $0.rawValue < 2 }
      return counts.map { ($0.row.flag, "\(tokens[$0])") }
        + UsageCondition.allCases.map { ($0.flag, tokens[$0]) }
    }
  }
}

extension Tags {
  fileprivate var flags: [(String, String?)] {
    var flags: [(String, String?)] = []
    forEachTag { flags.append(("tag", "\($0)=\($1)")) }
    return flags
  }
}

extension Transaction {
  /// Records a refunded sale again, as the same product if the policy has it.
  fileprivate func again(after refund: Refund, under policy: Policy?) -> Undo? {
    // The use of a plan would not come back.
    if paid != nil || refund.credits <= 0 { return nil }
    let lasts = expiresAt.map { $0 > refund.timestamp } ?? true
    let product = try? productID.flatMap { try policy?.prices.product($0) }
    let given = product.map { Int128($0.credits) * Int128(quantity) }
    let isSame =
      lasts && refund.number == 1 && refund.credits == credits && given == Int128(credits)
    let name = (key ?? id).derived("", refund.number > 1 ? ":again:\(refund.number)" : ":again")
    let paidBack = currency.flatMap { refund.price?.text(atLeast: Currency.minorDigits(of: $0)) }
    let flags: [(String, String?)] = [
      ("account", account.text), (key == nil ? "transaction" : "key", name.text),
      ("product", isSame ? productID?.text : nil),
      ("quantity", isSame && quantity > 1 ? "\(quantity)" : nil),
      ("credits", isSame ? nil : "\(refund.credits)"),
      ("type", kind == .purchase ? nil : kind.rawValue),
      ("price", paidBack), ("currency", paidBack == nil ? nil : currency),
      ("starts-at", terms?.startsAt.flatMap { $0 > refund.timestamp ? $0.text : nil }),
      ("expires-at", lasts ? expiresAt?.text : nil),
      ("priority", terms.map { "\($0.priority)" }),
      ("models", terms?.models?.names.map(\.text).joined(separator: ",")),
    ]
    let bonuses = isSame ? ", with the current bonuses" : ", but for its bonuses"
    return (
      shellCommand("credit-topup", flags + (tags?.flags ?? [])),
      product?.bonuses.isEmpty ?? true ? "" : bonuses
    )
  }
}

extension Command {
  /// Names the commands that undo a result, if a remark has asked whether it is meant.
  /// - Parameters:
  ///   - result: nil for several, of which an account that is probably wrong is closed.
  ///   - store: nil if the state before it is not needed.
  ///   - made: the accounts that are new: others are not closed.
  func offerUndo(
    of result: GateResult?, in store: (any Store)? = nil, about origin: RequestOrigin? = nil,
    made: [Name]
  ) {
    if !errors.isAsking { return }
    errors.isAsking = false
    if case .account(let view)? = result?.bare, !made.contains(view.account.name) { return }
    lazy var books = store.flatMap { try? OpenBooks(of: $0) }
    let wrong = errors.wrongAccount.map(closing)
    guard !settings.arguments[.dryRun],
      var undo = result == nil ? wrong.map({ ($0, "") }) : result?.undoing(by: books)
    else { return }
    if let wrong, wrong != undo.commands { undo.commands += "; " + wrong }
    let authorization = result?.newCharge?.receipt.authorization ?? result?.started
    let isNew = (result?.newTopUp?.account ?? authorization?.account).map(made.contains) ?? false
    if isNew || wrong != nil, let starter = try? books?.policy().starterCredits {
      let credits = starter > 0 ? ["its starter credits"] : []
      let kept = (wrong == nil ? ["the new account"] : []) + credits
      if !kept.isEmpty { undo.how += ", but for \(kept.joined(separator: " and "))" }
    }
    errors.remark((origin?.label ?? "") + "to undo this\(undo.how): \(undo.commands)")
  }
}
