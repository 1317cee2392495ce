internal import CreditJSON
internal import CreditModel

/// Sources: docs.stripe.com/api/events/types, and of the objects /api/checkout/sessions,
/// /api/payment_intents, /api/charges, /api/refunds, /api/disputes, /api/invoices and
/// /api/invoice-payment there; of amounts docs.stripe.com/currencies.
enum StripeEvents {
  static func read(_ envelope: EventBody) throws(CreditError) -> PaymentRequest {
    let type = try envelope.name("type").text
    guard envelope.value("data.object")?.isObject == true else {
      // A thin event only names an object, and has no effect.
      if envelope.value("object")?.string == "event" { throw envelope.wrong("data.object") }
      // Its time is text.
      let time = envelope.value("created")?.timestamp() ?? .earliest
      return PaymentRequest(
        PaymentEvent(format: .stripe, id: try envelope.name("id"), type: type, at: time),
        reason: "unknown_type")
    }
    if envelope.source.isLiveOnly, envelope.value("livemode")?.bool != true {
      throw EventRejection.wrongMode.error(of: nil)
    }
    let event = PaymentEvent(
      format: .stripe, id: try envelope.name("id"), type: type,
      at: try envelope.seconds("created"))
    return try StripeEvent(body: envelope.object("data.object"), event: event).request()
  }
}

/// One event, with the object that it is about.
private struct StripeEvent {
  let body: EventBody
  let event: PaymentEvent

  func request() throws(CreditError) -> PaymentRequest {
    switch event.type {
    case "checkout.session.completed", "checkout.session.async_payment_succeeded":
      return try session(.completed)
    case "checkout.session.async_payment_failed": return try session(.failed)
    case "payment_intent.succeeded": return try intent(.completed)
    case "payment_intent.payment_failed": return try intent(.failed)
    case "payment_intent.canceled":
      let closing = PaymentChange(
        transaction: try body.name("id"), .purchase(.failed, reason: "the payment was canceled"))
      return PaymentRequest(event, [closing], reason: "no_payment")
    case "charge.refunded":
      let (back, whole) = (try body.amount(["amount_refunded"]), try body.amount(["amount"]))
      // The part that was authorized and not captured counts as refunded there.
      let paid = min(whole, max(0, body.value("amount_captured")?.int64 ?? whole))
      return try refund(.refunded(max(0, back - (whole - paid))), of: paid)
    case "refund.created", "refund.updated", "refund.failed", "charge.refund.updated":
      let isFailed = ["failed", "canceled"].contains(try body.text(["status"]))
      return try refund(
        .refund(
          PaymentRefund(
            id: try body.name("id"), amount: try body.amount(["amount"]), isFailed: isFailed,
            at: event.at)))
    case "charge.dispute.created", "charge.dispute.updated", "charge.dispute.closed",
      "charge.dispute.funds_withdrawn", "charge.dispute.funds_reinstated":
      return try dispute()
    case "invoice.paid": return try invoice()
    case "invoice_payment.paid": return try invoicePayment()
    case "customer.subscription.deleted": return try subscriptionEnd()
    // A subscription is paid by its invoices, a charge by its session, and a credit note's money
    // comes back by a refund: each has its own event.
    // Sources: docs.stripe.com/billing/subscriptions/webhooks, docs.stripe.com/api/credit_notes.
    default: return PaymentRequest(event, reason: "no_payment")
    }
  }

  // MARK: Purchases

  /// A session of Checkout. It has no items, so that its metadata or its payment link gives the
  /// product.
  private func session(_ ending: Transaction.Status) throws(CreditError) -> PaymentRequest {
    guard try body.name("mode").text == "payment" else { return try owner() }
    var status = ending
    var reason: String?
    if ending == .failed {
      reason = "the payment has failed"
    } else {
      switch try body.name("payment_status").text {
      case "paid", "no_payment_required": break
      case "unpaid": status = .pending
      default: throw body.wrong("payment_status")
      }
    }
    let session = try body.name("id")
    let id = try body.id("payment_intent") ?? session
    var change = PaymentChange(transaction: id, .purchase(status, reason: reason))
    change.product = try body.product(Self.products)
    try fill(&change, amount: body.amount(["amount_total"]))
    change.listAmount = body.value("amount_subtotal")?.int64.map {
      ExactDecimal(coefficient: Int128($0), scale: body.digits(of: change.currency ?? ""))
    }
    // It may make an invoice of the same payment, of which one grants.
    change.others = try body.others(than: change.transaction, "id", "invoice")
    return request([change], Self.accounts)
  }

  /// The account of a subscription. Its invoices have the price, and may lack the account.
  private func owner() throws(CreditError) -> PaymentRequest {
    var link = PaymentChange(transaction: try body.name("id"), .linked)
    link.others = try body.others(than: link.transaction, "invoice")
    let links = link.others.isEmpty ? [] : [link]
    guard let subscription = try body.id("subscription"),
      let account = try body.account(Self.accounts)
    else { return PaymentRequest(event, links, reason: "no_payment") }
    var change = PaymentChange(transaction: subscription, .owner)
    change.account = account
    return PaymentRequest(event, links + [change], reason: "linked")
  }

  /// A payment intent, if it names account and product itself; else the session or the invoice of
  /// the same payment has them.
  private func intent(_ status: Transaction.Status) throws(CreditError) -> PaymentRequest {
    let paths = ["metadata.account"]
    let product = try body.product(["metadata.product"])
    let isWhole = try product != nil ? body.account(paths) != nil : false
    var reason: String?
    if status == .failed {
      if !isWhole { return PaymentRequest(event, reason: "no_product") }
      reason =
        try body.text(["last_payment_error.message"], limit: 1024) ?? "the payment has failed"
    }
    var change = PaymentChange(transaction: try body.name("id"), .purchase(status, reason: reason))
    change.others = try body.others(than: change.transaction, "latest_charge")
    if isWhole {
      change.product = product
      try fill(&change, amount: body.amount(["amount_received", "amount"]))
      return request([change], paths)
    }
    // A session that was not paid yet has said the rest, and the tax.
    change.paid = body.value("amount_received")?.int64
    change.account = try? body.account(paths)
    change.currency = try? body.currency(["currency"])
    if let paid = change.paid, !body.source.excludesTax { try? setPrice(of: &change, paid) }
    if let paid = change.paid, paid < body.value("amount")?.int64 ?? paid {
      change.effect = .purchase(.pending, reason: nil)
    }
    // A session that is unpaid then has another event when it is paid, unless that is captured by
    // hand.
    let byHand = body.value("payment_method_options")?.members.contains {
      $0.value.member("capture_method")?.utf8Equals("manual") == true
    }
    change.mayBeFirst =
      byHand == true || body.value("capture_method")?.string?.hasPrefix("automatic") != true
    return PaymentRequest(event, [change], reason: "no_product")
  }

  /// An invoice grants its lines. Its own id makes it unique, so that it and its intent never both
  /// grant. Of several lines each is a grant, and a part of the invoice.
  private func invoice() throws(CreditError) -> PaymentRequest {
    let invoice = try body.name("id")
    var lines: [PaymentChange] = []
    for line in try body.parts("lines.data") {
      if let change = try invoiceLine(line, of: invoice) { lines.append(change) }
    }
    let unused = lines.filter(\.isUnused)
    var changes = lines.filter { !$0.isUnused }
    let isCut = body.value("lines.has_more")?.bool == true
    if isCut {
      let unknown = PaymentChange(transaction: invoice, .purchase(.completed, reason: nil))
      changes = [changes.last ?? unknown]
      changes[0].account = try body.account(Self.invoiceAccounts)
      changes[0].isCut = true
    }
    if changes.isEmpty { return request(unused, Self.invoiceAccounts, reason: "no_product") }
    let payments = try body.others(
      than: invoice, "payment_intent", "payments.data.0.payment.payment_intent", "charge")
    try setPrices(of: &changes, paid: body.amount(["amount_paid"]))
    if changes.count == 1 {
      changes[0].transaction = invoice
      changes[0].others = payments
      // A renewal is kept with its subscription's id.
      if changes[0].subscription == nil, !isCut { changes[0].alias = payments.first }
    } else {
      for place in changes.indices { changes[place].others = [invoice] + payments }
    }
    return request(isCut ? changes : changes + unused, Self.invoiceAccounts)
  }

  /// The payment of an invoice: since API version 2025-03-31 the invoice lacks it.
  private func invoicePayment() throws(CreditError) -> PaymentRequest {
    guard let payment = try body.id("payment.payment_intent", "payment.charge") else {
      return PaymentRequest(event, reason: "no_payment")
    }
    guard let invoice = try body.id("invoice") else { throw body.wrong("invoice") }
    var change = PaymentChange(transaction: payment, .linked)
    change.others = [invoice]
    return PaymentRequest(event, [change], reason: "linked")
  }

  /// Lines without a price, and credits to the customer without a period, have no effect.
  private func invoiceLine(_ line: EventBody, of invoice: Name) throws(CreditError)
    -> PaymentChange?
  {
    let places = ["", "parent.subscription_item_details.", "parent.invoice_item_details."]
    // Unused time of a free plan is worth 0.
    let isCredit = places.contains { line.value($0 + "proration_details.credited_items") != nil }
    let sign = line.value("amount")?.int64?.signum()
    let isUnused = sign == -1 || sign == 0 && isCredit
    if isUnused, line.value("period") == nil { return nil }
    let amount = isUnused ? 0 : try line.amount(["amount"])
    let prices = ["pricing.price_details.price", "price.id", "price"]
    let named = prices.filter { line.object.descendant($0)?.string != nil }
    guard let name = try line.text(line.source.productFrom + named, anywhere: true) else {
      return nil
    }
    var change = PaymentChange(
      transaction: try line.id(ofPart: "id", of: invoice),
      isUnused ? .unused : .purchase(.completed, reason: nil))
    change.product = line.source.product(name)
    change.quantity = try body.quantity(of: line)
    change.account = try body.account(Self.invoiceAccounts)
    change.subscription = try line.id(
      "parent.subscription_item_details.subscription", "subscription")
    if change.subscription == nil {
      change.subscription = try body.id("parent.subscription_details.subscription", "subscription")
    }
    if change.subscription != nil, line.value("period") != nil {
      change.period = PaidPeriod(
        until: try line.seconds("period.end"), since: try line.seconds("period.start"))
      change.isProrated = places.contains { line.value($0 + "proration")?.bool == true }
    }
    change.paid = amount
    change.currency = try? body.currency(["currency"])
    if amount == 0 || change.isProrated, let units = line.value("amount")?.int64 {
      change.listAmount = ExactDecimal(
        coefficient: abs(Int128(units)), scale: body.digits(of: change.currency ?? ""))
    }
    return change
  }

  /// Divides the total paid among the lines, in proportion to their amounts: the customer's
  /// balance, discounts and taxes belong to none of them.
  private func setPrices(of changes: inout [PaymentChange], paid: Int64) throws(CreditError) {
    let revenue = try booked(of: paid)
    let amounts = changes.count == 1 ? [1] : try netAmounts(of: changes)
    let all = amounts.reduce(0, +)
    var before: Int128 = 0
    for place in changes.indices {
      let (start, end) = (before, before + amounts[place])
      let whole = max(all, 1)
      let price = Int64(Int128(revenue) * end / whole - Int128(revenue) * start / whole)
      before = end
      changes[place].paid = paid
      try setPrice(of: &changes[place], price)
    }
  }

  /// Returns the lines' amounts less credits for unused time.
  ///
  /// A credit is taken off the line that begins with it, whose price has replaced the credited one,
  /// and the rest of it off all lines.
  /// Source: docs.stripe.com/billing/subscriptions/prorations.
  private func netAmounts(of changes: [PaymentChange]) throws(CreditError) -> [Int128] {
    var amounts = changes.map { Int128($0.paid ?? 0) }
    for line in try body.parts("lines.data") {
      var credit = -Int128(line.value("amount")?.int64 ?? 0)
      for (place, change) in changes.enumerated() {
        guard credit > 0, let since = change.period?.since,
          line.value("period.start")?.int64 == since.milliseconds / 1000
        else { continue }
        let part = min(credit, amounts[place])
        (amounts[place], credit) = (amounts[place] - part, credit - part)
      }
    }
    return amounts
  }

  /// A subscription that is over, with all its items. One that is to run to the end of
  /// its period is deleted then.
  private func subscriptionEnd() throws(CreditError) -> PaymentRequest {
    let paths = ["metadata.account"]
    var change = PaymentChange(transaction: try body.name("id"), .ended)
    change.account = try body.account(paths)
    change.subscription = change.transaction
    var changes: [PaymentChange] = []
    if body.value("items.data") != nil {
      for part in try body.parts("items.data") { changes.append(try end(change, [part, body])) }
    }
    if changes.isEmpty { changes = [try end(change, [body])] }
    return request(changes, paths)
  }

  /// - Parameter parts: where its product and its end may be: in the item since API version
  ///   2025-03-31.
  private func end(_ change: PaymentChange, _ parts: [EventBody]) throws(CreditError)
    -> PaymentChange
  {
    var change = change
    for part in parts {
      let prices = part.source.productFrom + ["price.id", "plan.id"]
      if change.product == nil {
        change.product = try part.text(prices, anywhere: true).map(body.source.product)
      }
      if change.period == nil, part.value("current_period_end") != nil {
        change.period = PaidPeriod(until: try part.seconds("current_period_end"))
      }
    }
    change.endsAllProducts = true
    // Without the period's end it ends all that was paid before.
    change.endsAtOnce = change.period == nil
    return change
  }

  private static let products = ["metadata.product", "payment_link"]
  private static let accounts = ["client_reference_id", "metadata.account"]
  private static let invoiceAccounts = [
    "metadata.account", "parent.subscription_details.metadata.account",
    "subscription_details.metadata.account",
  ]

  private func fill(_ change: inout PaymentChange, amount: Int64) throws(CreditError) {
    change.account = try body.account(Self.accounts)
    change.quantity = try body.quantity(["metadata.quantity"])
    if change.isCompleted { change.paid = amount }
    try setPrice(of: &change, booked(of: amount))
  }

  /// Returns the amount that is recorded as the price: all, or the amount without its tax.
  ///
  /// An invoice that is paid in part from the customer's balance has a share of its tax, which is
  /// negative for a credit. An intent has the tax that its maker has stated.
  ///
  /// Sources: docs.stripe.com/api/checkout/sessions/object (`total_details`), /api/invoices/object
  /// (`total_taxes`; `tax` before docs.stripe.com/changelog/basil/2025-03-31/
  /// invoice-tax-configurations), /api/payment_intents/object (`amount_details`).
  private func booked(of paid: Int64) throws(CreditError) -> Int64 {
    guard body.source.excludesTax else { return paid }
    var tax: Int128 = 0
    let lists = ["total_taxes", "total_tax_amounts"]
    let sums = ["tax", "total_details.amount_tax", "amount_details.tax.total_tax_amount"]
    if let path = lists.first(where: { body.value($0) != nil }) {
      for part in try body.parts(path) { tax += Int128(try part.signedAmount("amount")) }
    } else if let path = sums.first(where: { body.value($0) != nil }) {
      tax = Int128(try body.signedAmount(path))
    }
    let whole = Int128(max(paid, body.value("total")?.int64 ?? paid, 1))
    let (net, rest) = (Int128(paid) * max(0, whole - tax)).quotientAndRemainder(dividingBy: whole)
    // Half to even, as shares of prices are.
    let booked = net + (2 * rest > whole || 2 * rest == whole && net % 2 == 1 ? 1 : 0)
    return Int64(min(booked, Int128(EventBody.amountLimit)))
  }

  private func setPrice(of change: inout PaymentChange, _ amount: Int64) throws(CreditError) {
    let currency = try body.currency(["currency"])
    change.price = body.price(amount, in: currency)
    change.currency = currency
  }

  private func request(_ changes: [PaymentChange], _ paths: [String], reason: String? = nil)
    -> PaymentRequest
  {
    var request = PaymentRequest(event, changes, reason: reason)
    request.accountPaths = body.accountPaths(paths)
    if changes.contains(where: { $0.account == nil }) {
      request.otherAccountPaths = body.otherAccountPaths(
        folders: [
          "metadata", "parent.subscription_details.metadata", "subscription_details.metadata",
        ], ["client_reference_id", "customer", "customer_details.email", "customer_email"])
    }
    request.productPaths = body.productPaths(Self.products)
    return request
  }

  // MARK: Refunds and disputes

  /// Returns news of the payment of a charge.
  private func refund(_ effect: PaymentChange.Effect, of paid: Int64? = nil) throws(CreditError)
    -> PaymentRequest
  {
    guard let id = try body.id("payment_intent", "charge", "id") else { throw body.wrong("id") }
    var change = PaymentChange(transaction: id, effect)
    change.others = try body.others(
      than: id, event.type == "charge.refunded" ? "id" : "charge", "invoice")
    change.paid = paid
    // A dispute has a currency of its own.
    if case .dispute = effect {} else { change.currency = try body.refundedCurrency(["currency"]) }
    return PaymentRequest(event, [change])
  }

  /// A dispute takes the money when it is opened, and returns it when it is won. An inquiry takes
  /// none, unless it becomes a dispute of the same id.
  private func dispute() throws(CreditError) -> PaymentRequest {
    let status = try body.name("status").text
    if status.hasPrefix("warning_") { return PaymentRequest(event, reason: "inquiry") }
    let isBack = status == "won" || event.type == "charge.dispute.funds_reinstated"
    var request = try refund(
      .dispute(
        PaymentDispute(
          id: try body.name("id"), isTaken: status == "lost" || !isBack, at: event.at,
          amount: body.value("amount")?.int64.flatMap { $0 > 0 ? $0 : nil },
          currency: try body.refundedCurrency(["currency"]))))
    // Its opening has taken all, mostly.
    if status == "lost" { request.reason = "lost" }
    return request
  }
}
