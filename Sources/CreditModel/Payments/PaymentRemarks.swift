// Sentences for the operator on a payment that is taken all the same.
extension PaymentRequest {
  /// Leaves out an invoice's lines of unknown products, if the policy allows that and another line
  /// is known.
  /// - Returns: a sentence on each line left out, and each odd amount.
  public mutating func settle(under policy: Policy) throws(CreditError) -> [String] {
    var remarks: [String] = []
    let event = event
    func add(_ change: PaymentChange, _ remark: String) {
      remarks.append(PaymentChange.subject(event.id, change) + remark)
    }
    let source = policy.payments.first { $0.format == event.format }
    if source?.skipsUnknownLines == true {
      var unknown: [PaymentChange] = []
      var others: [PaymentChange] = []
      for change in changes {
        let isLine = change.isPurchase && change.isLine
        let product = try change.product.flatMap(policy.prices.product)
        if isLine, product == nil { unknown.append(change) } else { others.append(change) }
      }
      if others.contains(where: \.isPurchase) {
        changes = others
        for change in unknown {
          add(change, "no product \(quoted(change.product?.text ?? "")); the line is passed over")
        }
      }
    }
    let isChange = changes.contains { $0.isUnused || $0.isProrated }
    var noted: Set<String> = []
    for change in changes where change.isPurchase {
      if reason == "no_product", !change.isCompleted {
        add(
          change,
          "only a part of its amount was captured, which completes no sale; if its session left "
            + "a pending one, \(change.topUpCommand) completes that")
      }
      guard let product = try change.product.flatMap(policy.prices.product) else { continue }
      if let problem = problem(withPriceOf: change, product) { add(change, problem) }
      let isFree = change.price.flatMap { ExactDecimal(text: $0) }?.isZero ?? false
      if isFree, !isChange, !change.isExtension, isTrial(change) {
        add(
          change,
          "product \(quoted(product.id.text)) was sold for 0, as in a trial; "
            + "credit-refund \(shellFlag("transaction", change.transaction.text)) undoes it")
      }
      if change.quantity > 1, let plan = product.plan {
        add(
          change,
          "its quantity is \(change.quantity), and the plan \(quoted(plan.text)) is set once; "
            + "members spend from this account by credit-account --parent")
      }
      guard change.price != nil, let currency = change.currency,
        let problem = product.problem(ofSaleIn: currency), noted.insert(problem).inserted
      else { continue }
      add(change, problem)
    }
    return remarks
  }

  /// Returns a sentence on the first of its results, if that is odd.
  public func remark(on result: GateResult, under policy: Policy) -> String? {
    switch result {
    case .payments(_, let results): results.first.flatMap { remark(on: $0, under: policy) }
    case .plan(let result, _): remark(on: result, under: policy)
    case .topUp(let topUp, isReplay: false): remark(onPaymentOf: topUp, under: policy)
    case .event(_, Self.noAccount, let isKept): remarkOnEnd(under: policy, isKept: isKept)
    case .event(_, Self.takenByHand, _):
      changes.first.map { change in
        PaymentChange.subject(event.id, change) + "the money has come back, but the purchase was "
          + "refunded by hand: a top-up of its account with --key "
          + "\(shellWord(Name.back(of: change.transaction).text)), the product or the credits that "
          + "were taken and their --price sells them again"
      }
    default: nil
    }
  }

  /// Says that an end of one of our products finds no account.
  /// - Parameter isKept: whether its later payments find it.
  private func remarkOnEnd(under policy: Policy, isKept: Bool) -> String? {
    guard let end = changes.first(where: { $0.isEnd && $0.account == nil }),
      end.product.map({ (try? policy.prices.product($0)) != nil }) ?? true
    else { return nil }
    return "event \(plainOrQuoted(event.id.text)) ends no plan of subscription "
      + "\(quoted(end.transaction.text)): \(Ledger.noAccount(self).message); "
      + (isKept ? "the end is kept for a payment that comes later; " : "")
      + "credit-account --account NAME --plan none ends it by hand"
  }

  /// True if a price of 0 is the whole price, without a discount.
  private func isTrial(_ change: PaymentChange) -> Bool {
    change.listAmount?.isZero ?? (event.format != .stripe)
  }

  /// Returns a sentence on a purchase that was paid with less than the price, such as with a coupon
  /// or by a capture of a part.
  private func remark(onPaymentOf topUp: TopUp, under policy: Policy) -> String? {
    let bought = topUp.transaction
    guard policy.payments.first(where: { $0.format == event.format })?.excludesTax == false,
      bought.status == .completed, !changes.contains(where: { $0.isUnused || $0.isProrated }),
      let change = changes.first(where: { $0.transaction == bought.id && $0.isPurchase }),
      let paid = bought.price.flatMap({ ExactDecimal(text: $0) }), !paid.isZero || !isTrial(change),
      let product = try? bought.productID.flatMap(policy.prices.product),
      let currency = bought.currency, product.currency == currency,
      let due = product.price?.times(bought.quantity), paid < due,
      change.listAmount ?? due == due
    else { return nil }
    let digits = Currency.minorDigits(of: currency)
    return PaymentChange.subject(event.id, change)
      + "\(paid.text(atLeast: digits)) \(currency) was paid, and the price is "
      + "\(due.text(atLeast: digits)) \(currency): "
      + (bought.paid == nil
        ? "\(topUp.creditsAdded) credits were added" : "the whole period counts as paid")
  }

  /// Says that an amount is not the product's price; nil if it is, or in another currency.
  private func problem(withPriceOf change: PaymentChange, _ product: Product) -> String? {
    guard let currency = change.currency, product.currency == currency, !change.isProrated,
      product.plan == nil, let single = product.price, !single.isZero,
      let due = single.times(change.quantity),
      let paid = change.price.flatMap({ ExactDecimal(text: $0) }),
      // A session may lack the amount; other amounts may have taxes.
      case let isOver = paid > due && event.type.hasPrefix("checkout."),
      let asked = change.listAmount ?? (isOver ? paid : nil), !asked.isZero, asked != due
    else { return nil }
    let digits = Currency.minorDigits(of: currency)
    let amount = "\(asked.text(atLeast: digits)) \(currency)"
    let price = "\(single.text(atLeast: digits)) \(currency)"
    guard let count = asked.divided(by: single)?.whole, count > change.quantity else {
      return "product \(quoted(product.id.text)) costs \(price), and \(amount) was asked for "
        + "\(change.quantity) of it"
    }
    return "\(amount) is \(count) times the price of product \(quoted(product.id.text)), and the "
      + "event's quantity is \(change.quantity): only that is granted; a session gives it in "
      + "metadata.quantity, or at \"quantityFrom\" of the policy's events; the rest is "
      + "granted by credit-topup \(shellFlag("account", change.account?.text ?? "NAME")) "
      + "\(shellFlag("key", Name.rest(of: change.transaction).text)) "
      + "\(shellFlag("product", product.id.text)) --quantity \(count - change.quantity) --price 0 "
      + "--currency \(currency)"
  }
}

extension Ledger {
  /// - Parameter other: another cause of the refusal.
  static func noAccount(_ request: PaymentRequest, and other: CreditError? = nil) -> CreditError {
    var message = "the event does not say which account it is for: there is nothing at "
    message += request.accountPaths.joined(separator: ", ")
    let others = request.otherAccountPaths.prefix(6).map(plainOrQuoted)
    if request.event.format == .stripe,
      let subscription = request.changes.lazy.compactMap(\.subscription).first
    {
      message += ", and no session of Checkout has named it for \(quoted(subscription.text)) yet"
      // An end is not repeated. Another path may lead to another account than the session's.
      if request.changes.contains(where: \.isPurchase) {
        message += "; Stripe repeats the invoice until one has, or until it has the account there"
      }
    } else if others.isEmpty {
      message += "; the code that makes the payment has to put the account there"
    } else {
      message += #"; the event has \#(others.joined(separator: ", ")): name the account's path in "#
      message += #""accountFrom" of the policy's events"#
    }
    guard let other else { return CreditError(.invalidRequest, message) }
    return CreditError(other.code, "\(message); and \(other.message)", other.details)
  }
}

extension Product {
  /// Says that a sale is in another currency than the product's price; nil if it is not.
  public func problem(ofSaleIn other: String) -> String? {
    guard let currency, let price, currency != other else { return nil }
    let text = price.text(atLeast: Currency.minorDigits(of: currency))
    return "product \(quoted(id.text)) costs \(text) \(currency), but this sale is in \(other)"
  }
}

extension Transaction {
  /// Says that a refund pays the whole price back for some of the credits; nil if it does not.
  public func remark(onWholeIn refund: Refund) -> String? {
    guard let back = refund.priceTotal, let price = price.flatMap({ ExactDecimal(text: $0) }),
      back >= price, !price.isZero, !refund.isVoid, refund.requested < credits
    else { return nil }
    return "the whole price is paid back for \(refund.requested) of \(credits) credits: is that "
      + "meant?"
  }

  /// The command that gives the plan of a subscription again, for nothing.
  public func gift(until end: Timestamp) -> String? {
    guard let productID else { return nil }
    return "credit-topup \(shellFlag("account", account.text)) "
      + "\(shellFlag("key", Name.back(of: id).text)) \(shellFlag("product", productID.text))"
      + (currency.map { " --price 0 --currency \($0)" } ?? "") + " --expires-at \(end.text)"
  }

  /// Says that a refund of a part has ended the plan, or that another's is lost; nil if neither is.
  public func remark(onPartIn refund: Refund, leaving plan: PlanInForce) -> String? {
    guard plan.isEnded(by: refund, of: self) else { return nil }
    guard let back = refund.priceTotal, let price = price.flatMap({ ExactDecimal(text: $0) }),
      back < price
    else { return plan.remark }
    return "transaction \(quoted(id.text)) of \(quoted(account.text)): a part of the price is paid "
      + "back, and the plan has ended; a payment with \(shellFlag("key", Name.back(of: id).text)), "
      + "--price 0 and --expires-at sets it again, with a whole quota; a payment before the "
      + "refund would have kept the plan and its use"
      + (plan.remark.map { "; \($0)" } ?? "")
  }
}

extension Charge {
  /// Says that another account pays for its correction than for the charge, which was elsewhere.
  public var remarkOnPayers: String? {
    guard let amendment else { return nil }
    let (paidBy, own) = (receipt.paidBy, receipt.authorization.account)
    let above = amendment.shares.last { $0.credits < 0 }?.account
    guard let new = above ?? (amendment.credits < 0 ? own : nil),
      new == own || paidBy.last?.account == new
    else { return nil }
    let way = new == own ? nil : paidBy.last?.way
    let before = paidBy.last { $0.way != way && ($0.credits > 0 || $0.waived > 0) }
    let returned = amendment.returned?.shares.last { share in
      share.credits > 0 && !paidBy.contains { $0.account == share.account }
    }
    let payer = before?.account ?? returned?.account
    let wasWaived = amendment.returned?.previousPrice.waived ?? 0 > 0
    guard payer.map({ $0 != new }) ?? wasWaived else { return nil }
    let past =
      before.map { "has \($0.credits > 0 ? "paid" : "waived") what was charged before" }
      ?? "gets back what it paid"
    return "the correction is paid by \(quoted(new.text)), "
      + (new == own ? "the account itself; " : "which is above the account now; ")
      + (payer.map { "\(quoted($0.text)) \(past)" } ?? "what was charged before was waived")
  }
}

extension PlanInForce {
  /// Says that a further quota begins shortly before the end that a payment has set.
  public func remark(onTurnAfter paid: Transaction) -> String? {
    guard let lastTurn, let until else { return nil }
    return
      "account \(quoted(paid.account.text)): a further quota begins at \(lastTurn.text), without "
      + "a renewal, as that is before the paid end of \(until.text): --expires-at \(lastTurn.text) "
      + "would have ended the plan before it"
  }

  /// Says that a payment sets no plan, and how to mend that; nil if all set theirs.
  public var remark: String? {
    guard let lost, let paid = lost.paid, let gift = lost.gift(until: paid.until) else {
      return nil
    }
    let (id, account) = (lost.id.text, lost.account.text)
    let price = lost.price.flatMap { price in lost.currency.map { "\(price) \($0), " } } ?? ""
    let subject =
      "transaction \(quoted(id)) of \(quoted(account)) is paid (plan \(quoted(paid.plan.text)), "
      + "\(price)until \(paid.until.text)) and sets no plan now: "
    if paid.until <= lost.timestamp { return subject + "that time is over; refund it?" }
    return subject + "refund it, or give the plan by \(gift)"
  }
}
