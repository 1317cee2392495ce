// What a top-up is recorded as.
extension Ledger {
  /// The transaction as it is to be recorded, after the earlier record of it if there is one.
  func transaction(
    _ request: TopUpRequest, entry: TransactionEntry?, of account: Account
  ) throws(CreditError) -> Transaction {
    let id: Name
    let key: Name?
    switch (entry?.topUp.transaction, request.reference) {
    case (let first?, _):
      // The key stays even where the id finishes what the key began, so that neither grants again.
      (id, key) = (first.id, first.key)
    case (nil, .transaction(let name)): (id, key) = (name, nil)
    case (nil, .key(let name)): (id, key) = (try newID(for: account), name)
    }
    let time = account.updatedAt
    var transaction = Transaction(
      id: id, account: request.account, kind: request.kind, status: request.status,
      credits: try credits(request.grant, entry), timestamp: time)
    if case .product(let product, let quantity) = request.grant {
      transaction.productID = product
      transaction.quantity = quantity
    }
    transaction.key = key
    transaction.reason = request.reason
    transaction.tags = request.tags
    transaction.price = request.price
    transaction.currency = request.currency
    transaction.expiresAt = try expiry(request.expiry, at: time)
    transaction.originalTransactionID = request.originalTransactionID
    transaction.signedText = request.signedText
    if let entry {
      transaction.keepWhatIsUnsaid(of: entry.topUp.transaction)
    } else if case .product(let product, let quantity) = request.grant {
      try transaction.takePrice(of: policy.product(product), quantity: quantity)
    }
    // The expiry that a pending bonus was recorded with matters once it grants.
    if let expiresAt = transaction.expiresAt, expiresAt <= time,
      request.expiry != nil || transaction.status == .completed
    {
      throw Self.expired
    }
    return transaction
  }

  /// What a pending or failed purchase was recorded with is what it grants, whatever the product
  /// has become since.
  private func credits(_ grant: TopUpRequest.Grant, _ entry: TransactionEntry?)
    throws(CreditError) -> Credits
  {
    if let first = entry?.topUp.transaction, first.status != .refunded { return first.credits }
    return try credits(grant)
  }

  private func credits(_ grant: TopUpRequest.Grant) throws(CreditError) -> Credits {
    switch grant {
    case .credits(let credits): return credits
    // What is missing to it was asked for in its place.
    case .target: return 0
    case .product(let id, let quantity):
      let (credits, overflow) = try policy.product(id).credits
        .multipliedReportingOverflow(by: quantity)
      guard !overflow, credits <= Credits.largestGrant else {
        throw .amountOutOfRange("the purchase would be more than 2^53 credits")
      }
      return credits
    }
  }

  private func expiry(_ expiry: TopUpRequest.Expiry?, at time: Timestamp) throws(CreditError)
    -> Timestamp?
  {
    switch expiry {
    case nil: return nil
    case .at(let instant): return instant
    case .after(let span):
      guard let instant = time.adding(span) else { throw Self.expired }
      return instant
    }
  }

  private static let expired = CreditError(
    .invalidRequest, "the bonus would have expired already, or never does")
}

extension Transaction {
  /// A purchase that does not say what was paid was paid at the product's own price.
  fileprivate mutating func takePrice(of product: Product, quantity: Int64) throws(CreditError) {
    guard kind == .purchase, currency == nil || currency == product.currency else { return }
    if price == nil, let single = product.price {
      guard let sum = single.multiplied(by: quantity) else {
        throw .amountOutOfRange("the price would have more than 38 digits")
      }
      price = sum.text(atLeast: product.pricePlaces)
    }
    if price != nil { currency = product.currency }
  }

  /// Keeps of the purchase's earlier record what this one leaves out. Why it failed is no reason
  /// for its going through; what it was waiting for is.
  mutating func keepWhatIsUnsaid(of earlier: Transaction) {
    price = price ?? earlier.price
    currency = currency ?? earlier.currency
    expiresAt = expiresAt ?? earlier.expiresAt
    tags = tags ?? earlier.tags
    originalTransactionID = originalTransactionID ?? earlier.originalTransactionID
    signedText = signedText ?? earlier.signedText
    if earlier.status == .pending, status == .completed { reason = reason ?? earlier.reason }
  }
}
