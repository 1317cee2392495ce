/// An account above another one in its chain, while a request uses both.
///
/// Exclusivity is unchecked: one request uses it, a step at a time, and the checks would be a tenth
/// of a charge.
final class ChainAccount {
  @exclusivity(unchecked) var account: Account
  /// The books that have a copy of the account; nil after the request's first change.
  @exclusivity(unchecked) private var lender: (any LedgerBooks)?
  /// Its clock's turns since its last record.
  @exclusivity(unchecked) var preceding: [LedgerRecord] = []
  let balanceBefore: Credits
  /// Changes by the request since its last share was closed.
  @exclusivity(unchecked) var done = Done()
  @exclusivity(unchecked) var hasShares = false
  /// The place of its last count by this request: a correction may return all and take it again.
  @exclusivity(unchecked) private(set) var countedAfter: Int64 = 0

  struct Done {
    var held: Share.Hold?
    var released: Share.Hold?
    var credits: Credits = 0
    var buckets = BucketShares()
    var forfeited: Credits = 0
    var counted: Credits = 0
    /// Work that its limits of other units count.
    var countedWork = WorkMeasure.none
    var countedAfter: Int64 = 0
    /// Whether it had credits for some models only as it paid.
    var goesByModel = false
    /// Whether it gets a record.
    var isReached = false
  }

  /// - Parameters:
  ///   - account: as its last record left it.
  ///   - books: those that keep a copy of it; nil if none do.
  init(_ account: consuming Account, of books: (any LedgerBooks)? = nil) {
    balanceBefore = account.balance
    self.account = account
    lender = books
  }

  /// Notes that the request changes the account, so that it gets a record.
  private func reach() {
    done.isReached = true
    // Of two copies the changed one would need memory of its own.
    lender?.drop(account.name)
    lender = nil
  }

  /// Asks the account in place: reading the property would copy it.
  @inline(__always)
  func ask<Answer>(_ question: (inout Account) -> Answer) -> Answer { question(&account) }

  /// Returns the record of its share in another account's record; a later one covers later changes.
  func closeShare(in record: LedgerRecord, _ authorization: Name, under policy: Policy)
    -> LedgerRecord
  {
    let model =
      done.counted == 0 && done.countedWork == .none && !done.goesByModel
      ? nil : record.event.sharedCharge.flatMap { $0.receipt.pricedModel }
    var work = done.credits == 0 ? Share.Work() : record.event.sharedWork
    if work.model == model { work.model = nil }
    let share = share(
      of: record.account.name, in: authorization, record.event.shareStep, model: model,
      at: record.event.sharedCharge?.countedAt.time ?? account.updatedAt, work)
    done = Done()
    hasShares = true
    account.count(.share(share), isFirst: true)
    return LedgerRecord(event: .share(share), account: account, crossed: crossed(under: policy))
  }

  /// Returns its share of the changes since the last one.
  func share(
    of member: Name, in authorization: Name, _ step: Share.Step, model: Name?, at time: Timestamp,
    _ work: Share.Work
  ) -> Share {
    Share(
      member: member, authorization: authorization, step: step, held: done.held,
      released: done.released, credits: done.credits, buckets: done.buckets,
      counted: done.counted, countedWork: done.countedWork, model: model,
      countedAt: CountedInstant(time, after: done.countedAfter), work: work)
  }

  func hold(_ part: Share.Hold) throws(CreditError) {
    reach()
    try account.setAside(part)
    done.held = part
  }

  func release(_ part: Share.Hold) {
    reach()
    account.release(part)
    done.released = part
  }

  /// Returns its part of credits that those below it cannot pay; all if it is the last.
  func part(of credits: Credits, isLast: Bool, for model: Name?) -> Credits {
    isLast ? credits : min(credits, max(0, ask { $0.available(for: model) }))
  }

  /// - Returns: the buckets that paid.
  func pay(_ credits: Credits, for model: Name?) throws(CreditError) -> BucketShares {
    reach()
    if ask({ $0.hasScopedCredits }) { done.goesByModel = true }
    let taken = try account.burn(credits, for: model)
    done.credits -= credits
    for bucket in taken { done.buckets.append(bucket) }
    return taken
  }

  /// - Returns: the credits that could be given back.
  func getBack(_ share: Bucket, _ purchase: GrantPurchase.LookUp) throws(CreditError) -> Credits {
    // Its record does not have the place of the charge's own debt.
    var own = Credits.max
    reach()
    let restored = try account.restore([share], own: &own, purchase).total
    done.credits += restored
    done.forfeited += share.credits - restored
    done.buckets.append(share)
    return restored
  }

  func count(
    _ credits: Credits, _ work: WorkMeasure, for model: Name?,
    at instant: CountedInstant
  ) {
    let work = ask { $0.countsWork } ? work : .none
    reach()
    account.count(credits, work, for: model, at: instant)
    done.counted += credits
    done.countedWork = done.countedWork + work
    done.countedAfter = instant.after
    countedAfter = instant.after
  }

  /// Thresholds of the policy that the balance has now fallen below.
  func crossed(under policy: Policy) -> [Credits]? {
    policy.crossed(from: balanceBefore, to: ask { $0.balance })
  }
}

extension LedgerEvent {
  /// The meaning of an authorization's event for the other accounts of its chain.
  fileprivate var shareStep: Share.Step {
    switch self {
    case .void: return .void
    case .charge: return .charge
    case .amend(let charge):
      return .amend(
        number: charge.amendment?.number ?? 1, isReturn: charge.amendment?.isReturn ?? false)
    case .chargeRefund(_, let refund): return .refund(number: refund.number)
    default: return .hold
    }
  }
}
