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
      if try isPaidBefore(change) { return false }
      if let product = change.product {
        if source?.products.values.contains(product) ?? false { return false }
        if try policy.prices.product(product) != nil { return false }
      }
      if try purchase(change.transaction, original: change.alias) != nil { return false }
      if try wasGrantedOtherwise(change, request) { return false }
    }
    return !purchases.isEmpty
  }

  /// Whether its subscription has paid for an account's plan: its price may have changed since.
  private func isPaidBefore(_ change: PaymentChange) throws(CreditError) -> Bool {
    guard let account = try owner(of: change.subscription) else { return false }
    let paid = try books.account(account)?.subscriptions.paid ?? []
    return paid.contains { $0.id == change.subscription }
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
