/// A charge as the books keep it. A class: most records are one, and handing on its many texts by
/// value would be most of the work.
package final class Charge: Hashable, Sendable {
  package let receipt: CreditReceipt
  /// The key of a direct charge.
  package let key: Name?
  /// Which buckets paid.
  package let taken: BucketShares
  /// The text of a usage that could not be read and was not needed, or cost the minimum.
  package let unreadUsage: String?

  package init(
    receipt: CreditReceipt, key: Name? = nil, taken: BucketShares, unreadUsage: String? = nil
  ) {
    self.receipt = receipt
    self.key = key
    self.taken = taken
    self.unreadUsage = unreadUsage
  }

  /// What it was before it was amended; nil for one that was not.
  package var amendment: Amendment? { receipt.details?.amendment }

  /// When limits count it: when it was charged first, or, where it was only billed, when the work
  /// was done before that.
  var countedAt: CountedInstant {
    guard let details = receipt.details else { return CountedInstant(chargedAt) }
    let usedAt = details.isArrears ? details.usedAt : nil
    return CountedInstant(min(usedAt ?? chargedAt, chargedAt), after: details.countedAfter)
  }

  /// The same charge, which says what shares of limits it has come to.
  func telling(_ crossed: [LimitCrossing]) -> Charge {
    var receipt = receipt
    let details = receipt.details
    receipt.details = .of(
      usedAt: details?.usedAt, reportedUSD: details?.reportedUSD, costUSD: details?.costUSD,
      tags: details?.tags, isArrears: details?.isArrears ?? false, amendment: details?.amendment,
      catalogModel: details?.catalogModel, paidBy: details?.paidBy ?? [],
      countedAfter: details?.countedAfter ?? 0, limitsCrossed: crossed)
    return Charge(receipt: receipt, key: key, taken: taken, unreadUsage: unreadUsage)
  }

  /// What makes another charge the same.
  var work: ChargedWork {
    ChargedWork(
      model: receipt.model, usage: receipt.usage, unreadUsage: unreadUsage,
      reportedUSD: receipt.details?.reportedUSD)
  }

  package static func == (left: Charge, right: Charge) -> Bool {
    left.receipt == right.receipt && left.key == right.key && left.taken == right.taken
      && left.unreadUsage == right.unreadUsage
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(receipt.authorization.id) }
}

/// The work that a charge is for, as far as it makes another charge the same.
package struct ChargedWork: Hashable, Sendable {
  /// As the request sent it.
  package var model: Name
  package var usage: Usage?
  /// The text of a usage that could not be read.
  package var unreadUsage: String?
  package var reportedUSD: ExactDecimal?

  package init(
    model: Name, usage: Usage?, unreadUsage: String? = nil, reportedUSD: ExactDecimal? = nil
  ) {
    self.model = model
    self.usage = usage
    self.unreadUsage = unreadUsage
    self.reportedUSD = reportedUSD
  }

  /// Names the part of a request that differs. Nil if it is for the same work.
  func difference(from request: ChargeRequest) -> String? {
    if request.model != model { return "model" }
    let isSame =
      switch request.usage {
      case .counts(let counts): counts == usage
      case .unreadable(let raw, _):
        unreadUsage.map(raw.hasSameBytes) ?? false
      }
    if !isSame { return "usage" }
    return request.reportedUSD == reportedUSD ? nil : "reported cost"
  }
}

/// State of a charge before its amendment, and the credits the amendment moved. A class, as few
/// charges have one.
package final class Amendment: Hashable, Sendable {
  /// How many times the charge has been amended.
  package let number: Int64
  /// True if it only gives everything back; a charge for another model follows.
  package let isReturn: Bool
  /// When the work was charged first.
  package let chargedAt: Timestamp
  /// Work that it was charged for first; the charge is also known under it.
  package let first: ChargedWork
  /// What was charged before this amendment.
  package let previousCredits: Credits
  /// What the lines of the history before this one say that it cost.
  package let previousPrice: PriceParts
  /// What the balance changed by.
  package let credits: Credits
  /// Paid credits that could not be given back, the last taken first. They count as paid if a later
  /// amendment raises the charge.
  package let forfeited: BucketShares
  /// Credits taken or given back, if a grant is among the buckets; else nil.
  package let moved: BucketShares?
  /// Changes of the balances of the accounts above, in the order of their records.
  package let shares: [HeldShare]

  package init(
    number: Int64, isReturn: Bool, chargedAt: Timestamp, first: ChargedWork,
    previousCredits: Credits, previousPrice: PriceParts, credits: Credits,
    forfeited: BucketShares, moved: BucketShares? = nil, shares: [HeldShare] = []
  ) {
    self.number = number
    self.isReturn = isReturn
    self.chargedAt = chargedAt
    self.first = first
    self.previousCredits = previousCredits
    self.previousPrice = previousPrice
    self.credits = credits
    self.forfeited = forfeited
    self.moved = moved
    self.shares = shares
  }

  package static func == (left: Amendment, right: Amendment) -> Bool {
    left.number == right.number && left.isReturn == right.isReturn
      && left.chargedAt == right.chargedAt && left.first == right.first
      && left.previousCredits == right.previousCredits
      && left.previousPrice == right.previousPrice && left.credits == right.credits
      && left.forfeited == right.forfeited && left.moved == right.moved
      && left.shares == right.shares
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// What a charge cost beside the credits that were taken.
package struct PriceParts: Hashable, Sendable {
  /// In dollars.
  package var usd: String?
  /// Amount that the provider took, if a markup made it differ.
  package var costUSD: String?
  /// What an exempt account would have been charged.
  package var waived: Credits?

  package init(usd: String? = nil, costUSD: String? = nil, waived: Credits? = nil) {
    self.usd = usd
    self.costUSD = costUSD
    self.waived = waived
  }

  init(_ receipt: CreditReceipt) {
    self.init(
      usd: receipt.usd, costUSD: receipt.details?.costUSD, waived: receipt.creditsWaived)
  }

  /// Returns these parts less the earlier ones. A part is nil if it is nil in both.
  func difference(from earlier: PriceParts) -> PriceParts {
    PriceParts(
      usd: DollarDifference.text(usd, minus: earlier.usd),
      costUSD: DollarDifference.text(costUSD, minus: earlier.costUSD),
      waived: waived == nil && earlier.waived == nil
        ? nil : (waived ?? 0).subtractingSaturating(earlier.waived ?? 0))
  }
}

/// Differences of dollars as prices say them: exact, of any number of digits.
enum DollarDifference {
  /// Returns `left` less `right`, with a minus sign if it is negative. Nil counts as 0.
  /// - Returns: nil if both are nil.
  static func text(_ left: String?, minus right: String?) -> String? {
    if left == nil, right == nil { return nil }
    let (left, right) = (Parts(left ?? "0"), Parts(right ?? "0"))
    let scale = max(left.fraction.count, right.fraction.count)
    let count = max(left.whole.count, right.whole.count) + scale
    let (first, second) = (left.digits(count, scale), right.digits(count, scale))
    let isNegative = first.lexicographicallyPrecedes(second)
    var difference = isNegative ? subtract(first, from: second) : subtract(second, from: first)
    while difference.count > scale + 1, difference.last == 0 { difference.removeLast() }
    let text = difference.withUnsafeBufferPointer { DecimalDigits.text($0, scale: scale) }
    return isNegative ? "-" + text : text
  }

  /// The digits of a decimal text before and after the point.
  private struct Parts {
    let whole: Substring.UTF8View
    let fraction: Substring.UTF8View

    init(_ text: String) {
      let point = text.utf8.firstIndex(of: UInt8(ascii: "."))
      whole = text[..<(point ?? text.endIndex)].utf8
      fraction = point.map { text[text.utf8.index(after: $0)...].utf8 } ?? ""[...].utf8
    }

    /// So many digits, the first one first, of which `scale` are after the point.
    func digits(_ count: Int, _ scale: Int) -> [UInt8] {
      var digits = [UInt8](repeating: 0, count: count - scale - whole.count)
      digits += whole.map { $0 - UInt8(ascii: "0") }
      digits += fraction.map { $0 - UInt8(ascii: "0") }
      digits += [UInt8](repeating: 0, count: scale - fraction.count)
      return digits
    }
  }

  /// The digits of a difference that is not negative, the last one first.
  private static func subtract(_ small: [UInt8], from large: [UInt8]) -> [UInt8] {
    var difference: [UInt8] = []
    var borrowed: UInt8 = 0
    for place in large.indices.reversed() {
      let wanted = small[place] + borrowed
      borrowed = large[place] < wanted ? 1 : 0
      difference.append(large[place] + 10 * borrowed - wanted)
    }
    return difference
  }
}
