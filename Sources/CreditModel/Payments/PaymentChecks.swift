internal import CreditBytes

extension PaymentRequest {
  /// Refuses an event for an account other than that of the command line.
  public func checkAccount() throws(CreditError) {
    guard let account else { return }
    for change in changes where change.account ?? account != account {
      let error = CreditError(
        .invalidRequest, "the event is for an account other than \(quoted(account.text))")
      throw error.about(PaymentSubject(event, change))
    }
  }
}

// Events that are refused or belong to another store, before any is granted.
extension Ledger {
  /// Whether an event is of a sale by another store.
  ///
  /// Such an event names no account and no product of the store, and its payment is not known.
  func isOfOthers(_ request: PaymentRequest, _ source: PaymentSource?)
    throws(CreditError) -> Bool
  {
    let purchases = request.changes.filter(\.isPurchase)
    for change in purchases {
      if change.account != nil { return false }
      if let product = change.product {
        if source?.products.values.contains(product) ?? false { return false }
        if try policy.prices.product(product) != nil { return false }
      }
      if try purchase(change.transaction, original: change.alias) != nil { return false }
      if try wasGrantedOtherwise(change, request) { return false }
    }
    return !purchases.isEmpty
  }

  /// Checks that each purchase has a buyer and a product, before any is granted.
  ///
  /// The sender repeats all of it. Purchases granted before their product left the catalog replay.
  func check(_ request: PaymentRequest, _ source: PaymentSource?) throws(CreditError) {
    for change in request.changes where !change.isEnd {
      let entry = try purchase(change.transaction, original: change.alias)
      // Its session has account and product, which the invoice may lack.
      if change.isPurchase, entry == nil, try wasGrantedOtherwise(change, request) { continue }
      try saying(change, of: request) { () throws(CreditError) in
        if let product = change.product {
          if entry?.isGranted != true, try policy.prices.product(product) == nil {
            let isLine = request.changes.count(where: \.isPurchase) > 1
            throw Self.unknownProduct(product, source, isLine: isLine)
          }
        } else if change.isPurchase, entry?.topUp.transaction.productID == nil {
          throw Self.noProduct(request)
        }
        if change.isPurchase, change.account == nil, entry == nil { throw Self.noAccount(request) }
      }
    }
  }

  static func noProduct(_ request: PaymentRequest) -> CreditError {
    CreditError(
      .unknownProduct,
      "the event does not say what was bought: there is nothing at "
        + request.productPaths.joined(separator: ", "))
  }

  private static func unknownProduct(
    _ product: Name, _ source: PaymentSource?, isLine: Bool
  ) -> CreditError {
    let isMapped = source?.products.values.contains(product) ?? false
    return CreditError(
      .unknownProduct,
      "no product \(quoted(product.text))"
        + (isMapped
          ? #" in the catalog, where "products" of the policy's events leads"#
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
      var subject = PaymentSubject(request.event, change)
      if subject.account == nil {
        let entry = try purchase(change.transaction, original: change.alias)
        subject.account = entry?.topUp.transaction.account
      }
      throw error.about(subject)
    }
  }

  static func noAccount(_ request: PaymentRequest) -> CreditError {
    var message = "the event does not say which account it is for: there is nothing at "
    message += request.accountPaths.joined(separator: ", ")
    if request.event.format == .stripe,
      let subscription = request.changes.lazy.compactMap(\.subscription).first
    {
      message += ", and no session of Checkout has named it for \(quoted(subscription.text)) yet"
      // An end is not repeated. Another path may lead to another account than the session's.
      if request.changes.contains(where: \.isPurchase) {
        message += "; Stripe repeats the invoice until one has, or until it has the account there"
      }
      return CreditError(.invalidRequest, message)
    }
    let others = request.otherAccountPaths.prefix(6).map(plainOrQuoted)
    if others.isEmpty {
      message += "; whoever makes the payment has to give the account there"
    } else {
      message += #"; the event has \#(others.joined(separator: ", ")): name the account's path in "#
      message += #""accountFrom" of the policy's events"#
    }
    return CreditError(.invalidRequest, message)
  }
}

// A subscription of Stripe's has one account for its life.
extension Ledger {
  /// Returns the account that a change is for: that of its subscription, if it is known.
  func account(of change: PaymentChange, in event: PaymentEvent) throws(CreditError)
    -> Name?
  {
    // Of the other formats only the event says it.
    guard change.account == nil || event.format == .stripe,
      let owner = try owner(of: change.subscription)
    else { return change.account }
    // A purchase that is known stays with its account.
    let entry = change.isPurchase ? try books.transaction(change.transaction) : nil
    return entry?.topUp.transaction.account ?? owner
  }

  /// Returns the account of a subscription: that of a transaction with its id, of its session, or
  /// of its first invoice.
  func owner(of subscription: Name?) throws(CreditError) -> Name? {
    guard let subscription else { return nil }
    if let entry = try books.transaction(subscription) { return entry.topUp.transaction.account }
    guard let news = try newsAhead(of: subscription) else { return nil }
    if let account = news.account { return account }
    for invoice in news.parts {
      do {
        if let entry = try books.transaction(invoice) { return entry.topUp.transaction.account }
      } catch {
        // Its account has been removed.
        if error.code != .idempotencyConflict { throw error }
      }
    }
    return nil
  }

  /// Keeps the first invoice of a subscription: later ones, and the end, are for its account.
  func link(_ invoice: PaymentChange, _ request: PaymentRequest) throws(CreditError) {
    guard request.event.format == .stripe, let subscription = invoice.subscription,
      try owner(of: subscription) == nil
    else { return }
    var news = try newsAhead(of: subscription) ?? PaymentNews(request.event)
    let change = PaymentChange(transaction: subscription, .parts([invoice.transaction]))
    _ = try news.add(change, of: request.event)
    try recordAhead(news, of: subscription, request)
  }
}
