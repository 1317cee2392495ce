internal import CreditModel

// What a payment provider has said, as records say it.
extension JSONWriter {
  mutating func payment(_ news: PaymentNews) {
    key("payment")
    beginObject()
    member("event", news.event)
    if let paid = news.paid { member("paid", paid) }
    if let refunded = news.refunded {
      key("refunded")
      beginObject()
      member("amount", refunded.amount)
      member("at", refunded.at)
      endObject()
    }
    if !news.refunds.isEmpty {
      key("refunds")
      beginArray()
      for refund in news.refunds { self.refund(refund) }
      endArray()
    }
    if !news.disputes.isEmpty {
      key("disputes")
      beginArray()
      for dispute in news.disputes { self.dispute(dispute) }
      endArray()
    }
    if !news.parts.isEmpty {
      key("parts")
      beginArray()
      for part in news.parts { string(part.text) }
      endArray()
    }
    if news.taken != 0 { member("taken", news.taken) }
    endObject()
  }

  /// Writes which event it was, in records and in the history.
  mutating func member(_ key: StaticString, _ event: PaymentEvent) {
    self.key(key)
    beginObject()
    member("format", event.format.rawValue)
    member("id", event.id)
    member("type", event.type)
    member("at", event.at)
    endObject()
  }

  private mutating func refund(_ refund: PaymentRefund) {
    beginObject()
    member("id", refund.id)
    member("amount", refund.amount)
    if refund.isFailed { member("failed", true) }
    member("at", refund.at)
    endObject()
  }

  private mutating func dispute(_ dispute: PaymentDispute) {
    beginObject()
    member("id", dispute.id)
    if dispute.isTaken { member("taken", true) }
    member("at", dispute.at)
    endObject()
  }

  /// An event about a payment whose purchase is not known yet.
  mutating func payment(_ id: Name, _ news: PaymentNews) {
    member("transaction", id)
    payment(news)
  }
}

extension RecordReader {
  /// An event about a payment whose purchase is not known yet: the record of nobody's account.
  mutating func payment(at time: Timestamp, _ cursor: inout RecordCursor) -> LedgerRecord? {
    cursor.expect(",\"transaction\":")
    let id = self.id(&cursor)
    cursor.expect(",\"payment\":{")
    guard let news = payment(&cursor) else { return nil }
    return LedgerRecord(
      event: .payment(id, news), account: Account(name: .nobody, registeredAt: time))
  }

  /// What `JSONWriter.payment(_:)` writes, after the opening brace.
  mutating func payment(_ cursor: inout RecordCursor) -> PaymentNews? {
    cursor.expect("\"event\":{\"format\":")
    let format: PaymentFormat? = choice(&cursor)
    guard let format else { return nil }
    cursor.expect(",\"id\":")
    let id = self.id(&cursor)
    cursor.expect(",\"type\":")
    let type = string(&cursor)
    cursor.expect(",\"at\":")
    var news = PaymentNews(PaymentEvent(format: format, id: id, type: type, at: time(&cursor)))
    cursor.expect("}")
    if cursor.skip(",\"paid\":") { news.paid = cursor.integer() }
    if cursor.skip(",\"refunded\":{\"amount\":") {
      let amount = cursor.integer()
      cursor.expect(",\"at\":")
      news.refunded = PaymentNews.Total(amount: amount, at: time(&cursor))
      cursor.expect("}")
    }
    if cursor.skip(",\"refunds\":[") {
      repeat { news.refunds.append(refund(ofPayment: &cursor)) } while cursor.skip(",")
      cursor.expect("]")
    }
    if cursor.skip(",\"disputes\":[") {
      repeat { news.disputes.append(dispute(&cursor)) } while cursor.skip(",")
      cursor.expect("]")
    }
    if cursor.skip(",\"parts\":[") {
      repeat { news.parts.append(self.id(&cursor)) } while cursor.skip(",")
      cursor.expect("]")
    }
    if cursor.skip(",\"taken\":") {
      news.taken = cursor.integer()
      cursor.require(news.taken != 0)
    }
    cursor.expect("}")
    return news
  }

  private mutating func refund(ofPayment cursor: inout RecordCursor) -> PaymentRefund {
    cursor.expect("{\"id\":")
    let id = self.id(&cursor)
    cursor.expect(",\"amount\":")
    let amount = cursor.integer()
    let isFailed = cursor.skip(",\"failed\":true")
    cursor.expect(",\"at\":")
    let refund = PaymentRefund(id: id, amount: amount, isFailed: isFailed, at: time(&cursor))
    cursor.expect("}")
    return refund
  }

  private mutating func dispute(_ cursor: inout RecordCursor) -> PaymentDispute {
    cursor.expect("{\"id\":")
    let id = self.id(&cursor)
    let isTaken = cursor.skip(",\"taken\":true")
    cursor.expect(",\"at\":")
    let dispute = PaymentDispute(id: id, isTaken: isTaken, at: time(&cursor))
    cursor.expect("}")
    return dispute
  }
}
