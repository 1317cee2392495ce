public import CreditBytes
internal import CreditJSON
internal import CreditModel

extension JSONWriter {
  public mutating func finding(_ finding: Finding, by grouping: Grouping) {
    beginObject()
    if grouping.hasDay { member("day", finding.day) }
    switch finding.subject {
    case .all: break
    case .model(let id): member("model", id)
    case .charge(let text): member("description", text)
    case .call(let key): member("key", key)
    }
    if let currency = finding.line.currency {
      member("currency", currency)
      if let money = finding.line.bill.money { member("bill", money.text) }
    } else {
      key("usage")
      beginObject()
      quantities("bill", finding.billCounts)
      quantities("books", finding.bookCounts)
      endObject()
      if let money = finding.billUSD { member("billUSD", money.text) }
      if let money = finding.booksUSD { member("booksUSD", money.text) }
      if let money = finding.differenceUSD { member("differenceUSD", money.text) }
    }
    member("cause", finding.cause.rawValue)
    facts(finding)
    endObject()
  }

  private mutating func facts(_ finding: Finding) {
    if finding.compared != .all, finding.line.currency == nil {
      member("compared", finding.compared.rawValue)
    }
    switch finding.cause {
    case .quantity, .both: quantities("counts", finding.counts)
    case .notInBooks, .credit:
      let texts = finding.line.bill.descriptions
      if case .charge = finding.subject, texts.count <= 1 { break }
      if texts.count == 1 { member("description", texts[0]) }
      if texts.count > 1 { member("descriptions", texts, List<Text>.self) }
    case .equal, .price, .open, .unread, .notInBill: break
    }
    if finding.cause == .notInBill || finding.lacksCalls {
      member("calls", finding.callCount, Whole.self)
      member("keys", finding.keys, List<Text>.self)
    }
    if let cost = finding.ownKeyUSD { member("ownKeyUSD", cost.text) }
    if let parts = finding.parts {
      member("quantityUSD", parts.quantity.text)
      member("priceUSD", parts.price.text)
    }
    if finding.cause == .price || finding.cause == .both { prices(finding) }
    if !finding.line.bill.unread.isEmpty {
      let unread = finding.line.bill.unread.sorted { Name(trusted: $0.key) < Name(trusted: $1.key) }
      map("unread", unread.map { ($0.key, $0.value) }) { $0.integer($1) }
    }
  }

  private mutating func prices(_ finding: Finding) {
    if finding.billPrices.isEmpty, finding.bookPrices.isEmpty { return }
    key("pricePer1M")
    beginObject()
    for (name, prices) in [
      ("bill" as StaticString, finding.billPrices), ("books", finding.bookPrices),
    ] {
      let sorted = prices.sorted { $0.key < $1.key }
      map(name, sorted.map { (UnitPrices.name(at: $0.key), $0.value.text) }) { $0.string($1) }
    }
    endObject()
  }

  private mutating func quantities(_ name: StaticString, _ counts: Quantities) {
    map(name, counts.places.map { (Quantities.member(at: $0), counts[$0]) }) { $0.integer($1) }
  }

  /// Writes an object with members that names are made for.
  private mutating func map<Value>(
    _ name: StaticString, _ members: [(name: String, value: Value)],
    _ write: (inout JSONWriter, Value) -> Void
  ) {
    key(name)
    beginObject()
    for member in members {
      member.name.withUTF8Bytes { key(utf8: $0) }
      write(&self, member.value)
    }
    endObject()
  }

  public mutating func totals(_ totals: Totals) {
    beginObject()
    member("total", true, Truth.self)
    member("since", totals.since, Time.self)
    member("until", totals.until, Time.self)
    if let money = totals.billUSD { member("billUSD", money.text) }
    if let money = totals.booksUSD { member("booksUSD", money.text) }
    if let money = totals.differenceUSD { member("differenceUSD", money.text) }
    if let money = totals.uncomparedUSD, !money.isZero {
      member("uncomparedUSD", money.text)
    }
    let sums = Cause.allCases.compactMap { cause in
      totals.causes[cause].map { (cause.rawValue, $0.text) }
    }
    map("causes", sums) { $0.string($1) }
    member("days", totals.dayNumbers.count, Count.self)
    member("models", totals.models.count, Count.self)
    let counts = Cause.allCases.compactMap { cause in
      totals.lineCounts[cause].map { (cause.rawValue, $0) }
    }
    map("lines", counts) { $0.integer($1) }
    if totals.movedCount > 0 { member("moved", totals.movedCount, Whole.self) }
    if totals.outside.count > 0 { member("outside", totals.outside.count, Whole.self) }
    if let money = totals.outside.usd { member("outsideUSD", money.text) }
    if totals.repeatedCount > 0 { member("repeatedIds", totals.repeatedCount, Whole.self) }
    if totals.leftOutCount > 0 { member("leftOut", totals.leftOutCount, Whole.self) }
    if totals.uncomparedCount > 0 { member("uncompared", totals.uncomparedCount, Whole.self) }
    member("tolerance", totals.tolerance.text)
    member("ok", totals.isOK, Truth.self)
    endObject()
  }
}
