internal import CreditModel
internal import CreditReport

extension Finding {
  /// The cause in words: `quantity: 50,000 cacheWrite1hTokens more`.
  /// Counts that no price knows are said of every line that has some.
  package var words: String {
    let unread = unreadWords
    if cause == .unread { return "unread: \(unread)" }
    return unread.isEmpty ? causeWords : "\(causeWords); unread: \(unread)"
  }

  private var unreadWords: String {
    line.bill.unread.sorted { Name(trusted: $0.key) < Name(trusted: $1.key) }.map {
      "\($0.value.separated) \($0.key)"
    }.joined(separator: ", ")
  }

  private var causeWords: String {
    switch cause {
    case .equal, .open, .credit, .notInBooks, .unread: cause.words + currencyWords
    case .notInBill: "\(cause.words): \(callCount.separated) \(callCount == 1 ? "call" : "calls")"
    case .quantity: "quantity: \(countWords)"
    case .price: "price\(priceWords.isEmpty ? "" : ": \(priceWords)")"
    case .both:
      parts.map { "both: quantity \($0.quantity.shown), price \($0.price.shown)" } ?? cause.words
    }
  }

  private var currencyWords: String { line.currency.map { ", in \($0)" } ?? "" }

  private var countWords: String {
    if counts.isZero { return "the bill has counts of another kind" }
    return counts.places.map { place in
      let count = counts[place]
      let more = count > 0 ? "more" : "fewer"
      return "\(count.magnitude.separated) \(Quantities.member(at: place)) \(more)"
    }.joined(separator: ", ")
  }

  private var priceWords: String {
    changedPrices.map { place in
      let bill = billPrices[place]?.shortText ?? ""
      let books = bookPrices[place]?.shortText ?? ""
      let unit = Quantities.isOfCalls(place) ? "per 1000" : "per 1M"
      let name = UnitPrices.name(at: place).replacingSuffix("Per1000")
      return "\(name) \(bill) for \(books) \(unit)"
    }.joined(separator: ", ")
  }
}

extension String {
  /// The text without an ending.
  fileprivate func replacingSuffix(_ ending: String) -> String {
    hasSuffix(ending) ? String(dropLast(ending.count)) : self
  }
}
