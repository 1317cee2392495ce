internal import CreditJSON
public import CreditModel

struct Comparison {
  let bill: Bill
  let tolerance: Tolerance
  /// The first day that may still change.
  let openFrom: Int64

  func finding(_ line: ComparedLine) throws(CreditError) -> Finding {
    var finding = Finding(line: line)
    if line.currency != nil {
      finding.cause = isOpen(line) ? .open : isCredit(line) ? .credit : .notInBooks
      finding.compared = .usd
      return finding
    }
    let hasBill = line.bill.rowCount > 0 || line.bill.money != nil
    let hasBooks = line.books.lineCount > 0
    // A bill without any row has unknown contents.
    var comparesMoney = hasBill ? line.bill.money != nil : bill.hasMoney || !bill.hasUsage
    let comparesUsage = hasBill ? line.bill.isUsageKnown : bill.hasUsage || !bill.hasMoney
    finding.billUSD = line.bill.money
    finding.booksUSD = line.books.money
    if comparesMoney { comparesMoney = leaveOutOwnKeys(&finding) }
    if hasBill, hasBooks, comparesMoney != comparesUsage {
      finding.compared = comparesMoney ? .usd : .usage
    }
    finding.billCounts = try bill.folded(line.bill.usage)
    finding.bookCounts = try bill.folded(line.books.usage)
    if comparesUsage { finding.counts = try finding.billCounts.less(finding.bookCounts) }
    if comparesMoney {
      var difference = line.bill.money ?? .zero
      if let books = finding.booksUSD { try difference.add(books.negated) }
      finding.differenceUSD = difference
      if finding.hasOtherCounts, tolerance.allows(difference, of: finding.billUSD ?? .zero) {
        (finding.compared, finding.counts) = (.usd, Quantities())
      }
    }
    finding.agrees = isEqual(finding)
    finding.cause = cause(of: finding, hasBill: hasBill, hasBooks: hasBooks)
    if finding.cause == .quantity || finding.cause == .price { split(&finding) }
    return finding
  }

  private func cause(of finding: Finding, hasBill: Bool, hasBooks: Bool) -> Cause {
    let line = finding.line
    let isEqual = finding.agrees && line.books.unlistedCount == 0
    if isEqual, line.bill.unread.isEmpty { return .equal }
    if isOpen(line) { return .open }
    if isEqual { return .unread }
    if isCredit(line), !line.bill.hasUsage, !hasBooks { return .credit }
    if !hasBooks { return .notInBooks }
    if !hasBill || finding.agrees { return .notInBill }
    return finding.counts.isZero && finding.differenceUSD != nil ? .price : .quantity
  }

  private func isOpen(_ line: ComparedLine) -> Bool {
    line.day.map { $0.number >= openFrom } ?? false
  }

  private func isCredit(_ line: ComparedLine) -> Bool {
    line.bill.money.map { $0.coefficient < 0 } ?? false
  }

  /// Removes the cost of the caller's own keys from the books: the provider bills it, and the
  /// gateway only its fee. Books with the fee alone stay as they are: they are nearer to the bill.
  /// - Returns: false if the fee can't be compared, as the bill lacks the cost of such calls.
  private func leaveOutOwnKeys(_ finding: inout Finding) -> Bool {
    let bill = finding.line.bill
    guard bill.hasOwnKeys, let books = finding.booksUSD else { return true }
    if (bill.money ?? .zero).adding(books.negated)?.isZero ?? false { return true }
    if bill.lacksCostOfOwnKeys { return false }
    guard let cost = bill.costOfOwnKeys else { return true }
    // The books may have less for them than the provider took.
    let part = cost.isAtMost(books) ? cost : books
    let fee = books.adding(part.negated)
    guard let whole = difference(bill, books), let rest = fee.flatMap({ difference(bill, $0) }),
      !whole.isAtMost(rest)
    else { return true }
    finding.booksUSD = fee
    finding.ownKeyUSD = part
    return true
  }

  /// The size of the difference of a bill's money to another amount.
  private func difference(_ bill: BillSide, _ books: ExactDecimal) -> ExactDecimal? {
    (bill.money ?? .zero).adding(books.negated)?.size
  }

  /// Whether a line is within the tolerance. Without one all counts have to be the same, too.
  private func isEqual(_ finding: Finding) -> Bool {
    guard let difference = finding.differenceUSD else {
      return finding.counts.isZero && finding.line.bill.isUsageKnown
    }
    guard tolerance.allows(difference, of: finding.billUSD ?? .zero) else { return false }
    return finding.counts.isZero || !tolerance.isZero
  }

  /// Splits a difference into counts and prices, if either side shows its prices.
  private func split(_ finding: inout Finding) {
    let line = finding.line
    // The models of a day have no price together.
    guard let difference = finding.differenceUSD, line.subject != .all else { return }
    let time = bill.period.beginning(of: (line.day?.number ?? line.bill.call?.day ?? 0) + 1)
    let id: String? = if case .model(let id) = line.subject { id } else { line.bill.call?.model }
    let model = id.flatMap { bill.names.model($0, at: time) }
    let ofBill = UnitPrices(bill: line.bill, finding.billCounts)
    let ofBooks = UnitPrices(books: line.books, finding.bookCounts, model)
    finding.billPrices = ofBill.prices
    finding.bookPrices = ofBooks.prices
    guard finding.cause == .quantity else { return }
    guard let quantity = ofBill.cost(of: finding.counts) ?? ofBooks.cost(of: finding.counts),
      let price = difference.adding(quantity.negated)
    else { return }
    // Prices were rounded at six places; that much may be left of 0.
    let rounding = ExactDecimal(1, places: 6)
    if price.isZero || price.size.isAtMost(rounding) { return }
    finding.cause = .both
    finding.parts = (quantity, price)
  }
}

/// Price that one side of a line takes for each count, if that shows.
struct UnitPrices {
  /// Dollars for a million tokens, or a thousand calls, by place.
  private(set) var prices: [Int: ExactDecimal] = [:]

  private init() {}

  /// The prices of the bill: from its amounts by count, or of its single count.
  init(bill: BillSide, _ counts: Quantities) {
    for place in counts.places {
      let amount = bill.amounts[place] ?? (counts.places.count == 1 ? bill.money : nil)
      if let amount { prices[place] = Self.price(of: amount, for: counts[place], at: place) }
    }
  }

  /// The prices of the books: of their single count, or the catalog's if these give the books'
  /// amount.
  init(books: BookSide, _ counts: Quantities, _ model: PricedModel?) {
    guard let money = books.money else { return }
    if counts.places.count == 1, let place = counts.places.first {
      prices[place] = Self.price(of: money, for: counts[place], at: place)
    } else if let model, let listed = Self.listed(model, counts),
      listed.cost(of: counts).map({ $0.adding(money.negated)?.isZero ?? false }) == true
    {
      self = listed
    }
  }

  /// Dollars for a million tokens, or a thousand calls, at most six places after the point.
  private static func price(of amount: ExactDecimal, for count: Int64, at place: Int)
    -> ExactDecimal?
  {
    let unit: Int64 = Quantities.isOfCalls(place) ? 1000 : 1_000_000
    return amount.times(unit).flatMap { $0.divided(by: count, morePlaces: 6)?.quotient }
  }

  /// Returns a catalog's price for each of some counts; nil if it lacks one.
  private static func listed(_ model: PricedModel, _ counts: Quantities) -> UnitPrices? {
    var listed = UnitPrices()
    var rules = PriceRules()
    rules.minimumCharge = 0
    for place in counts.places {
      guard place != Quantities.unitsPlace else { return nil }
      var usage = TokenUsage(inputTokens: 0, outputTokens: 0)
      usage[UsageCount(at: place)] = 1
      guard
        let quote = try? rules.quote(.counts(.tokens(usage)), at: model.pricing, markup: .one),
        let usd = quote.usd?.withUTF8Bytes({ ExactDecimal(amount: $0) }),
        let price = usd.times(Quantities.isOfCalls(place) ? 1000 : 1_000_000)
      else { return nil }
      listed.prices[place] = price
    }
    return listed
  }

  /// Returns the cost of some counts at these prices. Nil if one has no price.
  func cost(of counts: Quantities) -> ExactDecimal? {
    var cost = ExactDecimal.zero
    for place in counts.places {
      guard let price = prices[place], let part = price.times(counts[place]),
        let sum = cost.adding(part.moved(right: Quantities.isOfCalls(place) ? 3 : 6))
      else { return nil }
      cost = sum
    }
    return cost
  }

  /// The member that a price is in lists: `input`, `webSearchPer1000`.
  static func name(at place: Int, ofCalls ending: String = "Per1000") -> String {
    guard place != Quantities.unitsPlace else { return "units" }
    let row = UsageCount(at: place).row
    return "\(row.price)" + (row.kind == .calls ? ending : "")
  }
}

/// Which models of a bill are which of the books.
public final class ModelMatch {
  private let maps: [String: String]
  private let catalog: (any PriceSource)?
  /// The models of the books that are compared; nil for all.
  let patterns: ModelPatterns?
  private var known: [String: String] = [:]
  /// Names on the bill, if some are mapped.
  private var billed: Set<String> = []

  /// - Parameters:
  ///   - maps: models of the bill, and their names in the books.
  ///   - catalog: has the ids and aliases of models; nil to compare names as they are.
  ///   - patterns: the models of the books that are compared; nil for all.
  public init(
    maps: [String: String] = [:], catalog: (any PriceSource)? = nil, patterns: ModelPatterns? = nil
  ) {
    (self.maps, self.catalog, self.patterns) = (maps, catalog, patterns)
  }

  /// Whether a line of the books is compared.
  func compares(_ line: JSONValue) throws(CreditError) -> Bool {
    guard let patterns else { return true }
    guard let name = line.string("model") else { return false }
    let names = [Name(trusted: name), Name(trusted: try id(of: name))]
    return patterns.names.contains { names.contains(where: $0.covers) }
  }

  func note(_ name: String?) {
    if !maps.isEmpty, let name { billed.insert(name) }
  }

  func id(ofBill name: String) throws(CreditError) -> String {
    note(name)
    return try id(of: maps[name] ?? name)
  }

  /// The mapped names that are not on the bill, each with those nearest to it.
  public var unusedMaps: [(name: String, nearest: [Name])] {
    let names = billed.map(Name.init(trusted:))
    return maps.keys.filter { !billed.contains($0) }.sorted().map {
      ($0, NearestNames.find(Name(trusted: $0), among: names))
    }
  }

  /// Returns the books' model id for a charge without a model on the bill.
  ///
  /// It is nil if the charge is not mapped to a model.
  func id(ofCharge text: String) throws(CreditError) -> String? {
    note(text)
    return try maps[text].map(id(of:))
  }

  func id(of name: String) throws(CreditError) -> String {
    guard let catalog else { return name }
    if let id = known[name] { return id }
    let id = try catalog.model(Name(trusted: name), at: .latest)?.id.text ?? name
    known[name] = id
    return id
  }

  /// The model in the catalog, with the price that was in force on a day.
  func model(_ id: String, at time: Timestamp) -> PricedModel? {
    (try? catalog?.model(Name(trusted: id), at: time)) ?? nil
  }
}
