/// A charge in the books. A class: most records are one, and passing its many texts by value would
/// be most of the work.
public final class Charge: Equatable, Sendable {
  public let receipt: CreditReceipt
  /// The key of a direct charge.
  public let key: Name?
  /// The buckets that paid.
  public let taken: BucketShares
  /// The text of an unreadable usage that was not needed, or that cost the minimum.
  public let unreadUsage: String?

  public init(
    receipt: CreditReceipt, key: Name? = nil, taken: BucketShares, unreadUsage: String? = nil
  ) {
    self.receipt = receipt
    self.key = key
    self.taken = taken
    self.unreadUsage = unreadUsage
  }

  public var amendment: Amendment? { receipt.details?.amendment }

  /// When limits count it: at its first charge, or at the time of the work if it was only billed.
  var countedAt: CountedInstant {
    guard let details = receipt.details else { return CountedInstant(chargedAt) }
    let usedAt = details.isArrears ? details.usedAt : nil
    return CountedInstant(min(usedAt ?? chargedAt, chargedAt), after: details.countedAfter)
  }

  /// Returns the same charge with the shares of limits that it has reached.
  func telling(_ crossed: [LimitCrossing]) -> Charge {
    var receipt = receipt
    let details = receipt.details ?? .empty
    receipt.details = details.with(
      reportedUSD: details.reportedUSD, costUSD: details.costUSD, tags: details.tags,
      amendment: details.amendment, catalogModel: details.catalogModel,
      limitUSD: details.limitUSD, paidBy: details.paidBy, limitsCrossed: crossed)
    return Charge(receipt: receipt, key: key, taken: taken, unreadUsage: unreadUsage)
  }

  /// The part that a repeat has to match.
  public var work: ChargedWork {
    ChargedWork(
      model: receipt.model, usage: receipt.usage, unreadUsage: unreadUsage,
      reportedUSD: receipt.details?.reportedUSD)
  }

  public static func == (left: Charge, right: Charge) -> Bool {
    left.receipt == right.receipt && left.key == right.key && left.taken == right.taken
      && left.unreadUsage == right.unreadUsage
  }
}

/// The work of a charge, which a repeat has to match.
public struct ChargedWork: Equatable, Sendable {
  /// As the request sent it.
  public var model: Name
  public var usage: Usage?
  /// The text of an unreadable usage.
  public var unreadUsage: String?
  public var reportedUSD: ExactDecimal?

  public init(
    model: Name, usage: Usage?, unreadUsage: String? = nil, reportedUSD: ExactDecimal? = nil
  ) {
    self.model = model
    self.usage = usage
    self.unreadUsage = unreadUsage
    self.reportedUSD = reportedUSD
  }

  /// Names the part of a request that differs, with both values if they can be compared. Nil if it
  /// is for the same work.
  func difference(from request: ChargeRequest) -> String? {
    if request.model != model {
      return "model (\(quoted(model.text)), now \(quoted(request.model.text)))"
    }
    let isSame =
      switch request.usage {
      case .counts(let counts): counts == usage
      case .unreadable(let raw, _):
        unreadUsage.map(raw.hasSameBytes) ?? false
      }
    if !isSame { return "usage" + comparison(with: request.usage) }
    if request.reportedUSD == reportedUSD { return nil }
    guard let reportedUSD, let now = request.reportedUSD else { return "reported cost" }
    return "reported cost (\(reportedUSD.text), now \(now.text))"
  }

  private func comparison(with other: ReportedUsage) -> String {
    switch (usage, other) {
    case (.units(let first), .counts(.units(let now))): return " (units \(first), now \(now))"
    case (.tokens(let first), .counts(.tokens(let now))):
      for count in UsageCount.allCases where first[count] != now[count] {
        return " (\(count.row.member) \(first[count]), now \(now[count]))"
      }
      for condition in UsageCondition.allCases where first[condition] != now[condition] {
        let (first, now) = (first[condition] ?? "none", now[condition] ?? "none")
        return " (\(condition.member) \(first), now \(now))"
      }
      return ""
    case (let first?, .counts(let now)): return " (\(first.firstCount), now \(now.firstCount))"
    default: return ""
    }
  }
}

extension Usage {
  /// Its first count above 0, with its name.
  fileprivate var firstCount: String {
    switch self {
    case .units(let units): return "units \(units)"
    case .tokens(let tokens):
      let count = UsageCount.allCases.first { tokens[$0] > 0 } ?? UsageCount.allCases[0]
      return "\(count.row.member) \(tokens[count])"
    }
  }
}

/// State of a charge before its amendment, and the credits the amendment moved. A class, as few
/// charges have one.
public final class Amendment: Equatable, Sendable {
  /// Number of amendments so far.
  public let number: Int64
  /// True if it only returns everything; a charge for another model follows.
  public let isReturn: Bool
  /// Time of the first charge for the work.
  public let chargedAt: Timestamp
  /// The work of the first charge; the charge is also known under it.
  public let first: ChargedWork
  /// Credits charged before this amendment.
  public let previousCredits: Credits
  /// The price in the previous lines of the history.
  public let previousPrice: PriceParts
  /// Change of the balance.
  public let credits: Credits
  /// Paid credits that could not be given back, the last taken first. They count as paid if a later
  /// amendment raises the charge.
  public let forfeited: BucketShares
  /// Credits taken or given back, if a grant is among the buckets; else nil.
  public let moved: BucketShares?
  /// Changes of the balances of the accounts above, in the order of their records.
  public let shares: [HeldShare]
  /// That of the record right before, if it has returned everything; not recorded here.
  public let returned: Amendment?

  public init(
    number: Int64, isReturn: Bool, chargedAt: Timestamp, first: ChargedWork,
    previousCredits: Credits, previousPrice: PriceParts, credits: Credits,
    forfeited: BucketShares, moved: BucketShares? = nil, shares: [HeldShare] = [],
    returned: Amendment? = nil
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
    self.returned = returned
  }

  /// Returns the credits that it lowered the charge by and gave back to no payer; below 0 if it
  /// took such credits again, nil if none.
  /// - Parameter isAfterReturn: nil if only its record is known.
  func forfeited(by charge: Charge, isAfterReturn: Bool? = nil) -> Credits? {
    let isSecond = isAfterReturn ?? mayFollowReturn(of: charge)
    let lowered = (isSecond ? 0 : previousCredits) &- charge.receipt.creditsCharged
    return lowered == movedByAll ? nil : lowered &- movedByAll
  }

  /// Returns the same of a new correction, with that of the record right before.
  public func forfeitedInAll(by charge: Charge) -> Credits {
    previousCredits &- charge.receipt.creditsCharged &- movedByAll &- (returned?.movedByAll ?? 0)
  }

  /// True if its record alone may be that of a charge after a return.
  func mayFollowReturn(of charge: Charge) -> Bool {
    let isSameWork = number == 1 && first.model == charge.receipt.model
    return !isReturn && !isSameWork && movedByAll <= 0 && previousPrice.usd == nil
  }

  /// Change of the balances of all payers.
  private var movedByAll: Credits { shares.reduce(credits) { $0 &+ $1.credits } }

  public static func == (left: Amendment, right: Amendment) -> Bool {
    left.number == right.number && left.isReturn == right.isReturn
      && left.chargedAt == right.chargedAt && left.first == right.first
      && left.previousCredits == right.previousCredits
      && left.previousPrice == right.previousPrice && left.credits == right.credits
      && left.forfeited == right.forfeited && left.moved == right.moved
      && left.shares == right.shares
  }
}

/// The price of a charge beside its credits.
public struct PriceParts: Equatable, Sendable {
  /// In dollars.
  public var usd: String?
  /// Amount that the provider took, if a markup made it differ.
  public var costUSD: String?
  /// Credits that an exempt account was not charged.
  public var waived: Credits?

  public init(usd: String? = nil, costUSD: String? = nil, waived: Credits? = nil) {
    self.usd = usd
    self.costUSD = costUSD
    self.waived = waived
  }

  init(_ receipt: CreditReceipt) {
    self.init(usd: receipt.usd, costUSD: receipt.details?.costUSD, waived: receipt.creditsWaived)
  }

  /// Returns these parts less the earlier ones. A part is nil if it is nil in both.
  func difference(from earlier: PriceParts) -> PriceParts {
    PriceParts(
      usd: Self.difference(usd, earlier.usd),
      costUSD: Self.difference(costUSD, earlier.costUSD),
      waived: waived == nil && earlier.waived == nil
        ? nil : (waived ?? 0).subtractingSaturating(earlier.waived ?? 0))
  }

  /// Returns an exact difference of dollars; nil counts as 0 unless both are nil.
  static func difference(_ left: String?, _ right: String?) -> String? {
    if left == nil, right == nil { return nil }
    return WideDecimal(text: left ?? "0").text(minus: WideDecimal(text: right ?? "0"))
  }
}
