extension Ledger {
  /// Grants payments, takes refunds and disputes back, and restores reversed ones.
  ///
  /// An event moves the books to the result of all events so far: so each may come any number of
  /// times, and in any order.
  func payment(_ request: PaymentRequest) throws(CreditError) -> GateResult {
    if try isOfRemoved(request) { return .event(request.event, reason: PaymentRequest.removed) }
    let source = policy.payments.first { $0.format == request.event.format }
    var request = request
    try completePending(&request)
    for (place, change) in request.changes.enumerated() {
      request.changes[place].account = try account(of: change, in: request.event)
    }
    if source?.requiresKnownProducts != true, try isOfOthers(request, source) {
      return .event(request.event, reason: PaymentRequest.notOurs)
    }
    try request.checkAccount()
    try check(request, source)
    try prorate(&request)
    var results: [GateResult] = []
    for change in request.changes {
      results += try saying(change, of: request) { () throws(CreditError) in
        try apply(change, request)
      }
    }
    if results.count == 1 { return results[0] }
    return results.isEmpty
      ? .event(request.event, reason: request.reason) : .payments(request.event, results)
  }

  private func apply(_ change: PaymentChange, _ request: PaymentRequest) throws(CreditError)
    -> [GateResult]
  {
    let entry = try sale(of: change)
    try entry?.check(change.account, as: change.transaction)
    if !change.isUnused { try entry?.checkPaidFor(as: change.transaction) }
    var news = try known(of: change, entry) ?? PaymentNews(request.event)
    let payer = news.account
    if change.isPurchase { news.account = nil }
    let isNew = try news.add(change, of: request.event, paidIn: entry?.topUp.transaction.currency)
    switch change.effect {
    case .purchase(var status, let reason):
      if try wasGrantedOtherwise(change, request) {
        return [.event(request.event, reason: "same_payment")]
      }
      // Its payment has come before it.
      if status == .pending, entry == nil, news.parts.contains(change.transaction),
        payer ?? change.account == change.account
      {
        status = .completed
        news.paid = change.paid ?? news.paid
      }
      if status == .completed { try applyAhead(&news, of: change, request) }
      let results = try buy(change, status, reason, request, entry, news)
      if status != .completed { return results }
      _ = try claim(news, of: id(of: change, entry), request)
      try keep(id(of: change, entry), of: change.transaction, request)
      try link(change, request)
      return results + (try takeAhead(of: id(of: change, entry), request))
    case .ended: return [try end(change, request)]
    case .unused: return try takeUnused(change, request, entry)
    case .parts([change.transaction]):
      if isNew { try recordAhead(news, of: change.transaction, request) }
      return [.event(request.event, reason: request.reason, isRecorded: true)]
    case .parts: return try addParts(of: change, isNew ? news : nil, request, entry)
    case .refund, .refunded, .dispute:
      if let paidIn = entry?.topUp.transaction.currency, let other = change.currency,
        other != paidIn
      {
        throw .invalidRequest(
          "the refund is in \(other), and the purchase was paid in \(paidIn); nothing was changed")
      }
      if let entry, entry.isGranted {
        let results = try convergeAll(entry, to: news, request)
        if !results.isEmpty { return results }
        let isByHand = isNew && entry.isTakenByHand
        let isBack = isByHand && change.isMoneyBack
        let reason = isBack ? PaymentRequest.takenByHand : request.reason ?? "known"
        let isRecorded = isByHand && !entry.isEndedByHand
        return [.event(request.event, reason: reason, isRecorded: isRecorded)]
      }
      let results = isNew ? try learn(news, of: change.transaction, request) : []
      if !results.isEmpty { return results }
      if try isGranted(anyOf: parts(of: news)) { return [request.unchanged] }
      return [.event(request.event, reason: "no_purchase", isRecorded: true)]
    }
  }

  func known(of change: PaymentChange, _ entry: TransactionEntry?) throws(CreditError)
    -> PaymentNews?
  {
    if let news = entry?.topUp.payment { return news }
    var known: PaymentNews?
    for id in [change.transaction] + [change.alias].compactMap(\.self) + change.wholePayments {
      guard var news = try newsAhead(of: id) else { continue }
      if id != change.transaction { news = news.ofParts }
      if known == nil { known = news } else { known?.add(news) }
    }
    return known
  }

  /// Returns recorded news of a payment without a grant under its own id.
  func newsAhead(of id: Name) throws(CreditError) -> PaymentNews? {
    if let entry = try books.transaction(id), !entry.isGranted, let news = entry.topUp.payment {
      return news
    }
    guard case .payment(_, let news) = try books.newest(of: .payment(id))?.record.event else {
      return nil
    }
    return news
  }

  // MARK: Purchases

  private func buy(
    _ change: PaymentChange, _ status: Transaction.Status, _ reason: String?,
    _ request: PaymentRequest, _ entry: TransactionEntry?, _ news: PaymentNews
  ) throws(CreditError) -> [GateResult] {
    let isOld = status != .completed && entry?.isLater(than: request.event, status) ?? false
    if change.isCut || isOld { return [request.unchanged] }
    var news = news
    if request.event.at > news.event.at { news.event = request.event }
    let result = try topUp(try purchaseRequest(change, status, reason, request, entry, news))
    guard status == .completed, let bought = try books.transaction(id(of: change, entry)) else {
      return [result]
    }
    let lines = PaymentLines(of: change, in: request)
    return try convergeAll(bought, to: news, request, among: lines, else: result)
  }

  private func id(of change: PaymentChange, _ entry: TransactionEntry?) -> Name {
    entry?.topUp.transaction.id ?? change.transaction
  }

  private func purchaseRequest(
    _ change: PaymentChange, _ status: Transaction.Status, _ reason: String?,
    _ request: PaymentRequest, _ entry: TransactionEntry?, _ news: PaymentNews
  ) throws(CreditError) -> TopUpRequest {
    guard let account = change.account ?? entry?.topUp.transaction.account else {
      throw Self.noAccount(request)
    }
    guard let product = change.product ?? entry?.topUp.transaction.productID else {
      throw Self.noProduct(request)
    }
    if change.isExtension, change.price == nil, entry?.isGranted != true {
      throw .invalidRequest("the purchase that it extends is unknown, and so is its price")
    }
    // A plan is paid for with one seat or several.
    let hasPlan = try policy.prices.product(product)?.plan != nil
    let topUp = TopUpRequest(
      account: account, reference: .transaction(id(of: change, entry)),
      grant: .product(product, quantity: hasPlan ? 1 : change.quantity), time: request.time)
    topUp.status = status
    topUp.reason = reason
    topUp.tags = request.tags
    topUp.price = change.price
    topUp.currency = change.price == nil ? nil : change.currency
    topUp.isPaid = true
    topUp.payment = news
    topUp.originalTransactionID =
      hasPlan ? change.subscription : try originalID(change.alias, entry)
    topUp.period = change.period
    topUp.prorated = change.credits
    return topUp
  }

  // MARK: Ends of subscriptions

  /// Ends the subscription of the event, unless it was renewed since. If no transaction of it is
  /// known yet, later ones find it ended.
  func end(_ change: PaymentChange, _ request: PaymentRequest) throws(CreditError)
    -> GateResult
  {
    let event = request.event
    let offer = try change.product.flatMap(policy.prices.product)
    guard let account = change.account else { return try endAhead(change, offer, request) }
    let paid = try books.account(account)?.subscriptions.paid ?? []
    let until = change.period?.until ?? paid.reduce(event.at) { max($0, $1.until) }
    // Its price may have changed since the last payment: then its id decides.
    let own = paid.filter { $0.id != nil && $0.id == change.subscription }
    // A payment by hand has no id.
    let isByHand = paid.contains { $0.id == nil && $0.product == offer?.id }
    let isOfItsPayments =
      (own.isEmpty || own.contains { $0.product == offer?.id })
      && (isByHand || !change.endsAllProducts)
    var end = SubscriptionEnd(
      product: isOfItsPayments ? offer?.id : nil, id: change.subscription, until: until,
      at: event.at)
    let isPaid = paid.contains { end.ends($0) || change.endsAtOnce && $0.id == end.id }
    // Its price may be in no catalog: then a later payment is found by its id.
    guard offer.map({ $0.plan != nil }) ?? (isPaid || change.subscription != nil) else {
      return .event(event, reason: "no_subscription")
    }
    var open = try open(account, at: request.time)
    let known = open.account.subscriptions
    if change.endsAtOnce { end = try endingAtOnce(end, on: &open) }
    let (isNews, ended) = try self.end(end, since: known, on: &open)
    func note(_ topUp: inout TopUp) {
      topUp.payment = topUp.payment ?? PaymentNews(event)
      topUp.payment?.event = event
    }
    guard let entry = ended else {
      if isNews {
        // No record of the event itself follows, which would contain the crossed thresholds.
        if let last = open.preceding.indices.last {
          open.preceding[last].crossed = open.crossed(under: policy)
        }
        try recordPreceding(&open)
      }
      try recordEnds(in: account, at: request.time, note)
      // Later payments find it ended.
      let isAhead = !isPaid && open.account.subscriptions.ends.contains(end)
      return isAhead ? .event(event, reason: nil, isRecorded: true) : request.unchanged
    }
    var topUp = entry.topUp
    note(&topUp)
    topUp.transaction.end(on: open.account)
    let result = TopUp(
      transaction: topUp.transaction, creditsAdded: 0, newBalance: open.account.balance)
    try record(.topUpNews(topUp, entry.refund), on: &open, original: entry.position)
    try recordEnds(in: account, at: request.time, note)
    return .subscriptionEnd(result)
  }

  /// Returns the end of all payments by earlier events. Those of later events begin after it.
  private func endingAtOnce(_ end: SubscriptionEnd, on open: inout OpenAccount)
    throws(CreditError) -> SubscriptionEnd
  {
    for var payment in open.account.subscriptions.paid
    where payment.isPaid && payment.id == end.id {
      let said = try books.transaction(payment.transaction)?.topUp.payment?.event.at ?? .earliest
      let isLater = said > end.at || said == end.at && payment.until > end.until
      if isLater == (payment.since >= end.at) || payment.state != .paid { continue }
      // A renewal may be paid before it begins. A separate record moves its start for the end.
      let before = Timestamp(milliseconds: end.at.milliseconds - 1)
      payment.since = isLater ? end.at : before
      try take(open.account.subscriptions(with: payment), on: &open)
    }
    var whole = end
    whole.until = SubscriptionEnd.whole
    return whole
  }

  // MARK: Refunds and disputes

  /// Takes back or restores credits until the purchase matches its news.
  /// - Parameter lines: all lines of the payment; nil if the purchase is the whole payment.
  /// - Returns: nil if nothing is moved.
  func converge(
    _ entry: TransactionEntry, to news: PaymentNews, _ request: PaymentRequest,
    among lines: PaymentLines? = nil
  ) throws(CreditError) -> GateResult? {
    if entry.isEndedByHand { return nil }
    var news = news
    let current = entry.lastRefund?.requested ?? 0
    let isGranted = entry.isGranted
    let seen = news.estimated(for: entry.topUp)
    var target = isGranted ? seen.credits(of: entry.topUp.refundable) : 0
    // Those of unused time have been taken back, each by a part of its own.
    var unused: Credits = 0
    for part in news.parts {
      guard let part = try books.transaction(part), part.isUnusedTime else { continue }
      unused = unused.subtractingSaturating(part.topUp.transaction.credits)
    }
    target -= min(target, unused)
    let (part, whole) = seen.moneyShare(in: entry.topUp.transaction.currency)
    let due =
      lines?.refund(of: part, in: whole, to: entry.topUp.transaction.id)
      ?? PurchasePrice(entry.topUp)?.share(of: part, in: whole)
    // Credits taken back by hand are not given back by an event. If all of its money was paid back
    // for them, it reports the same refund.
    let known = entry.topUp.payment?.taken ?? 0
    let isSame =
      !news.disputes.contains(where: \.isTaken)
      && due.map { !$0.isZero && $0 <= entry.lastRefund?.priceTotal ?? .zero } ?? false
    let byHand = current - known
    if byHand != 0 { target = isSame ? current : max(target, byHand + min(known, target)) }
    news.taken = known + (target - current)
    let move = entry.move(under: seen)
    if target == current && move == nil || !isGranted {
      if news != entry.topUp.payment { try note(news, of: entry, request) }
      return nil
    }
    var entry = entry
    let undone = entry.lastRefund
    let isRestored = target < current || move == .restore
    if isRestored {
      guard let refund = entry.refund else { return nil }
      var topUp = entry.topUp
      topUp.payment = news
      topUp.payment?.taken = 0
      let isWhole = target == 0 && part == 0
      let result = try restore(
        topUp, refund, of: entry, isWhole: isWhole, reason: request.event.type, at: request.time)
      if isWhole { return result }
      guard let restored = try books.transaction(entry.topUp.transaction.id) else { return result }
      entry = restored
    }
    let price: PaidBack =
      isRestored && byHand > 0 ? .usual : due.map(PaidBack.inAll) ?? .part(part, of: whole)
    return try takeBack(
      target, of: entry, price: price,
      reason: isRestored ? Refund.remainder : request.event.type, payment: news, unused: unused,
      undone: isRestored ? undone : nil, at: request.time)
  }

  /// Records news that moves no credits.
  func note(_ news: PaymentNews, of entry: TransactionEntry, _ request: PaymentRequest)
    throws(CreditError)
  {
    var topUp = entry.topUp
    topUp.payment = news
    var open = try open(topUp.transaction.account, at: request.time)
    try record(.topUpNews(topUp, entry.refund), on: &open, original: entry.position)
  }
}

// Payments that have granted nothing under their own ids: the purchase is still to come, or in
// parts.
extension Ledger {
  /// Records news that came before its purchase, and passes it to the payment's parts.
  /// - Returns: the resulting moves.
  func learn(_ news: PaymentNews, of id: Name, _ request: PaymentRequest)
    throws(CreditError) -> [GateResult]
  {
    try recordAhead(news, of: id, request)
    var results: [GateResult] = []
    let parts = try parts(of: news)
    var bought: [TopUp] = []
    for part in parts { bought += try books.transaction(part).map { [$0.topUp] } ?? [] }
    let lines = PaymentLines(bought.map { ($0.transaction.id, PurchasePrice($0)) })
    for part in parts {
      if let entry = try books.transaction(part) {
        var known = entry.topUp.payment ?? PaymentNews(request.event)
        var news = news.ofParts
        news.settle(in: entry.topUp.transaction.currency)
        guard entry.isPaidFor, known.learn(news) else { continue }
        results += try convergeAll(entry, to: known, request, among: lines)
      } else {
        var known = try newsAhead(of: part) ?? PaymentNews(request.event)
        if known.learn(news.ofParts) { try recordAhead(known, of: part, request) }
      }
    }
    return results
  }

  /// Records a purchase under a payment's own id. Parts already granted are revoked; later ones see
  /// the payment as settled.
  /// - Returns: the resulting moves.
  func claim(_ news: PaymentNews, of id: Name, _ request: PaymentRequest)
    throws(CreditError) -> [GateResult]
  {
    var results: [GateResult] = []
    for part in try parts(of: news) where part != id {
      if let entry = try books.transaction(part), entry.isGranted {
        var known = entry.topUp.payment ?? PaymentNews(request.event)
        let taken = PaymentDispute(id: id, isTaken: true, at: request.event.at)
        let change = PaymentChange(transaction: part, .dispute(taken))
        guard entry.isPaidFor, try known.add(change, of: request.event) else { continue }
        if let result = try converge(entry, to: known, request) { results.append(result) }
      } else if news.parts.contains(part) {
        var known = try newsAhead(of: part) ?? PaymentNews(request.event)
        let change = PaymentChange(transaction: part, .parts([id]))
        if try known.add(change, of: request.event) { try recordAhead(known, of: part, request) }
      }
    }
    return results
  }

  func recordAhead(_ news: PaymentNews, of id: Name, _ request: PaymentRequest)
    throws(CreditError)
  {
    if let entry = try books.transaction(id) { return try note(news, of: entry, request) }
    try checkClock(request.time)
    let account = Account(name: .nobody, registeredAt: time(of: request.time))
    try books.append(LedgerRecord(event: .payment(id, news), account: account))
  }
}
