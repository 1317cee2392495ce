internal import CreditModel

// A payment provider's news of a payment.
extension MemberVisitor where Self: ~Copyable {
  mutating func payment(_ known: PaymentNews?) -> PaymentNews? {
    let event = object("event", known?.event) { $0.paymentEvent($1) }
    let paid = optional("paid", known?.paid, Whole.self)
    let refunded = object("refunded", known?.refunded, isOptional: true) { $0.total($1) }
    let refunds = list("refunds", known?.refunds) { $0.paymentRefund($1) }
    let disputes = list("disputes", known?.disputes) { $0.dispute($1) }
    let parts = optional("parts", known?.parts.nonEmpty, List<ID>.self)
    let taken = member("taken", known?.taken, Whole.self, unless: 0)
    let account = optional("account", known?.account, AccountName.self)
    guard let event else { return nil }
    var news = PaymentNews(event)
    news.paid = paid
    news.refunded = refunded
    news.refunds = refunds
    news.disputes = disputes
    news.parts = parts ?? []
    (news.taken, news.account) = (taken, account)
    return news
  }

  private mutating func paymentEvent(_ known: PaymentEvent?) -> PaymentEvent? {
    let format = member("format", known?.format, Word<PaymentFormat>.self)
    let id = member("id", known?.id, ID.self)
    let type = member("type", known?.type, Text.self)
    let at = member("at", known?.at, Time.self)
    guard let format, let id, let type, let at else { return nil }
    return PaymentEvent(format: format, id: id, type: type, at: at)
  }

  private mutating func total(_ known: PaymentNews.Total?) -> PaymentNews.Total? {
    let amount = member("amount", known?.amount, Whole.self)
    let at = member("at", known?.at, Time.self)
    let currency = optional("currency", known?.currency, Text.self)
    guard let amount, let at else { return nil }
    var total = PaymentNews.Total(amount: amount, at: at)
    total.currency = currency
    return total
  }

  private mutating func paymentRefund(_ known: PaymentRefund?) -> PaymentRefund? {
    let id = member("id", known?.id, ID.self)
    let amount = member("amount", known?.amount, Whole.self)
    let isFailed = flag("failed", known?.isFailed)
    let at = member("at", known?.at, Time.self)
    let currency = optional("currency", known?.currency, Text.self)
    guard let id, let amount, let at else { return nil }
    var refund = PaymentRefund(id: id, amount: amount, isFailed: isFailed, at: at)
    refund.currency = currency
    return refund
  }

  private mutating func dispute(_ known: PaymentDispute?) -> PaymentDispute? {
    let id = member("id", known?.id, ID.self)
    let isTaken = flag("taken", known?.isTaken)
    let at = member("at", known?.at, Time.self)
    let amount = optional("amount", known?.amount, Whole.self)
    let currency = optional("currency", known?.currency, Text.self)
    guard let id, let at else { return nil }
    return PaymentDispute(id: id, isTaken: isTaken, at: at, amount: amount, currency: currency)
  }
}

extension ResultVisitor where Self: ~Copyable {
  /// Visits a payment event as results have it, and as the history has it, with its time.
  mutating func event(_ known: PaymentEvent?, isOfHistory: Bool = false) {
    part("event", known, isRequired: !isOfHistory) { visitor, known in
      visitor.member("format", known?.format, WordText<PaymentFormat>.self)
      visitor.member("type", known?.type, Text.self)
      visitor.member("id", known?.id, ID.self)
      if isOfHistory { visitor.member("at", known?.at, Time.self) }
    }
  }
}
