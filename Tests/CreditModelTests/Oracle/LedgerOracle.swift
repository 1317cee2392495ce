import CreditModel

@testable import TestSupport

/// A slow, obvious ledger, written from the contract for comparison. It keeps a list of facts and
/// computes every answer from the first of them.
struct LedgerOracle {
  enum Fact {
    case registered(starter: Credits)
    /// A write that moves no credits; it moves the account's clock.
    case noted
    case held(Name, Credits, until: Timestamp)
    case freed(Name)
    case charged(Name, Credits, of: Name?)
    case chargeRefunded(Name)
    /// A charge gave back so much, and then took so much.
    case amended(Name, back: Credits, anew: Credits, of: Name?)
    case granted(Credits, Bucket.Kind, until: Timestamp?, OracleAccount.Terms? = nil)
    case scheduled(OracleAccount.Lot, Timestamp)
    case grantRefunded(Credits, of: Name? = nil)
    /// The rest of a grant was taken back.
    case voided(Name)
    case planSet(Plan)
    case paid(OracleAccount.Paid)
    case unpaid(Name)
    case planRemoved
    case exempted(Bool)
    case closed(Bool)
    case given(Credits)
  }

  struct DatedFact {
    var account: Name
    var time: Timestamp
    /// The plans and the zone that the policy had then: turns seen by this write went by them.
    var plans: [Plan]
    var zone: SlowZone?
    var fact: Fact
  }

  struct Authorization {
    enum State { case open, voided, charged, refunded }
    var id: Name
    var account: Name
    var time: Timestamp
    var hold: Credits?
    var until: Timestamp?
    var state = State.open
    var key: Name?
    var model: Name?
    var usage: ReportedUsage?
    var reportedUSD: ExactDecimal?
    var tags: [(name: String, value: String)] = []
    var charged: Credits = 0
    /// The work of its first charge, and its time.
    var first: Work?
    var chargedAt = Timestamp.earliest
    var usedAt: Timestamp?
    var isExempt = false
    /// Credits that an exempt account was not charged.
    var waived: Credits = 0
    var amendments = 0
    /// The answers that repeats get.
    var receipt = ""
    var refund = ""

    var text: String {
      "\(id.text) of \(account.text) at \(time.text)"
        + (hold.map { " hold \($0) until \(until?.text ?? "")" } ?? "")
    }
  }

  /// The part that identifies a charge.
  struct Work {
    var model: Name
    var usage: ReportedUsage
    var reportedUSD: ExactDecimal?
  }

  struct TopUp {
    var id: Name
    var account: Name
    var key: Name?
    var kind: Transaction.Kind
    var status: Transaction.Status
    var grant: TopUpRequest.Grant
    var credits: Credits
    var time: Timestamp
    var until: Timestamp?
    var terms: GrantTerms?
    var paid: OracleAccount.Paid?
    /// Whether it was paid further since.
    var isExtended = false
    var added: Credits
    var balance: Credits
    /// The ids of bonuses granted with it.
    var bonuses: [Name] = []
    /// When it came to count against the limit of top-ups.
    var countsAt: Timestamp?
    var refunded: Credits = 0
    var refund = ""
    var price: String?
    var currency: String?
    /// Amounts paid back by the last refund, and by all of them, in thousandths.
    var lastPaidBack: Int128?
    var paidBack: Int128 = 0

    var hasStarted: Bool { terms?.startsAt != nil && added > 0 }

    var text: String {
      "\(id.text) of \(account.text) \(kind) \(status) \(grant) = \(credits) at \(time.text)"
        + (terms?.startsAt.map { " from \($0.text)" } ?? "")
        + (bonuses.isEmpty ? "" : " with \(bonuses.map(\.text))")
        + (until.map { " until \($0.text)" } ?? "")
        + (paid.map { " paid \($0.plan.text) until \($0.until.text)" } ?? "") + " added \(added)"
        + (hasStarted ? "" : " balance \(balance)")
    }

    /// Credits that can be refunded.
    var refundable: Credits { added == 0 && terms?.startsAt != nil ? credits : added }
  }

  /// The first request of each key of an account, and its answer.
  struct Transfer {
    var request: TransferRequest
    var text: String
  }

  struct Refusal: Error {
    var code: CreditError.Code
    var retryAfter: Int64?
  }

  var policy: Policy
  /// When the request in hand happens.
  private(set) var now = Timestamp.earliest
  private(set) var facts: [DatedFact] = []
  var authorizations: [Authorization] = []
  var topUps: [TopUp] = []
  var transfers: [Transfer] = []
  /// The thresholds crossed by the newest answer about each thing.
  private var crossings: [String: String] = [:]
  private var firstCrossings: [String: String] = [:]

  init(policy: Policy) {
    self.policy = policy
  }

  /// Returns the answer to a request as text.
  /// - Parameters:
  ///   - newID: the id to give if one is made.
  ///   - systemTime: the time of a request without one.
  mutating func answer(_ request: GateRequest, newID: Name, systemTime: Timestamp) -> String {
    let before = self
    let text = plainAnswer(request, newID: newID, systemTime: systemTime)
    return text + crossing(text, since: before)
  }

  private mutating func plainAnswer(
    _ request: GateRequest, newID: Name, systemTime: Timestamp
  ) -> String {
    now = request.time ?? systemTime
    // On a real clock no fact comes before the last one.
    if !policy.clockIsSimulated, let last = facts.last { now = max(now, last.time) }
    do {
      switch request {
      case .authorize(let request): return try authorize(request, newID)
      case .void(let request): return try void(request)
      case .charge(let request): return try charge(request, newID)
      case .topUp(let request): return try topUp(request, newID)
      case .refund(let request): return try refund(request)
      case .account(let request): return try change(request)
      case .transfer(let request): return try transfer(request, newID)
      default: return "not reckoned here"
      }
    } catch {
      return "refused \(error.code.rawValue)" + (error.retryAfter.map { " for \($0) s" } ?? "")
    }
  }
}

// Thresholds.
extension LedgerOracle {
  /// Returns the crossed thresholds in an answer: those of its write, or of the write that it
  /// repeats.
  private mutating func crossing(_ text: String, since before: LedgerOracle) -> String {
    let subject = text.split(separator: " ").prefix(3).joined(separator: " ")
    if text.hasSuffix(" again") {
      // After a refund the first write is repeated, except for a corrected charge.
      if text.contains(" amended "), text.hasSuffix(" refunded again") { return "" }
      return (text.contains(" refunded") ? firstCrossings : crossings)[subject] ?? ""
    }
    guard facts.count > before.facts.count else { return "" }
    let account = facts[before.facts.count].account
    guard let after = try? self.account(account, at: .earliest)?.balance else { return "" }
    let known = try? before.account(account, at: .earliest)?.balance
    let balance = (known ?? nil) ?? Int128(policy.starterCredits)
    let crossed = policy.lowBalance.filter { balance >= Int128($0) && after < Int128($0) }
    let said = crossed.isEmpty ? "" : " crossed \(crossed)"
    crossings[subject] = said
    if firstCrossings[subject] == nil { firstCrossings[subject] = said }
    return said
  }
}

// Reckoning from the list.
extension LedgerOracle {
  /// Returns the account at a time, computed from its first fact; nil if it has none.
  func account(_ name: Name, at time: Timestamp) throws(Refusal) -> OracleAccount? {
    var account: OracleAccount?
    do throws(OracleAccount.OutOfRange) {
      for dated in facts where dated.account == name {
        try Self.apply(dated, to: &account)
      }
      // The earliest time stands for that of the last fact.
      account?.zone = SlowZone.of(policy.clock)
      if time > .earliest { try account?.pass(to: time, plans: policy.plans) }
    } catch {
      throw Refusal(code: .amountOutOfRange)
    }
    return account
  }

  private static func apply(_ dated: DatedFact, to account: inout OracleAccount?)
    throws(OracleAccount.OutOfRange)
  {
    account?.zone = dated.zone
    try account?.pass(to: dated.time, plans: dated.plans)
    switch dated.fact {
    case .registered(let starter):
      account = OracleAccount(clock: dated.time)
      account?.zone = dated.zone
      account?.receive(Int128(starter), .starter, until: nil)
    case .noted: break
    case .held(let id, let credits, let until):
      account?.holds.append(.init(id: id, credits: Int128(credits), until: until))
    case .freed(let id): account?.holds.removeAll { $0.id == id }
    case .charged(let id, let credits, let model):
      account?.spend(Int128(credits), of: model, for: id)
    case .chargeRefunded(let id): account?.giveBack(id)
    case .amended(let id, let back, let anew, let model):
      account?.giveBack(Int128(back), of: id)
      try account?.checkRange()
      account?.increase(Int128(anew), of: model, for: id)
    case .granted(let credits, let kind, let until, let grant):
      if let grant { account?.grants[grant.id] = .init(granted: Int128(credits)) }
      account?.receive(Int128(credits), kind, until: until, grant)
    case .scheduled(let lot, let start):
      if let grant = lot.grant { account?.grants[grant.id] = .init(granted: lot.credits) }
      account?.scheduled.append((lot, start))
    case .grantRefunded(let credits, nil): account?.takeBack(Int128(credits))
    case .grantRefunded(let credits, let grant?): account?.takeBack(Int128(credits), of: grant)
    case .voided(let grant): account?.takeBackRest(of: grant)
    case .planSet(let plan): account?.setPlan(plan)
    case .planRemoved:
      account?.removePlan()
      account?.setAside()
    case .paid(let paid): account?.pay(paid, plans: dated.plans)
    case .unpaid(let id): account?.unpay(id, plans: dated.plans)
    case .given(let credits): account?.takeBack(Int128(credits))
    case .closed(let isClosed): account?.isClosed = isClosed
    case .exempted(let isExempt): account?.isExempt = isExempt
    }
    try account?.checkRange()
  }

  /// Opens the account of a write, and registers it if that is automatic.
  mutating func open(_ name: Name, _ time: Timestamp, registers: Bool? = nil)
    throws(Refusal) -> OracleAccount
  {
    if let account = try account(name, at: time) { return account }
    guard registers ?? policy.registersAutomatically else { throw Refusal(code: .unknownAccount) }
    enter(name, time, .registered(starter: policy.starterCredits))
    guard let account = try account(name, at: time) else { throw Refusal(code: .corruptStore) }
    return account
  }

  mutating func enter(_ name: Name, _ time: Timestamp, _ fact: Fact) {
    facts.append(
      DatedFact(
        account: name, time: time, plans: policy.plans, zone: SlowZone.of(policy.clock), fact: fact)
    )
  }

  /// Does a step as a whole: after a refusal nothing is done.
  mutating func whole(_ body: (inout LedgerOracle) throws(Refusal) -> String)
    throws(Refusal) -> String
  {
    var copy = self
    let text = try body(&copy)
    self = copy
    return text
  }

  /// The balance after the last entry.
  func balance(_ name: Name, _ time: Timestamp) throws(Refusal) -> Credits {
    Credits(try account(name, at: time)?.balance ?? 0)
  }
}
