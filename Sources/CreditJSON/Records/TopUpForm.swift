internal import CreditModel

// Top-ups and refunds, as records say them.
extension JSONWriter {
  /// - Parameters:
  ///   - time: of the record; a transaction of another time says its own.
  ///   - isPast: whether another record has made it, so that its balance is said.
  mutating func topUp(_ topUp: TopUp, at time: Timestamp, isPast: Bool) {
    let made = topUp.transaction
    transaction(made, at: time)
    if topUp.creditsAdded != made.usuallyAdded { member("creditsAdded", topUp.creditsAdded) }
    if isPast { member("newBalance", topUp.newBalance) }
    if let news = topUp.news { self.news(news) }
    if let payment = topUp.payment { self.payment(payment) }
    bonuses(topUp.bonuses)
    if !topUp.taken.isEmpty { member("taken", topUp.taken) }
  }

  private mutating func transaction(_ transaction: Transaction, at time: Timestamp) {
    key("transaction")
    beginObject()
    member("id", transaction.id)
    member("type", transaction.kind.rawValue)
    member("status", transaction.status.rawValue)
    if let productID = transaction.productID { member("productID", productID) }
    if transaction.quantity != 1 { member("quantity", transaction.quantity) }
    member("credits", transaction.credits)
    if transaction.timestamp != time { member("timestamp", transaction.timestamp) }
    if let price = transaction.price { member("price", price) }
    if let currency = transaction.currency { member("currency", currency) }
    if let key = transaction.key { member("key", key) }
    if let reason = transaction.reason { member("reason", reason) }
    if let expiresAt = transaction.expiresAt { member("expiresAt", expiresAt) }
    if let terms = transaction.terms { self.terms(terms) }
    if let scheduledAt = transaction.scheduledAt { member("scheduledAt", scheduledAt) }
    if let purchase = transaction.purchase { member("purchase", purchase) }
    if let paid = transaction.paid { self.paid(paid) }
    if let tags = transaction.tags { member("tags", tags) }
    if let original = transaction.originalTransactionID {
      member("originalTransactionID", original)
    }
    if let text = transaction.signedText { member("signedTransactionInfo", text) }
    endObject()
  }

  private mutating func news(_ news: AppStoreNews) {
    key("appStore")
    beginObject()
    if let date = news.signedDate { member("signedDate", date) }
    key("notifications")
    beginArray()
    for id in news.notifications { string(id.text) }
    endArray()
    endObject()
  }

  /// - Parameter topUp: what a refund is of that is not a charge's; its usual price is left out.
  mutating func refund(_ refund: Refund, of topUp: TopUp? = nil) {
    key("refund")
    beginObject()
    member("credits", refund.credits)
    if refund.number != 1 {
      member("number", refund.number)
      member("before", refund.before)
      if refund.forfeitedBefore != 0 { member("forfeitedBefore", refund.forfeitedBefore) }
    }
    if let paid = topUp.flatMap(PurchasePrice.init) {
      if let price = refund.price, price != paid.usual(refund) { member("price", price.text) }
      if let before = refund.priceBefore, before != paid.usualBefore(refund) {
        member("priceBefore", before.text)
      }
    }
    if refund.forfeited != 0 { member("forfeited", refund.forfeited) }
    if let shares = refund.shares { member("shares", shares) }
    if refund.isVoid { member("unused", true) }
    if !refund.refundedTo.isEmpty { shares(refund.refundedTo) }
    if let reason = refund.reason { member("reason", reason) }
    member("newBalance", refund.newBalance)
    member("timestamp", refund.timestamp)
    endObject()
  }
}

extension Transaction {
  /// What a top-up has added unless its record says something else.
  fileprivate var usuallyAdded: Credits {
    switch status {
    case .completed, .refunded: credits
    case .pending, .failed, .scheduled: 0
    }
  }
}

extension JSONWriter {
  /// Writes what promotions have granted with a purchase; nothing where that is nothing.
  mutating func bonuses(_ bonuses: [GrantedBonus]) {
    if bonuses.isEmpty { return }
    key("bonuses")
    beginArray()
    for bonus in bonuses {
      beginObject()
      member("id", bonus.id)
      member("credits", bonus.credits)
      endObject()
    }
    endArray()
  }
}

extension RecordReader {
  /// A top-up; one that is not past lacks its balance.
  mutating func topUp(of account: Account, isPast: Bool, _ cursor: inout RecordCursor) -> TopUp? {
    guard let transaction = transaction(of: account, &cursor) else { return nil }
    var creditsAdded = transaction.usuallyAdded
    if cursor.skip(",\"creditsAdded\":") {
      let said = cursor.integer()
      cursor.require(said != creditsAdded)
      creditsAdded = said
    }
    var newBalance: Credits = 0
    if isPast {
      cursor.expect(",\"newBalance\":")
      newBalance = cursor.integer()
    }
    let news = cursor.skip(",\"appStore\":{") ? news(&cursor) : nil
    let payment = cursor.skip(",\"payment\":{") ? payment(&cursor) : nil
    let bonuses = cursor.skip(",\"bonuses\":[") ? bonuses(&cursor) : []
    var taken: [Bucket] = []
    if cursor.skip(",\"taken\":") {
      taken = buckets(&cursor)
      cursor.require(taken.contains { $0.grant != nil })
    }
    return TopUp(
      transaction: transaction, creditsAdded: creditsAdded, newBalance: newBalance, news: news,
      payment: payment, bonuses: bonuses, taken: taken)
  }

  private mutating func transaction(of account: Account, _ cursor: inout RecordCursor)
    -> Transaction?
  {
    cursor.expect(",\"transaction\":{\"id\":")
    let id = self.id(&cursor)
    cursor.expect(",\"type\":")
    let kind: Transaction.Kind? = choice(&cursor)
    cursor.expect(",\"status\":")
    let status: Transaction.Status? = choice(&cursor)
    guard let kind, let status else { return nil }
    let product = cursor.skip(",\"productID\":") ? textName(&cursor) : nil
    var quantity: Int64 = 1
    if cursor.skip(",\"quantity\":") {
      quantity = cursor.integer()
      cursor.require(quantity != 1)
    }
    cursor.expect(",\"credits\":")
    var transaction = Transaction(
      id: id, account: account.name, kind: kind, status: status, productID: product,
      quantity: quantity, credits: cursor.integer(), timestamp: account.updatedAt)
    if cursor.skip(",\"timestamp\":") {
      transaction.timestamp = time(&cursor)
      cursor.require(transaction.timestamp != account.updatedAt)
    }
    if cursor.skip(",\"price\":") {
      let price = string(&cursor)
      cursor.require(ExactDecimal(text: price) != nil)
      transaction.price = price
    }
    if cursor.skip(",\"currency\":") { transaction.currency = string(&cursor) }
    if cursor.skip(",\"key\":") { transaction.key = self.id(&cursor) }
    if cursor.skip(",\"reason\":") { transaction.reason = string(&cursor) }
    if cursor.skip(",\"expiresAt\":") { transaction.expiresAt = time(&cursor) }
    if cursor.skip(",\"terms\":{") { transaction.terms = terms(of: transaction, &cursor) }
    if cursor.skip(",\"scheduledAt\":") {
      transaction.scheduledAt = time(&cursor)
      cursor.require(transaction.terms?.startsAt != nil)
    }
    if cursor.skip(",\"purchase\":") { transaction.purchase = self.id(&cursor) }
    if cursor.skip(",\"paid\":{") { transaction.paid = paid(&cursor) }
    if cursor.skip(",\"tags\":{") { transaction.tags = tags(&cursor) }
    if cursor.skip(",\"originalTransactionID\":") {
      transaction.originalTransactionID = self.id(&cursor)
    }
    if cursor.skip(",\"signedTransactionInfo\":") { transaction.signedText = string(&cursor) }
    cursor.expect("}")
    return transaction
  }

  private mutating func bonuses(_ cursor: inout RecordCursor) -> [GrantedBonus] {
    var bonuses: [GrantedBonus] = []
    repeat {
      cursor.expect("{\"id\":")
      let id = self.id(&cursor)
      cursor.expect(",\"credits\":")
      bonuses.append(GrantedBonus(id: id, credits: cursor.integer()))
      cursor.expect("}")
    } while cursor.skip(",")
    cursor.expect("]")
    return bonuses
  }

  private mutating func news(_ cursor: inout RecordCursor) -> AppStoreNews {
    var news = AppStoreNews()
    if cursor.skip("\"signedDate\":") {
      news.signedDate = time(&cursor)
      cursor.expect(",")
    }
    cursor.expect("\"notifications\":[")
    if !cursor.skip("]") {
      repeat { news.notifications.append(Name(trusted: string(&cursor))) } while cursor.skip(",")
      cursor.expect("]")
    }
    cursor.expect("}")
    return news
  }

  /// - Parameter topUp: what a refund is of that is not a charge's.
  mutating func refund(of topUp: TopUp? = nil, _ cursor: inout RecordCursor) -> Refund {
    cursor.expect(",\"refund\":{\"credits\":")
    let credits = cursor.integer()
    var number: Int64 = 1
    var before: Credits = 0
    var forfeitedBefore: Credits = 0
    if cursor.skip(",\"number\":") {
      number = cursor.integer()
      cursor.expect(",\"before\":")
      before = cursor.integer()
      if cursor.skip(",\"forfeitedBefore\":") {
        forfeitedBefore = cursor.integer()
        cursor.require(forfeitedBefore != 0)
      }
      cursor.require(number != 1)
    }
    let price = cursor.skip(",\"price\":") ? amount(&cursor) : nil
    let priceBefore = cursor.skip(",\"priceBefore\":") ? amount(&cursor) : nil
    var forfeited: Credits = 0
    if cursor.skip(",\"forfeited\":") {
      forfeited = cursor.integer()
      cursor.require(forfeited != 0)
    }
    let shares = cursor.skip(",\"shares\":") ? shares(&cursor) : nil
    let isVoid = cursor.skip(",\"unused\":true")
    let refundedTo = cursor.skip(",\"refundedTo\":[") ? paidBackShares(&cursor) : []
    let reason = cursor.skip(",\"reason\":") ? string(&cursor) : nil
    cursor.expect(",\"newBalance\":")
    let newBalance = cursor.integer()
    cursor.expect(",\"timestamp\":")
    let timestamp = time(&cursor)
    cursor.expect("}")
    var refund = Refund(
      credits: credits, forfeited: forfeited, newBalance: newBalance, timestamp: timestamp,
      reason: reason)
    refund.number = number
    refund.before = before
    refund.shares = shares
    refund.isVoid = isVoid
    refund.forfeitedBefore = forfeitedBefore
    refund.refundedTo = refundedTo
    let paid = topUp.flatMap(PurchasePrice.init)
    cursor.require(
      (price == nil || paid != nil && price != paid?.usual(refund))
        && (priceBefore == nil || paid != nil && priceBefore != paid?.usualBefore(refund)))
    refund.price = price
    refund.priceBefore = priceBefore
    topUp?.completePrice(of: &refund)
    return refund
  }

  /// An exact amount of money, as it is written.
  private mutating func amount(_ cursor: inout RecordCursor) -> ExactDecimal? {
    let text = string(&cursor)
    let amount = ExactDecimal(text: text)
    cursor.require(amount?.text == text)
    return amount
  }
}
