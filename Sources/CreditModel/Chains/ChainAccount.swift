/// An account above another one in its chain, while a request works on both.
///
/// One request works on it, a step at a time: to check that no accesses overlap would be a tenth of
/// what a charge takes.
final class ChainAccount {
  @exclusivity(unchecked) var account: Account
  /// The turns of its clock since its last record.
  let preceding: [LedgerRecord]
  let balanceBefore: Credits
  let countersBefore: [LimitCounter]
  /// What the request has done to it since its last share was closed.
  @exclusivity(unchecked) var done = Done()
  @exclusivity(unchecked) private var hasShares = false

  /// Whether the request leaves a record of it.
  var isRecorded: Bool { hasShares || done.isReached }

  struct Done {
    var held: Share.Hold?
    var released: Share.Hold?
    var credits: Credits = 0
    var buckets = BucketShares()
    var forfeited: Credits = 0
    var counted: Credits = 0
    var countedAfter: Int64 = 0
    /// Whether it had credits for some models only as it paid.
    var goesByModel = false
    /// Whether it gets a record.
    var isReached = false
  }

  init(_ account: consuming Account, preceding: [LedgerRecord], balanceBefore: Credits) {
    countersBefore = account.limitCounters
    self.account = account
    self.preceding = preceding
    self.balanceBefore = balanceBefore
  }

  /// The record of its share in what a record says of another account; the next one is for what is
  /// done after that.
  func closeShare(in record: LedgerRecord, _ authorization: Name, under policy: Policy)
    -> LedgerRecord
  {
    let model =
      done.counted == 0 && !done.goesByModel
      ? nil : record.event.sharedCharge?.receipt.pricedModel
    var work = done.credits == 0 ? Share.Work() : record.event.sharedWork
    if work.model == model { work.model = nil }
    let share = Share(
      member: record.account.name, authorization: authorization, step: record.event.shareStep,
      held: done.held, released: done.released, credits: done.credits, buckets: done.buckets,
      counted: done.counted, model: model,
      countedAt: CountedInstant(
        record.event.sharedCharge?.countedAt.time ?? account.updatedAt, after: done.countedAfter),
      work: work)
    done = Done()
    hasShares = true
    account.count(.share(share), isFirst: true)
    return LedgerRecord(event: .share(share), account: account, crossed: crossed(under: policy))
  }

  func hold(_ part: Share.Hold) throws(CreditError) {
    try account.setAside(part)
    done.held = part
    done.isReached = true
  }

  func release(_ part: Share.Hold) {
    account.release(part)
    done.released = part
    done.isReached = true
  }

  /// What it pays of what those below it cannot: the last one all of it.
  func part(of credits: Credits, isLast: Bool, for model: Name?) -> Credits {
    isLast ? credits : min(credits, max(0, account.available(for: model)))
  }

  /// - Returns: which buckets paid.
  func pay(_ credits: Credits, for model: Name?) throws(CreditError) -> BucketShares {
    if account.hasScopedCredits { done.goesByModel = true }
    let taken = try account.burn(credits, for: model)
    done.credits -= credits
    for bucket in taken { done.buckets.append(bucket) }
    done.isReached = true
    return taken
  }

  /// - Returns: what could be given back.
  func getBack(_ share: Bucket, _ purchase: GrantPurchase.LookUp) throws(CreditError) -> Credits {
    let restored = try account.restore([share], purchase).total
    done.credits += restored
    done.forfeited += share.credits - restored
    done.buckets.append(share)
    done.isReached = true
    return restored
  }

  func count(_ credits: Credits, for model: Name?, at instant: CountedInstant) {
    account.count(credits, for: model, at: instant)
    done.counted += credits
    done.countedAfter = instant.after
    done.isReached = true
  }

  /// The policy's thresholds that it is under now and was not before.
  func crossed(under policy: Policy) -> [Credits]? {
    policy.lowBalance.isEmpty ? nil : policy.crossed(from: balanceBefore, to: account.balance)
  }
}

extension LedgerEvent {
  /// What an event of an authorization means for the other accounts of its chain.
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
