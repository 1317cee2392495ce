package import CreditModel

extension JSONWriter {
  /// Writes a line of the history.
  /// - Parameters:
  ///   - signedText: what the App Store signed of the transaction.
  ///   - event: the payment provider's event that changed it last.
  ///   - isChanged: whether the line was recorded earlier and is repeated after a change.
  ///   - cursor: the place after it, for a follower.
  ///   - use: where the credits of the grant are that it is of.
  package mutating func historyLine(
    _ line: HistoryLine, signedText: String? = nil, event: PaymentEvent? = nil,
    isChanged: Bool = false, cursor: String? = nil, use: GrantUse? = nil
  ) {
    beginObject()
    member("id", line.id)
    member("account", line.account)
    member("type", line.kind.rawValue)
    member("status", line.status.rawValue)
    member("credits", line.credits)
    member("balance", line.balance)
    member("timestamp", line.timestamp)
    if let updatedAt = line.updatedAt { member("updatedAt", updatedAt) }
    if let completedAt = line.completedAt { member("completedAt", completedAt) }
    if let model = line.model { member("model", model) }
    if let usage = line.usage { member("usage", usage) }
    if let productID = line.productID { member("productID", productID) }
    if let productName = line.productName { member("productName", productName) }
    if let quantity = line.quantity { member("quantity", quantity) }
    if let price = line.price { member("price", price) }
    if let currency = line.currency { member("currency", currency) }
    if let key = line.key { member("key", key) }
    if let reason = line.reason { member("reason", reason) }
    if let scheduledAt = line.scheduledAt { member("scheduledAt", scheduledAt) }
    if let startsAt = line.terms?.startsAt { member("startsAt", startsAt) }
    if let expiresAt = line.expiresAt { member("expiresAt", expiresAt) }
    if let paid = line.paid { members(of: paid) }
    if let terms = line.terms { members(of: terms) }
    if let grant = line.grant { member("grant", grant) }
    if let taken = line.taken { self.taken(taken) }
    if let use {
      member("left", use.left)
      member("used", use.used)
      member("expired", use.expired)
    }
    if let usedAt = line.usedAt { member("usedAt", usedAt) }
    if let tags = line.tags { member("tags", tags) }
    if let usd = line.usd { member("usd", usd) }
    if let costUSD = line.costUSD { member("costUSD", costUSD) }
    if let waived = line.creditsWaived { member("creditsWaived", waived) }
    if let refunded = line.creditsRefunded { member("creditsRefunded", refunded) }
    if let crossed = line.crossed { member("crossed", crossed) }
    _ = limitsCrossed(line.limitsCrossed)
    paidBy(line.paidBy, own: line.ownCredits, of: line.account)
    if let name = line.member { member("member", name) }
    if let counterparty = line.counterparty { member("counterparty", counterparty) }
    if let original = line.originalTransactionID { member("originalTransactionID", original) }
    if let signedText { member("signedTransactionInfo", signedText) }
    if let event {
      key("event")
      beginObject()
      member("format", event.format.rawValue)
      member("type", event.type)
      member("id", event.id)
      member("at", event.at)
      endObject()
    }
    if isChanged { member("changed", true) }
    if let cursor { member("cursor", cursor) }
    endObject()
  }

  /// Writes where credits came from; where below 0, where they went.
  private mutating func taken(_ shares: [Bucket]) {
    key("taken")
    beginArray()
    for share in shares {
      beginObject()
      if let grant = share.grant {
        member("grant", grant.id)
      } else {
        key("kind")
        plain(share.kind.plainName)
      }
      member("credits", share.credits)
      endObject()
    }
    endArray()
  }

  /// Writes a line of the list of open authorizations.
  /// - Parameter now: what its age counts up to.
  package mutating func openAuthorization(_ authorization: CreditAuthorization, now: Timestamp) {
    let isExpired = authorization.hold.map { $0.expiresAt <= now } ?? false
    beginObject()
    member("id", authorization.id)
    member("account", authorization.account)
    member("type", "authorization")
    member("status", isExpired ? "expired" : "open")
    member("timestamp", authorization.timestamp)
    if let hold = authorization.hold {
      member("hold", hold.credits)
      member("expiresAt", hold.expiresAt)
      if !hold.heldBy.isEmpty { held(hold.heldBy.filter { $0.credits > 0 }) }
    }
    if let tags = authorization.tags { member("tags", tags) }
    member("age", max(0, now.milliseconds - authorization.timestamp.milliseconds) / 1000)
    endObject()
  }

  /// Writes a page of the history as one object.
  package mutating func historyPage(
    _ lines: [HistoryLine], total: Int, limit: Int, offset: Int
  ) {
    page(of: lines, total: total, limit: limit, offset: offset) { $0.historyLine($1) }
  }

  /// Writes a page of the open authorizations as one object.
  /// - Parameter now: what their age counts up to.
  package mutating func openPage(
    _ authorizations: [CreditAuthorization], now: Timestamp, total: Int, limit: Int, offset: Int
  ) {
    page(of: authorizations, total: total, limit: limit, offset: offset) {
      $0.openAuthorization($1, now: now)
    }
  }

  private mutating func page<Line>(
    of lines: [Line], total: Int, limit: Int, offset: Int,
    _ write: (inout JSONWriter, Line) -> Void
  ) {
    beginObject()
    key("transactions")
    beginArray()
    for line in lines { write(&self, line) }
    endArray()
    member("total", Int64(total))
    member("limit", Int64(limit))
    member("offset", Int64(offset))
    endObject()
  }
}
