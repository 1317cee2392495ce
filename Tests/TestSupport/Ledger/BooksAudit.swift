import CreditModel

/// Rules for any books, by any writer; checked as they grow.
struct BooksAudit {
  /// Whether no record may be earlier than the one before it.
  let clockIsReal: Bool
  private var latest = Timestamp.earliest
  private var count = 0
  private var accounts: [Name: Account] = [:]
  private var sums: [Name: Credits] = [:]
  private var records: [Name: Int64] = [:]
  private var lines: [Name: Int64] = [:]
  /// The previous record's transfer to the account of the next one.
  private var given: Transfer?
  private var shares: [ExpectedShare] = []
  /// The record whose shares follow.
  private var sharedRecord: LedgerRecord?
  private var groups = RecordGroups()
  /// The newest record of each authorization and top-up, and its position.
  private var newest: [RecordKey: (record: LedgerRecord, position: RecordPosition)] = [:]

  private var expired: [Name: Credits] = [:]

  init(clockIsReal: Bool) {
    self.clockIsReal = clockIsReal
  }

  /// Returns a fault of the records since the last check, if any.
  mutating func fault(in books: MemoryBooks) -> String? {
    for record in books.records[count...] {
      if let fault = fault(in: record) { return "record \(count) \(fault): \(record)" }
      count += 1
    }
    return nil
  }

  private mutating func fault(in record: LedgerRecord) -> String? {
    // It is of no account.
    if case .payment = record.event { return nil }
    let name = record.account.name
    sums[name, default: 0] += record.event.balanceChange
    if sums[name] != record.account.balance { return "has a balance that isn't the sum" }
    // Records of `nobody` are not counted.
    records[name, default: 0] += name == .nobody ? 0 : 1
    lines[name, default: 0] += record.historyLine == nil ? 0 : 1
    if record.account.recordCount != records[name] { return "counts other records" }
    if record.account.transactionCount != lines[name] { return "counts other transactions" }
    let isTurn = record.isTurn || record.isTurn(of: accounts[name])
    if clockIsReal, !isTurn, record.account.updatedAt < latest {
      return "is earlier than the one before it"
    }
    if !isTurn { latest = record.account.updatedAt }
    if let fault = Self.fault(in: record.account, isTurn: isTurn) { return fault }
    if let fault = pairFault(in: record.event) ?? shareFault(in: record) { return fault }
    let earlier = record.keys.id.flatMap { newest[$0] }
    do throws(RecordFault) {
      try groups.add(record, isSure: true)
      try record.check(after: accounts[name], earlier: earlier?.record) {
        var purchase = newest[.transaction($0)]?.record.purchase
        purchase?.expired = expired[$0] ?? 0
        return purchase
      }
    } catch {
      return error.reason
    }
    if record.original != record.original(after: earlier?.record, at: earlier?.position) {
      return "has another original"
    }
    accounts[name] = record.account
    if let (grant, credits) = record.expired { expired[grant, default: 0] += credits }
    if let id = record.keys.id {
      newest[id] = (record, RecordPosition(Int64(count)))
    }
    return nil
  }

  /// Both sides of a transfer stand side by side.
  private mutating func pairFault(in event: LedgerEvent) -> String? {
    let before = given
    given = nil
    switch event {
    case .transferIn(let transfer):
      return transfer == before ? nil : "receives what was not given"
    case .transferOut(let transfer): given = transfer
    default: break
    }
    return before == nil ? nil : "stands where a transfer's other side should"
  }

  /// The shares of a record follow it.
  private mutating func shareFault(in record: LedgerRecord) -> String? {
    if let next = shares.first {
      shares.removeFirst()
      return next.fault(of: record) ?? sharedRecord?.faultOfWork(in: record)
    }
    if case .share = record.event { return "is a share of nothing" }
    shares = record.expectedShares
    sharedRecord = record
    return nil
  }

  /// - Parameter isTurn: whether others of the same instant may follow.
  private static func fault(in account: Account, isTurn: Bool) -> String? {
    let buckets = account.buckets
    if buckets.contains(where: { $0.credits < 0 }),
      account.bucketsInBurnOrder.contains(where: { $0.credits > 0 && $0.grant?.models == nil })
    {
      return "has a debt beside credits"
    }
    if buckets.contains(where: { $0.credits == 0 || $0.kind == .quota }) {
      return "has a bucket that is none"
    }
    let expiries = buckets.compactMap(\.expiresAt) + account.holds.map(\.expiresAt)
    if expiries.contains(where: { $0 < account.updatedAt || $0 == account.updatedAt && !isTurn }) {
      return "has something expired"
    }
    let holds = account.holds.map(\.expiresAt)
    if Set(holds).sorted() != holds { return "has holds out of order" }
    if account.holds.contains(where: { $0.credits <= 0 }) { return "has an empty hold" }
    return account.isSound ? nil : "is not sound"
  }
}

extension LedgerRecord {
  /// True if a plan ended without renewal, or lost its quota when that reset.
  fileprivate func isTurn(of before: Account?) -> Bool {
    guard case .settings = event, let before else { return false }
    let time = account.updatedAt
    return before.subscriptions.active?.endsAt == time && account.subscriptions.active == nil
      || before.quota?.resetsAt == time && account.quota == nil
  }

  /// True if time alone did it, perhaps long before its record.
  fileprivate var isTurn: Bool {
    switch event {
    case .expiry, .refill: true
    case .topUp(let topUp):
      original != nil && topUp.transaction.terms?.startsAt == topUp.transaction.timestamp
    default: false
    }
  }
}
