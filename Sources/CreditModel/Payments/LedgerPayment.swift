extension Ledger {
  /// Grants payments, takes refunds and disputes back, and restores reversed ones.
  ///
  /// An event moves the books to the result of all events so far: so each may come any number of
  /// times, and in any order.
  func payment(_ request: PaymentRequest) throws(CreditError) -> GateResult {
    let source = policy.payments.first { $0.format == request.event.format }
    if try isOfRemoved(request) { return .event(request.event, reason: PaymentRequest.removed) }
    var request = request
    for (place, change) in request.changes.enumerated() {
      request.changes[place].account = try account(of: change, in: request.event)
    }
    request.sales = try sales(of: request)
    if request.sales.values.contains(where: \.isRemoved) {
      return .event(request.event, reason: PaymentRequest.removed)
    }
    completePending(&request)
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
    var rest = request.changes.filter { !$0.ids.isEmpty }
    while let change = rest.first {
      let moves = try saying(change, of: request) { () throws(CreditError) in
        try settle(&rest, request)
      }
      // Another event has granted their sale.
      if !moves.isEmpty { results.removeAll { $0.moved == nil } }
      for move in moves {
        let place = results.firstIndex { $0.moved != nil && $0.moved == move.moved }
        if let place { results[place] = move } else { results.append(move) }
      }
    }
    if results.count == 1 { return results[0] }
    return results.isEmpty
      ? .event(request.event, reason: request.reason) : .payments(request.event, results)
  }

  /// Applies a change, but for the news of its sale.
  private func apply(_ change: PaymentChange, _ request: PaymentRequest) throws(CreditError)
    -> [GateResult]
  {
    let own = try books.transaction(change.transaction)
    try own?.check(change.account, as: change.transaction)
    if !change.isUnused { try own?.checkPaidFor(as: change.transaction) }
    switch change.effect {
    case .purchase(let status, let reason): return try buy(change, status, reason, request)
    case .owner: try setOwner(change, request)
    case .ended: return [try end(change, request)]
    case .unused: return try takeUnused(change, request)
    case .linked: break
    case .refund, .refunded, .dispute:
      guard let paidIn = request.sale(of: change).currency, let other = change.currency,
        other != paidIn
      else { break }
      throw .invalidRequest(
        "the refund is in \(other), and the purchase was paid in \(paidIn); nothing was changed")
    }
    return []
  }

  /// Applies the news of the first sale to all that is granted of it, keeps them for what is still
  /// to come, and records the ids that are named together.
  /// - Parameter changes: those that are not settled yet.
  private func settle(_ changes: inout [PaymentChange], _ request: PaymentRequest)
    throws(CreditError) -> [GateResult]
  {
    let first = changes[0]
    let known = request.sale(of: first)
    let own = changes.filter { $0.ids.contains(where: known.names) }
    changes.removeAll { $0.ids.contains(where: known.names) }
    var named = first.ids
    for id in own.flatMap(\.ids) where !named.contains(id) { named.append(id) }
    let sale = try sale(of: named, for: first.account)
    var news = sale.news ?? PaymentNews(request.event)
    var isNew = first.isPaidAhead && !sale.isPaid
    for change in own {
      if change.isPurchase {
        news.paid = news.paid ?? change.paid
      } else if try news.add(change, of: request.event, paidIn: sale.currency) {
        isNew = true
      }
    }
    if first.isPaidAhead { news.account = first.account }
    let results = try settle(sale, to: news, request)
    try record(named, of: sale, isNew && sale.granted.isEmpty ? news : nil, request)
    if !results.isEmpty || first.isPurchase || first.isLink && !first.isPaidAhead { return results }
    if sale.granted.isEmpty {
      let reason = first.isLink ? request.reason : "no_purchase"
      return [.event(request.event, reason: reason, isRecorded: true)]
    }
    let isByHand = isNew && sale.granted.contains(where: \.isTakenByHand)
    let reason =
      isByHand && first.isMoneyBack ? PaymentRequest.takenByHand : request.reason ?? "known"
    let isRecorded = isByHand && !sale.granted.contains(where: \.isEndedByHand)
    return [.event(request.event, reason: reason, isRecorded: isRecorded)]
  }

  /// Brings all that was granted of a sale to its news, and revokes a second grant.
  /// - Returns: the resulting moves.
  func settle(_ sale: Sale, to news: PaymentNews, _ request: PaymentRequest)
    throws(CreditError) -> [GateResult]
  {
    let kept = sale.kept
    let lines = PaymentLines(kept.map { ($0.topUp.transaction.id, PurchasePrice($0.topUp)) })
    var results: [GateResult] = []
    for entry in sale.granted where !sale.isRevoked(entry) {
      let bought = entry.topUp.transaction
      var all = news
      let isKept = kept.contains { $0 === entry }
      if !isKept {
        let id = kept[0].topUp.transaction.id
        all = PaymentNews(request.event)
        all.disputes = [PaymentDispute(id: id, isTaken: true, at: request.event.at)]
      }
      all.parts = sale.others(than: bought.id)
      all.settle(in: bought.currency)
      var own = entry.topUp.payment ?? PaymentNews(news.event)
      _ = own.learn(all)
      results +=
        isKept
        ? try convergeAll(entry, to: own, request, among: lines)
        : try [converge(entry, to: own, request)].compactMap { $0 }
    }
    return results
  }

  /// Records the ids that are named together, so that each leads to all others.
  /// - Parameters:
  ///   - named: the one that leads to all others is the first.
  ///   - news: all news of a sale that is still to come; nil for none that is new.
  func record(_ named: [Name], of sale: Sale, _ news: PaymentNews?, _ request: PaymentRequest)
    throws(CreditError)
  {
    // A transaction that stays granted keeps all ids itself. Its key is found by them.
    let granted = sale.granted.filter { !sale.isRevoked($0) }.map(\.topUp.transaction.id)
    let unlinked = granted.filter { id in !sale.links.contains { $0 != id && $1.contains(id) } }
    for id in named where !granted.contains(id) {
      let isFirst = id == named[0]
      // A line is found by its own id once it is granted.
      if !isFirst, id.isLine(of: named[0]) { continue }
      let links = Set(isFirst ? named.dropFirst() + unlinked : [named[0]])
      var added = PaymentNews(request.event)
      if isFirst, let news { added = news }
      if !isFirst || news == nil, links.isSubset(of: sale.links[id] ?? []) { continue }
      added.parts = links.sorted()
      var known = try self.news(of: id)
      if known?.learn(added) != false { try record(known ?? added, of: id, request) }
    }
  }

  /// Records news of a payment, or of a subscription, that has no account yet.
  func record(_ news: PaymentNews, of id: Name, _ request: PaymentRequest) throws(CreditError) {
    try checkClock(request.time)
    let account = Account(name: .nobody, registeredAt: time(of: request.time))
    try books.append(LedgerRecord(event: .payment(id, news), account: account))
  }

  // MARK: Purchases

  private func buy(
    _ change: PaymentChange, _ status: Transaction.Status, _ reason: String?,
    _ request: PaymentRequest
  ) throws(CreditError) -> [GateResult] {
    let sale = request.sale(of: change)
    let entry = sale.entry(of: change)
    if sale.granted.isEmpty, status != .failed { try sale.checkIDs(for: change.account) }
    if sale.isGranted(otherwiseThan: change) {
      return [.event(request.event, reason: "same_payment")]
    }
    let isOld = status != .completed && entry?.isLater(than: request.event, status) ?? false
    if change.isCut || isOld { return [request.unchanged] }
    let id = entry?.topUp.transaction.id ?? change.transaction
    let before = entry?.topUp.payment
    var news = before ?? PaymentNews(request.event)
    var all = sale.news ?? PaymentNews(request.event)
    all.parts = sale.others(than: id)
    _ = news.learn(all)
    _ = try news.add(change, of: request.event, paidIn: entry?.topUp.transaction.currency)
    let isLater = before.map { $0.event.at > request.event.at } ?? false
    news.event = isLater ? before?.event ?? request.event : request.event
    var status = status
    // Its payment has come before it.
    if status == .pending, entry == nil, sale.isPaid,
      sale.payer ?? change.account == change.account
    {
      status = .completed
      news.paid = change.paid ?? news.paid
    }
    if status == .completed { try applyAhead(&news, of: change, as: id, request) }
    let result = try topUp(try purchaseRequest(change, status, reason, request, entry, news))
    if status != .completed { return [result] }
    try link(change, as: id, request)
    return [result] + (try takeAhead(of: id, request))
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
      account: account, reference: .transaction(entry?.topUp.transaction.id ?? change.transaction),
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
    // A person may have entered the subscription itself, with the credits of that time.
    if entry == nil, let id = change.subscription, let period = change.period,
      let given = try subscription(id, to: product, of: account, for: period, request.event)?.topUp,
      given.transaction.status == .completed
    {
      topUp.prorated = 0
      if PurchasePrice(given)?.amount.isZero == false, let currency = topUp.currency {
        topUp.price = ExactDecimal.zero.text(atLeast: Currency.minorDigits(of: currency))
      }
    }
    return topUp
  }

  // MARK: Ends of subscriptions

  /// Ends the subscription of the event, unless it was renewed since. If no transaction of it is
  /// known yet, later ones find it ended.
  func end(_ change: PaymentChange, _ request: PaymentRequest) throws(CreditError) -> GateResult {
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
    for part in news.parts where try !isRemoved(part) {
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
    // The money that a person has paid back is known if this undoes the one refund since.
    let isLast = undone.map { $0.before &+ $0.forfeitedBefore == target } ?? false
    let earlier = isLast ? undone?.priceBefore : nil
    let price: PaidBack =
      isRestored && byHand > 0
      ? earlier.map(PaidBack.inAll) ?? .usual : due.map(PaidBack.inAll) ?? .part(part, of: whole)
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
