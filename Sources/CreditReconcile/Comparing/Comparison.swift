internal import CreditModel
internal import CreditReport

/// Compares the lines of a bill with those of the books.
struct Comparison {
  let bill: Bill
  let tolerance: Tolerance
  /// The first day that may still change.
  let openFrom: Int64

  func finding(_ line: Line) throws(CreditError) -> Finding {
    var finding = Finding(line)
    if line.currency != nil {
      finding.cause = isOpen(line) ? .open : isCredit(line) ? .credit : .notInBooks
      finding.compared = .usd
      return finding
    }
    let hasBill = line.bill.rowCount > 0 || line.bill.money != nil
    let hasBooks = line.books.lineCount > 0
    // Of a bill without any row nothing shows what it would have.
    var comparesMoney = hasBill ? line.bill.money != nil : bill.hasMoney || !bill.hasUsage
    let comparesUsage = hasBill ? line.bill.isUsageKnown : bill.hasUsage || !bill.hasMoney
    finding.billUSD = line.bill.money
    finding.booksUSD = line.books.money
    if comparesMoney { comparesMoney = try leaveOutOwnKeys(&finding) }
    if hasBill, hasBooks, comparesMoney != comparesUsage {
      finding.compared = comparesMoney ? .usd : .usage
    }
    finding.billCounts = try bill.folded(line.bill.usage)
    finding.bookCounts = try bill.folded(line.books.usage)
    if comparesUsage { finding.counts = try finding.billCounts.less(finding.bookCounts) }
    if comparesMoney {
      var difference = line.bill.money ?? DecimalSum()
      if let books = finding.booksUSD { try difference.add(books.negated) }
      finding.differenceUSD = difference
    }
    finding.cause = cause(of: finding, hasBill: hasBill, hasBooks: hasBooks)
    if finding.cause == .quantity || finding.cause == .price { split(&finding) }
    return finding
  }

  private func cause(of finding: Finding, hasBill: Bool, hasBooks: Bool) -> Cause {
    let line = finding.line
    let isEqual = isEqual(finding)
    if isEqual, line.bill.unread.isEmpty { return .equal }
    if isOpen(line) { return .open }
    if isEqual { return .unread }
    if isCredit(line), !line.bill.hasUsage, !hasBooks { return .credit }
    if !hasBooks { return .notInBooks }
    if !hasBill { return .notInBill }
    return finding.counts.isZero && finding.differenceUSD != nil ? .price : .quantity
  }

  private func isOpen(_ line: Line) -> Bool { line.day.map { $0.number >= openFrom } ?? false }

  private func isCredit(_ line: Line) -> Bool {
    line.bill.money.map { $0.coefficient < 0 } ?? false
  }

  /// Takes what the caller's own keys cost off the books: the provider bills it, and the gateway
  /// only its fee. Books that have the fee alone stay as they are.
  /// - Returns: whether the fee can be compared: not if the bill does not say what such calls cost.
  private func leaveOutOwnKeys(_ finding: inout Finding) throws(CreditError) -> Bool {
    let bill = finding.line.bill
    guard bill.hasOwnKeys, let books = finding.booksUSD else { return true }
    if (bill.money ?? DecimalSum()).plus(books.negated)?.isZero ?? false { return true }
    if bill.lacksCostOfOwnKeys { return false }
    guard let cost = bill.costOfOwnKeys else { return true }
    finding.booksUSD = books
    try finding.booksUSD.add(cost.negated)
    finding.ownKeyUSD = cost
    return true
  }

  /// Whether a line is within the tolerance. Without one all counts have to be the same, too.
  private func isEqual(_ finding: Finding) -> Bool {
    guard let difference = finding.differenceUSD else {
      return finding.counts.isZero && finding.line.bill.isUsageKnown
    }
    guard tolerance.allows(difference, of: finding.billUSD ?? DecimalSum()) else { return false }
    return finding.counts.isZero || !tolerance.isZero
  }

  /// Tells what counts make of a difference from what prices make of it, as far as either side
  /// shows its prices.
  private func split(_ finding: inout Finding) {
    let line = finding.line
    // The models of a day have no price together.
    guard let difference = finding.differenceUSD, line.subject != .all else { return }
    let time = bill.period.beginning(of: (line.day?.number ?? 0) + 1)
    let model: PricedModel? =
      if case .model(let id) = line.subject { bill.names.model(id, at: time) } else { nil }
    let ofBill = UnitPrices(bill: line.bill, finding.billCounts)
    let ofBooks = UnitPrices(books: line.books, finding.bookCounts, model)
    finding.billPrices = ofBill.prices
    finding.bookPrices = ofBooks.prices
    guard finding.cause == .quantity else { return }
    guard let quantity = ofBill.cost(of: finding.counts) ?? ofBooks.cost(of: finding.counts),
      let price = difference.plus(quantity.negated)
    else { return }
    // Prices were rounded at six places; so much may be left of nothing.
    let rounding = DecimalSum(coefficient: 1, places: 6)
    if price.isZero || price.size.isAtMost(rounding) { return }
    finding.cause = .both
    finding.parts = (quantity, price)
  }
}
