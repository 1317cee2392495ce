extension PaymentRequest {
  /// Refuses an event for an account other than that of the command line.
  public func checkAccount() throws(CreditError) {
    guard let account else { return }
    for change in changes where change.account ?? account != account {
      let error = CreditError(
        .invalidRequest, "the event is for an account other than \(quoted(account.text))")
      throw error.about(event.id, change)
    }
  }
}

// Lines of an invoice for a part of a period, after a change of plans.
extension Ledger {
  /// Sets the credits of the lines: each has its share, less those of unused time. The rest of
  /// these is to be taken back.
  func prorate(_ request: inout PaymentRequest) throws(CreditError) {
    guard request.changes.contains(where: { $0.isUnused || $0.isProrated }) else { return }
    let periods = Set(request.changes.lazy.filter(\.isUnused).map(\.period))
    var unused: Int128 = 0
    for change in request.changes where change.isUnused {
      // Credits that were taken back already do not come off the other lines, too.
      if try books.transaction(change.transaction) == nil {
        unused += try share(of: change, in: request)
      }
    }
    for place in request.changes.indices where request.changes[place].isPurchase {
      let change = request.changes[place]
      // A repeat takes no more credits, though the catalog may have changed.
      let sale = request.sale(of: change)
      let isGranted = sale.entry(of: change)?.isGranted ?? false
      if isGranted || sale.isGranted(otherwiseThan: change) { unused = 0 }
      guard change.isProrated || change.period.map(periods.contains) ?? false else { continue }
      let credits = try share(of: change, in: request)
      request.changes[place].credits = Credits(max(0, credits - unused))
      unused = max(0, unused - credits)
    }
    for place in request.changes.indices where request.changes[place].isUnused {
      request.changes[place].credits = Credits(min(unused, Int128(Credits.largestGrant)))
      unused = 0
    }
  }

  /// Returns the share that a line has of its product's credits, by time, rounded down.
  private func share(of change: PaymentChange, in request: PaymentRequest)
    throws(CreditError) -> Int128
  {
    guard let id = change.product, let product = try policy.prices.product(id), product.credits > 0,
      let period = change.period, let since = period.since, since < period.until
    else { return 0 }
    var credits = try credits(.product(id, quantity: product.plan == nil ? change.quantity : 1))
    // It is a part of the longest known period with the same end, or at least of a month.
    let (end, day) = (period.until.milliseconds, Timestamp.millisecondsPerDay)
    let months = QuotaPeriod.anniversary(of: period.until)
    // Of 1, 3, 6, 12, 24 and 36 months.
    let starts = [32, 93, 185, 367, 732, 1097].map { (days: Int64) in
      months.turn(after: Timestamp(milliseconds: end - days * day))
    }
    func start(of length: Int64) -> Timestamp {
      let far = { (start: Timestamp) in abs(end - start.milliseconds - length) }
      return starts.min { far($0) < far($1) } ?? since
    }
    var known: Timestamp?
    var earliest = since
    let paid = try change.account.flatMap { id throws(CreditError) in try books.account(id) }
    for payment in paid?.subscriptions.paid ?? []
    where payment.id == change.subscription && payment.until == period.until {
      // Another part may have begun at any second of a day, a whole period at that of its end.
      if payment.since <= starts[0], (end - payment.since.milliseconds) % day < 2 {
        known = min(known ?? payment.since, payment.since)
      }
      earliest = min(earliest, payment.since)
      // Unused time is of the credits granted then: the catalog may have changed.
      if change.isUnused, payment.since == known, payment.product == id,
        let bought = try books.transaction(payment.transaction)
      {
        credits = bought.topUp.transaction.credits
      }
    }
    // That payment may have lapsed. A line for the next period is as long.
    for line in request.changes where line.isPurchase && !line.isProrated {
      guard let next = line.period, next.since == period.until,
        line.subscription == change.subscription
      else { continue }
      let first = start(of: next.until.milliseconds - end)
      known = min(known ?? first, first)
    }
    // If none is known, its amount is a part of the price.
    known = known ?? product.length(ofPart: change).map(start)
    var start = min(known ?? starts[0], starts[0])
    // A longer one is a part of a year.
    if earliest < start { start = min(earliest, starts[3]) }
    return Int128(credits) * Int128(end - since.milliseconds) / Int128(end - start.milliseconds)
  }

  /// Takes the credits of unused time back: as an adjustment, and once.
  func takeUnused(_ change: PaymentChange, _ request: PaymentRequest) throws(CreditError)
    -> [GateResult]
  {
    let entry = try books.transaction(change.transaction)
    let credits = entry?.topUp.transaction.credits ?? -(change.credits ?? 0)
    guard credits != 0, let account = change.account else { return [] }
    let topUp = TopUpRequest(
      account: account, reference: .transaction(change.transaction), grant: .credits(credits),
      time: request.time)
    topUp.kind = .adjustment
    topUp.reason = Self.unusedTime(of: change.product)
    topUp.tags = request.tags
    topUp.payment = PaymentNews(request.event)
    // A refund of the payment for that time takes the rest alone.
    let bought = try payment(for: change, of: account)
    guard let bought, var news = bought.topUp.payment else {
      // They may not be granted yet: of a debt for them a quota would settle a part.
      let isPlan = try change.product.flatMap(policy.prices.product)?.plan != nil
      if bought == nil, isPlan { topUp.status = .pending }
      let result = try self.topUp(topUp)
      if bought == nil { try keep(change.transaction, of: change.subscription, request) }
      return [result]
    }
    topUp.payment?.parts = [bought.topUp.transaction.id]
    let result = try self.topUp(topUp)
    news.parts = Set(news.parts).union([change.transaction]).sorted()
    if news.parts == bought.topUp.payment?.parts { return [result] }
    return [result] + [try converge(bought, to: news, request)].compactMap { $0 }
  }

  /// Returns the payment for a time that is left unused: by the account, or by its subscription if
  /// it has lapsed.
  private func payment(for unused: PaymentChange, of account: Name) throws(CreditError)
    -> TransactionEntry?
  {
    let since = unused.period?.since ?? .earliest
    let paid = try books.account(account)?.subscriptions.paid.last {
      // One by hand has no id, and the end that a person has given.
      ($0.id == nil
        ? since < $0.until : $0.id == unused.subscription && $0.until == unused.period?.until)
        && $0.product == unused.product && $0.since <= since
    }
    if let paid { return try books.transaction(paid.transaction) }
    var found: TransactionEntry?
    guard let id = unused.subscription, let kept = try news(of: id) else { return nil }
    for part in kept.parts where try !isRemoved(part) {
      guard let entry = try books.transaction(part), entry.isGranted,
        let paid = entry.topUp.transaction.paid, paid.until == unused.period?.until,
        paid.since <= since, paid.since >= found?.topUp.transaction.paid?.since ?? .earliest,
        entry.topUp.transaction.productID == unused.product
      else { continue }
      found = entry
    }
    return found
  }

  /// Takes the credits of unused time that was reported before this payment for it.
  func takeAhead(of payment: Name, _ request: PaymentRequest) throws(CreditError) -> [GateResult] {
    var results: [GateResult] = []
    for part in try books.transaction(payment)?.topUp.payment?.parts ?? [] {
      guard let entry = try books.transaction(part), entry.isUnusedTime,
        case let known = entry.topUp, known.transaction.status == .pending
      else { continue }
      let topUp = TopUpRequest(
        account: known.transaction.account, reference: .transaction(part),
        grant: .credits(known.transaction.credits), time: request.time)
      topUp.kind = .adjustment
      topUp.payment = known.payment
      topUp.payment?.parts = [payment]
      results.append(try self.topUp(topUp))
    }
    return results
  }

  static func unusedTime(of product: Name?) -> String {
    "unused time of \(product?.text ?? "a plan")"
  }
}

// Events that are refused or belong to another store, before any is granted.
extension Ledger {
  /// Whether an event is about a payment of an account that was removed: only ids are left of it.
  func isOfRemoved(_ request: PaymentRequest) throws(CreditError) -> Bool {
    for change in request.changes {
      // Elsewhere the subscription's id may be that of its first payment.
      let isStripe = request.event.format == .stripe
      for id in isStripe ? change.payments : [change.transaction] + change.others {
        if try isRemoved(id) { return true }
      }
    }
    return false
  }

  /// Whether an event is of a sale by another store.
  ///
  /// Such an event names no account and no product of the store, and its payment is not known.
  func isOfOthers(_ request: PaymentRequest, _ source: PaymentSource?) throws(CreditError) -> Bool {
    let purchases = request.changes.filter(\.isPurchase)
    for change in purchases {
      if change.account != nil { return false }
      if let product = change.product {
        if source?.products.values.contains(product) ?? false { return false }
        if try policy.prices.product(product) != nil { return false }
      }
      if !request.sale(of: change).entries.isEmpty { return false }
    }
    return !purchases.isEmpty
  }

  /// Checks that each purchase has a buyer and a product, before any is granted.
  ///
  /// The sender repeats all of it. Purchases granted before their product left the catalog replay.
  func check(_ request: PaymentRequest, _ source: PaymentSource?) throws(CreditError) {
    for change in request.changes where change.isPurchase {
      let sale = request.sale(of: change)
      // Its session has account and product, which the invoice may lack.
      if sale.isGranted(otherwiseThan: change) { continue }
      let entry = sale.entry(of: change)
      try saying(change, of: request) { () throws(CreditError) in
        if change.isCut, entry?.isGranted != true { throw try cutInvoice(change) }
        var problem: CreditError?
        if let product = change.product {
          if entry?.isGranted != true, try policy.prices.product(product) == nil {
            problem = Self.unknownProduct(product, source, in: request)
          }
        } else if entry?.topUp.transaction.productID == nil {
          problem = Self.noProduct(request)
        }
        if change.account == nil, entry == nil { problem = Self.noAccount(request, and: problem) }
        if let problem { throw problem }
      }
    }
  }

  /// Gives a payment without a product that of its pending purchase, or keeps it for one that comes
  /// later; of others only the ids count.
  func completePending(_ request: inout PaymentRequest) {
    guard request.reason == "no_product" || request.reason == "no_payment",
      var change = request.changes.first(where: \.isPurchase)
    else { return }
    let sale = request.sale(of: change)
    let isWhole = change.isCompleted || request.reason == "no_payment"
    if isWhole, let entry = sale.entry(of: change), entry.isPaidFor,
      case let known = entry.topUp.transaction, known.status == .pending, known.productID != nil,
      change.account ?? known.account == known.account,
      change.currency ?? known.currency == known.currency ?? change.currency
    {
      (change.account, change.product) = (known.account, known.productID)
      change.quantity = known.quantity
      request.changes = [change]
      return
    }
    if sale.entries.isEmpty, sale.foreign == nil, change.isCompleted, change.mayBeFirst {
      change.others.append(change.transaction)
    } else {
      change.paid = nil
    }
    change.effect = .linked
    request.changes = change.others.isEmpty ? [] : [change]
  }

  /// Refuses an invoice of more lines than its event has, with the command that grants it.
  private func cutInvoice(_ invoice: PaymentChange) throws(CreditError) -> CreditError {
    let isPlan = try invoice.product.flatMap(policy.prices.product)?.plan != nil
    let count = isPlan || invoice.quantity == 1 ? "" : " --quantity \(invoice.quantity)"
    let until = isPlan ? invoice.period.map { " --expires-at \($0.until.text)" } : nil
    return CreditError(
      .invalidRequest,
      "the invoice has more lines than the event; nothing was granted; "
        + "\(invoice.topUpCommand)\(count)\(until ?? "") grants it", [.path("lines.has_more")])
  }

  static func noProduct(_ request: PaymentRequest) -> CreditError {
    CreditError(
      .unknownProduct,
      "the event does not say what was bought: there is nothing at "
        + request.productPaths.joined(separator: ", "))
  }

  private static func unknownProduct(
    _ product: Name, _ source: PaymentSource?, in request: PaymentRequest
  ) -> CreditError {
    let isLine = request.changes.count(where: \.isPurchase) > 1
    let isMapped = source?.products.values.contains(product) ?? false
    return CreditError(
      .unknownProduct,
      "no product \(quoted(product.text))"
        + (isMapped
          ? #" in the catalog, although "products" of the policy's events names it"#
          : #"; add it to "products" of the policy's events"#
            + (isLine && source?.skipsUnknownLines == false
              ? #", or pass such lines over with "unknownLines":"skip" there"# : "")),
      [.product(product.text)])
  }

  /// Runs a step whose errors name the event and the payment.
  func saying<Result>(
    _ change: PaymentChange, of request: PaymentRequest,
    _ body: () throws(CreditError) -> Result
  ) throws(CreditError) -> Result {
    do {
      return try body()
    } catch {
      if error.endsRun && error.code != .invalidPolicy { throw error }
      var subject = change
      subject.account = subject.account ?? request.sale(of: change).account
      throw error.about(request.event.id, subject)
    }
  }
}

// Sales by any of their ids.
extension Ledger {
  /// Returns the sales of an event, each by the first id of its changes, for the account of the
  /// first of these.
  func sales(of request: PaymentRequest) throws(CreditError) -> [Name: Sale] {
    var sales: [Name: Sale] = [:]
    for change in request.changes {
      guard let first = change.ids.first, sales[first] == nil else { continue }
      let ids = request.changes.map(\.ids).filter { $0.first == first }
      sales[first] = try sale(of: ids.flatMap(\.self), for: change.account)
    }
    return sales
  }

  /// Returns the sale that has any of the ids. From these it follows all that events have recorded.
  /// - Parameter account: whose sale it is; nil for that of its first transaction or its payment.
  /// - Throws: `limit_exceeded`.
  func sale(of ids: [Name], for account: Name?) throws(CreditError) -> Sale {
    var sale = Sale(account: account)
    var next = ids
    while !next.isEmpty {
      let id = next.removeFirst()
      if sale.links[id] != nil { continue }
      next += try visit(id, of: &sale)
      if let account, let entry = try books.topUp(account: account, key: id), entry.isPaidFor {
        next.append(entry.topUp.transaction.id)
      }
      guard sale.ids.count <= Sale.limit else {
        throw CreditError(.limitExceeded, "a sale has at most \(Sale.limit) ids")
      }
    }
    // These say that a transaction was revoked.
    let links = sale.links
    sale.news?.disputes.removeAll { links[$0.id] != nil }
    sale.invoices = sale.ids.filter { id in sale.ids.contains { $0.isLine(of: id) } }
    let owner = sale.entries.first?.topUp.transaction.account ?? sale.payer
    return account == nil && owner != nil ? try self.sale(of: ids, for: owner) : sale
  }

  /// Adds an id to its sale.
  /// - Returns: the ids to which it leads.
  private func visit(_ id: Name, of sale: inout Sale) throws(CreditError) -> [Name] {
    sale.links[id] = []
    if try isRemoved(id) {
      sale.isRemoved = true
      return []
    }
    let entry = try books.transaction(id)
    if let entry {
      if entry.isUnusedTime { return [] }
      if sale.account ?? entry.topUp.transaction.account != entry.topUp.transaction.account {
        sale.foreign = sale.foreign ?? entry
        return []
      }
      let own = entry.topUp.transaction.id
      sale.links[id]?.insert(own)
      if own == id {
        sale.entries.append(entry)
        if let news = entry.topUp.payment { sale.add(news, of: id) }
        sale.links[id]?.formUnion(entry.topUp.payment?.parts ?? [])
      }
    }
    sale.ids.append(id)
    if let news = try news(of: id) {
      sale.add(news, of: id)
      for part in news.parts {
        if let paid = try isRemoved(part) ? nil : books.transaction(part),
          paid.topUp.transaction.kind == .subscription,
          paid.topUp.transaction.originalTransactionID == id
        {
          if paid.topUp.transaction.account == sale.account { sale.renewals.append(paid) }
        } else {
          sale.links[id]?.insert(part)
        }
      }
    }
    return sale.links[id]?.sorted() ?? []
  }

  /// Returns the news that are recorded under an id without a grant.
  func news(of id: Name) throws(CreditError) -> PaymentNews? {
    guard case .payment(_, let news) = try books.newest(of: .payment(id))?.record.event else {
      return nil
    }
    return news
  }

  func isRemoved(_ id: Name) throws(CreditError) -> Bool {
    if case .claim = try books.newest(of: .transaction(id))?.record.event { true } else { false }
  }
}
