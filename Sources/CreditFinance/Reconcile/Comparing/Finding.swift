public import CreditModel

public struct Finding {
  enum Compared: String {
    case all
    /// Dollars alone, as the bill has no counts of it, or all are of kinds that the books lack.
    case usd
    /// Counts alone, as the bill has no dollars of it.
    case usage
  }

  let line: ComparedLine
  public var cause = Cause.equal
  /// True if what is compared agrees: dollars within the tolerance, and counts.
  var agrees = false
  var compared = Compared.all
  /// The counts of both sides, at the bill's level of detail.
  var billCounts = Quantities()
  var bookCounts = Quantities()
  /// Bill less books, of each count.
  var counts = Quantities()
  /// Nil if the bill has no dollars of it.
  public var billUSD: ExactDecimal?
  /// The books' dollars; only compared if the bill has dollars.
  public var booksUSD: ExactDecimal?
  /// The cost of the caller's own keys, left out of ``booksUSD``, if any.
  var ownKeyUSD: ExactDecimal?
  /// Bill less books; nil if dollars are not compared.
  public var differenceUSD: ExactDecimal?
  /// The part of the difference that counts make, and the part that prices make.
  var parts: (quantity: ExactDecimal, price: ExactDecimal)?
  /// The places of its result's amounts.
  var places = ShownPlaces()
  var billPrices: [Int: ExactDecimal] = [:]
  var bookPrices: [Int: ExactDecimal] = [:]

  /// `2026-11-01`; empty if the line has no day.
  public var day: String { line.day?.text ?? "" }

  public var subject: Subject { line.subject }

  /// The bill's amount, in dollars or the line's currency.
  var billMoney: ExactDecimal? { line.currency == nil ? billUSD : line.bill.money }

  /// Keys of the calls that the bill lacks, if it lists calls; else of all calls.
  public var keys: [String] { lacksCalls ? line.books.unlistedKeys : line.books.keys }

  /// Number of the same calls.
  public var callCount: Int64 { lacksCalls ? line.books.unlistedCount : line.books.callCount }

  /// True if only the books have it, without dollars and counts.
  var isBare: Bool {
    line.currency == nil && line.bill.rowCount == 0 && bookCounts.isZero && booksUSD == nil
  }

  /// True if both sides have counts, and none of the same kind: images there, tokens here.
  var hasOtherCounts: Bool {
    !billCounts.isZero && !bookCounts.isZero
      && billCounts.places.allSatisfy { bookCounts[$0] == 0 }
  }

  /// True if the bill lacks some of the line's calls, which neither dollars nor counts show.
  var lacksCalls: Bool {
    line.books.unlistedCount > 0 && cause.isDifference && (agrees || cause != .notInBill)
  }

  /// The places at which both sides have a price, and not the same.
  var changedPrices: [Int] {
    billPrices.keys.sorted().filter { place in
      guard let bill = billPrices[place], let books = bookPrices[place] else { return false }
      return bill.text != books.text
    }
  }

  /// The cause in words: `quantity: 50,000 cacheWrite1hTokens more`. Calls that the bill lacks and
  /// counts without a price are named for every line that has some.
  public var words: String { sentence(ShownPlaces.plain) }

  /// - Parameter text: writes an amount.
  func sentence(_ text: (ShownPlaces) -> (ExactDecimal) -> String) -> String {
    var words = cause == .unread ? [] : [causeWords(text(places))]
    if lacksCalls, cause != .notInBill { words.append(missingWords) }
    if hasOtherCounts, compared == .usd {
      let kinds = billCounts.places.map(Quantities.member).joined(separator: ", ")
      words.append("by dollars alone, as the bill counts \(kinds)")
    }
    let unread = line.bill.unread.sorted { Name(trusted: $0.key) < Name(trusted: $1.key) }
      .map { "\($0.value.separated) \($0.key)" }
    if !unread.isEmpty { words.append("unread: \(unread.joined(separator: ", "))") }
    return words.joined(separator: "; ")
  }

  private var missingWords: String {
    "\(Cause.notInBill.words): \(callCount.counted("call"))"
  }

  private func causeWords(_ text: (ExactDecimal) -> String) -> String {
    switch cause {
    case .equal, .open, .credit, .notInBooks, .unread:
      cause.words + (line.currency.map { ", in \($0)" } ?? "")
    case .notInBill: missingWords
    case .quantity: "quantity: \(countWords)"
    case .price: "price\(priceWords.isEmpty ? "" : ": \(priceWords)")"
    case .both:
      parts.map { parts in
        "both: quantity \(text(parts.quantity)), price \(text(parts.price))"
      } ?? cause.words
    }
  }

  private var countWords: String {
    if counts.isZero { return "the bill has counts of another kind" }
    return counts.places.map { place in
      let count = counts[place]
      let more = count > 0 ? "more" : "fewer"
      return "\(count.magnitude.separated) \(Quantities.member(at: place)) \(more)"
    }.joined(separator: ", ")
  }

  private var priceWords: String {
    // Amounts of several counts together do not show their prices.
    let isUnknown = changedPrices.isEmpty
    let words = (isUnknown ? billCounts.places : changedPrices).map { place in
      let name = UnitPrices.name(at: place, ofCalls: "")
      let unit = Quantities.isOfCalls(place) ? "per 1000" : "per 1M"
      guard let bill = billPrices[place] else { return name }
      let books = bookPrices[place]
      var shown = ShownPlaces([bill, books], atLeast: 4)
      // Prices that differ are never shown as the same.
      let isRounded = shown.foot { $0.plain(bill) != books.map($0.plain) }
      func text(_ price: ExactDecimal) -> String { (isRounded ? shown.rounded(price) : price).text }
      return books.map { "\(name) \(text(bill)) for \(text($0)) \(unit)" }
        ?? "\(name) (billed \(text(bill)) \(unit))"
    }
    return (isUnknown && words.count > 1 ? "one or more of " : "") + words.joined(separator: ", ")
  }
}
