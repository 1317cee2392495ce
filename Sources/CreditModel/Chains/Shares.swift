// Shares of a chain's accounts in holds, charges and refunds. The record of the account itself
// contains all of them; each other account has a record of its own share beside it.

/// The part of a hold that one account of a chain holds.
public struct HeldShare: Equatable, Sendable {
  public var account: Name
  /// 0 for an account that the hold only passed on its way up.
  public var credits: Credits

  public init(account: Name, credits: Credits) {
    self.account = account
    self.credits = credits
  }
}

/// The payment for a charge by an account above the charged one.
public struct PaidShare: Equatable, Sendable {
  public var account: Name
  /// 0 for an account that the charge only passed on its way up.
  public var credits: Credits
  /// Credits that an exempt account was not charged.
  public var waived: Credits
  /// The buckets that paid.
  public var taken: BucketShares
  /// Credits that could not be given back to it, the last taken first.
  public var forfeited: BucketShares
  /// Its balance right after.
  public var newBalance: Credits
  /// The thresholds of the policy that it has fallen below, the highest first.
  public var crossed: [Credits]?
  /// Number of the way up the chain: later ones came after the account was moved.
  public var way: Int64
  /// See ``CountedInstant/after``.
  public var countedAfter: Int64

  public init(
    account: Name, credits: Credits = 0, waived: Credits = 0, taken: BucketShares = [],
    forfeited: BucketShares = [], newBalance: Credits = 0, crossed: [Credits]? = nil,
    way: Int64 = 0, countedAfter: Int64 = 0
  ) {
    (self.account, self.credits, self.waived) = (account, credits, waived)
    (self.taken, self.forfeited) = (taken, forfeited)
    (self.newBalance, self.crossed) = (newBalance, crossed)
    (self.way, self.countedAfter) = (way, countedAfter)
  }

  /// Whether no part of the charge is left with it.
  var isEmpty: Bool { credits == 0 && waived == 0 && forfeited.isEmpty }
}

extension [PaidShare] {
  // By place: an element of its own would be a copy.
  var credits: Credits { indices.reduce(0) { $0 &+ self[$1].credits } }
  var waived: Credits { indices.reduce(0) { $0 &+ self[$1].waived } }

  /// The order of refunding: the farthest first, in the order of first payments. An account that
  /// paid again by another way goes by its first payment.
  var placesToGiveBack: [Int] {
    func first(_ place: Int) -> Int { firstIndex { $0.account == self[place].account } ?? place }
    return indices.sorted { (first($0), $0) > (first($1), $1) }
  }

  /// Payments added up for each account: one that was moved has paid by several ways.
  public var byAccount: [PaidShare] {
    guard let last, last.way > 0 else { return self }
    var sums: [PaidShare] = []
    for share in self {
      let place = sums.firstIndex { $0.account == share.account }
      // Accounts that were removed from the books have no name to distinguish them by.
      if let place, share.account != .nobody {
        sums[place].credits += share.credits
        sums[place].newBalance = share.newBalance
      } else {
        sums.append(share)
      }
    }
    return sums
  }
}

/// The refund of a charge to an account above the charged one.
public struct PaidBackShare: Equatable, Sendable {
  public var account: Name
  /// 0 for an account that it only passed on its way back.
  public var credits: Credits
  /// Credits that could not be given back, as their bucket has expired since.
  public var forfeited: Credits
  public var newBalance: Credits
  public var crossed: [Credits]?

  public init(
    account: Name, credits: Credits, forfeited: Credits = 0, newBalance: Credits,
    crossed: [Credits]? = nil
  ) {
    (self.account, self.credits, self.forfeited) = (account, credits, forfeited)
    (self.newBalance, self.crossed) = (newBalance, crossed)
  }
}

/// The effect of another account's record on this one, above it in the chain. A class, as few
/// records have one.
public final class Share: Equatable, Sendable {
  /// The action on the other account.
  public enum Step: Equatable, Sendable {
    case hold, void, charge
    /// - Parameter isReturn: see ``Amendment/isReturn``.
    case amend(number: Int64, isReturn: Bool)
    case refund(number: Int64)
  }

  /// A hold that was set aside, or freed.
  public struct Hold: Equatable, Sendable {
    public var credits: Credits
    /// The part held by the accounts above.
    public var passed: Credits
    public var expiresAt: Timestamp

    public init(credits: Credits, passed: Credits, expiresAt: Timestamp) {
      (self.credits, self.passed, self.expiresAt) = (credits, passed, expiresAt)
    }
  }

  /// The account whose record it is a share of.
  public let member: Name
  public let authorization: Name
  public let step: Step
  public let held: Hold?
  public let released: Hold?
  /// Change of the balance.
  public let credits: Credits
  /// The buckets that paid, or were given back to.
  public let buckets: BucketShares
  /// Credits that limits count, for `model` and at `countedAt`.
  public let counted: Credits
  /// Work that limits of other units count.
  public let countedWork: WorkMeasure
  public let model: Name?
  public let countedAt: CountedInstant
  /// The work that moved its credits, for the line of the history.
  public let work: Work

  /// The work that a share was paid for, as the request named it.
  public struct Work: Equatable, Sendable {
    /// The model's name in the request, if limits count the work under another one.
    public var model: Name?
    /// Time of the work, if the request had one; a refund has a time of its own.
    public var usedAt: Timestamp?

    public init(model: Name? = nil, usedAt: Timestamp? = nil) {
      self.model = model
      self.usedAt = usedAt
    }
  }

  public init(
    member: Name, authorization: Name, step: Step, held: Hold? = nil, released: Hold? = nil,
    credits: Credits = 0, buckets: BucketShares = [], counted: Credits = 0,
    countedWork: WorkMeasure = .none, model: Name? = nil, countedAt: CountedInstant,
    work: Work = Work()
  ) {
    (self.member, self.authorization, self.step) = (member, authorization, step)
    (self.held, self.released) = (held, released)
    (self.credits, self.buckets) = (credits, buckets)
    (self.counted, self.countedWork) = (counted, countedWork)
    (self.model, self.countedAt, self.work) = (model, countedAt, work)
  }

  public static func == (left: Share, right: Share) -> Bool {
    left.member == right.member && left.authorization == right.authorization
      && left.step == right.step && left.held == right.held && left.released == right.released
      && left.credits == right.credits && left.buckets == right.buckets
      && left.counted == right.counted && left.countedWork == right.countedWork
      && left.model == right.model
      && left.countedAt == right.countedAt && left.work == right.work
  }

  public func renamed(member: Name) -> Share {
    Share(
      member: member, authorization: authorization, step: step, held: held, released: released,
      credits: credits, buckets: buckets, counted: counted, countedWork: countedWork,
      model: model, countedAt: countedAt, work: work)
  }
}

/// The share record that has to follow another account's record.
public struct ExpectedShare: Equatable, Sendable {
  public let account: Name
  public let member: Name
  public let authorization: Name
  public var credits: Credits = 0
  var held: Share.Hold?
  var released: Share.Hold?
  /// Nil if the record lacks it.
  var counted: Credits?
  /// The charge whose work its limits of other units count; nil if the record lacks it.
  var charge: Charge?
  /// Whether credits of that charge reach its account.
  var isReached = false
  /// The work of the record, under the request's name.
  var work = Share.Work()

  /// Whether a record is that of this share with any amount.
  public func isRecorded(by record: LedgerRecord) -> Bool {
    guard case .share(let share) = record.event else { return false }
    return record.account.name == account && share.member == member
      && share.authorization == authorization
  }

  /// Returns the fault of a record in this share's place, if any.
  public func fault(of record: LedgerRecord) -> String? {
    guard isRecorded(by: record), case .share(let share) = record.event else {
      return "is not the share of account \(quoted(account.text)) in authorization "
        + "\(quoted(authorization.text))"
    }
    // Nil if its account counts work, and the charge is not known.
    let expectedWork: WorkMeasure? =
      record.account.countsWork ? charge.map { isReached ? $0.measure : .none } : WorkMeasure.none
    let isSame =
      share.credits == credits && share.held == held && share.released == released
      && share.counted == counted ?? share.counted
      && share.countedWork == expectedWork ?? share.countedWork
      // Earlier tools did not record the work.
      && share.work.model ?? work.model == work.model
      && share.work.usedAt ?? work.usedAt == work.usedAt
    return isSame ? nil : "has a share other than the record before it names"
  }
}

extension LedgerRecord {
  /// Whether a following record belongs to it: both or neither are kept.
  public var beginsGroup: Bool {
    switch event {
    case .transferOut(let transfer): transfer.to != .nobody
    case .topUp: isOfBonus
    default: !expectedShares.isEmpty
    }
  }

  /// Whether it belongs to a previous record: both or neither are kept. Its partner may have been
  /// removed with its account.
  public var continuesGroup: Bool {
    switch event {
    case .transferIn(let transfer): transfer.from != .nobody
    case .share(let share): share.member != .nobody
    case .topUp(let topUp): !topUp.bonuses.isEmpty
    default: false
    }
  }

  /// The shares of other accounts in the record, in the order of the following records. Accounts
  /// that were removed from the books have none.
  public var expectedShares: [ExpectedShare] {
    switch event {
    case .authorization(let authorization):
      return authorization.partsAbove.compactMap {
        share(of: $0, in: authorization, held: $1, counted: 0)
      }
    case .void(let authorization): return released(authorization)
    case .charge(let charge): return paid(charge)
    case .amend(let charge):
      return (charge.amendment?.shares ?? []).compactMap {
        share(of: $0.account, in: charge.receipt.authorization, $0.credits, of: event.sharedWork)
      }
    case .chargeRefund(let charge, let refund):
      return refund.refundedTo.compactMap {
        share(of: $0.account, in: charge.receipt.authorization, $0.credits, of: event.sharedWork)
      }
    default: return []
    }
  }

  /// - Parameter counted: nil if the record lacks it.
  private func share(
    of account: Name, in authorization: CreditAuthorization, _ credits: Credits = 0,
    held: Share.Hold? = nil, released: Share.Hold? = nil, counted: Credits? = nil,
    of work: Share.Work = Share.Work()
  ) -> ExpectedShare? {
    if account == .nobody { return nil }
    return ExpectedShare(
      account: account, member: self.account.name, authorization: authorization.id,
      credits: credits, held: held, released: released, counted: counted, work: work)
  }

  /// Returns the parts of a hold that are freed. An expired hold is free already.
  private func released(_ authorization: CreditAuthorization) -> [ExpectedShare] {
    guard let hold = authorization.hold, hold.expiresAt > account.updatedAt else { return [] }
    return authorization.partsAbove.compactMap {
      share(of: $0, in: authorization, released: $1, counted: 0)
    }
  }

  /// Each account above counts its payment, and credits that passed it on their way up.
  private func paid(_ charge: Charge) -> [ExpectedShare] {
    var freed = released(charge.receipt.authorization)
    let (paidBy, work) = (charge.receipt.paidBy, event.sharedWork)
    var reached = paidBy.credits
    var shares: [ExpectedShare] = []
    for place in paidBy.indices {
      let counted = reached
      reached &-= paidBy[place].credits
      if paidBy[place].account == .nobody { continue }
      let hold = freed.firstIndex { $0.account == paidBy[place].account }
      shares.append(
        ExpectedShare(
          account: paidBy[place].account, member: account.name,
          authorization: charge.receipt.authorization.id, credits: 0 &- paidBy[place].credits,
          released: hold.flatMap { freed.remove(at: $0).released }, counted: counted,
          charge: charge, isReached: counted > 0, work: work))
    }
    return freed.isEmpty ? shares : shares + freed
  }
}

extension LedgerEvent {
  /// The charge in which other accounts of the chain have shares.
  var sharedCharge: Charge? {
    switch self {
    case .charge(let charge), .amend(let charge), .chargeRefund(let charge, _): charge
    default: nil
    }
  }

  var sharedWork: Share.Work {
    guard let charge = sharedCharge else { return Share.Work() }
    var work = Share.Work(model: charge.receipt.model)
    if case .chargeRefund = self { return work }
    work.usedAt = charge.receipt.details?.usedAt
    return work
  }
}

extension CreditAuthorization {
  var heldAbove: ArraySlice<HeldShare> { hold?.heldBy.dropFirst() ?? [] }

  fileprivate var partsAbove: [(account: Name, part: Share.Hold)] {
    guard let hold else { return [] }
    return hold.heldBy.indices.dropFirst().map { (hold.heldBy[$0].account, hold.part($0)) }
  }
}

extension CreditAuthorization.Hold {
  /// Returns the part that the accounts above one of its chain hold.
  /// - Parameter place: the account's place in `heldBy`.
  func passed(by place: Int) -> Credits {
    heldBy.dropFirst(place + 1).reduce(0) { $0 &+ $1.credits }
  }

  func part(_ place: Int) -> Share.Hold {
    if heldBy.isEmpty { return Share.Hold(credits: credits, passed: 0, expiresAt: expiresAt) }
    return Share.Hold(
      credits: heldBy[place].credits, passed: passed(by: place), expiresAt: expiresAt)
  }
}

extension Refund {
  /// Credits returned to the charged account itself.
  public var ownCredits: Credits { refundedTo.reduce(credits) { $0 &- $1.credits } }

  /// All credits requested back of a charge or a purchase, forfeited ones included.
  public var requested: Credits { before &+ credits &+ forfeited &+ forfeitedBefore }
}
