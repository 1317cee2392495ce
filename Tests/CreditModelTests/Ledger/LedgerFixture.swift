import CreditModel
import Testing

@testable import TestSupport

/// A ledger over books in memory, whose clock and policy a test sets.
final class LedgerFixture {
  let books = MemoryBooks()
  var policy: Policy
  var now = time("2026-02-19T10:00:00Z")
  /// The system's clock if it isn't `now`.
  var systemTime: Timestamp?
  /// The id that is made next; nil for `id-1`, `id-2`, …
  var nextID: Name?
  private var idCount = 0

  /// When the price of the model "dated" changes.
  static let newPrice = time("2026-03-01T00:00:00Z")

  static let models = [
    PricedModel(id: "unit", aliases: ["one"], pricing: .perUnit(decimal("1"))),
    PricedModel(id: "half", aliases: [], pricing: .perUnit(decimal("0.5"))),
    PricedModel(id: "flat", aliases: [], pricing: .perRequest(3)),
    PricedModel(id: "free", aliases: [], pricing: .free),
    PricedModel(id: "routed", aliases: [], pricing: .reportedCost),
    PricedModel(id: "dated", aliases: [], pricing: .perRequest(2)),
    PricedModel(id: "dated", aliases: [], pricing: .perRequest(5), from: newPrice),
  ]

  static let products = [
    Product(id: "pack", name: "10 credits", credits: 10),
    Product(
      id: "deal", name: "8 credits and more", credits: 8,
      bonuses: [
        ProductBonus(
          id: "percent", amount: .percent(30), until: newPrice,
          terms: StatedTerms(expiry: .after(.seconds(86_400)))),
        ProductBonus(
          id: "first", amount: .credits(5), isForFirst: true,
          terms: StatedTerms(priority: 10, models: ModelPatterns(trusted: ["unit"]))),
        ProductBonus(id: "later", amount: .percent(9), from: newPrice),
      ]),
    Product(id: "huge", name: "2^53 credits", credits: .largestGrant),
    Product(
      id: "sub", name: "A month", credits: 0, plan: "paid", gracePeriod: .seconds(86_400)),
    Product(id: "other", name: "A year", credits: 5, plan: "third"),
  ]

  init(starter: Credits = 100, _ configure: (inout Policy) -> Void = { _ in }) {
    do {
      policy = Policy(prices: try PriceCatalog(models: Self.models, products: Self.products))
    } catch {
      preconditionFailure("\(error)")
    }
    policy.starterCredits = starter
    configure(&policy)
  }

  func perform(_ request: GateRequest) throws(CreditError) -> GateResult {
    let ledger = Ledger(books: books, policy: policy, systemTime: systemTime ?? now) { [self] _ in
      idCount += 1
      return nextID ?? Name(trusted: "id-\(idCount)")
    }
    return try ledger.perform(request)
  }

  func code(_ request: GateRequest) -> CreditError.Code? {
    failure { () throws(CreditError) in try perform(request) }?.code
  }

  /// The account as it stands now.
  func account(_ name: Name = "alice") throws -> Account {
    guard var account = books.account(name) else {
      return try Account(registering: name, at: now, under: policy)
    }
    _ = try account.advance(to: now, under: policy)
    return account
  }

  func balance(_ name: Name = "alice") throws -> Credits { try account(name).balance }

  /// The buckets in burn order, such as `bonus 5, starter 100`.
  func buckets(_ name: Name = "alice") throws -> String {
    try account(name).bucketsInBurnOrder.map { "\($0.kind.rawValue) \($0.credits)" }
      .joined(separator: ", ")
  }

  /// Expects that all records so far agree with one another.
  func expectSound(
    _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var audit = BooksAudit(clockIsReal: !policy.clockIsSimulated)
    #expect(audit.fault(in: books) == nil, comment, sourceLocation: sourceLocation)
  }
}

extension GateResult {
  /// True if a notification changed no purchase.
  var isNotification: Bool { if case .notification = self { true } else { false } }
}

// Requests, each at the fixture's time.
extension LedgerFixture {
  func authorize(
    _ account: Name = "alice", id: Name? = nil, hold: Credits? = nil, expiresIn: TimeSpan? = nil
  ) -> GateRequest {
    .authorize(
      AuthorizeRequest(account: account, id: id, hold: hold, expiresIn: expiresIn, time: now))
  }

  func void(_ id: Name, account: Name? = nil) -> GateRequest {
    .void(VoidRequest(id: id, account: account, time: now))
  }

  func charge(
    _ id: Name, _ usage: ReportedUsage, model: Name = "unit", account: Name? = nil
  ) -> GateRequest {
    .charge(
      ChargeRequest(
        reference: .authorization(id, account: account), model: model, usage: usage, time: now))
  }

  func charge(
    _ account: Name = "alice", key: Name, _ usage: ReportedUsage, model: Name = "unit"
  ) -> GateRequest {
    .charge(
      ChargeRequest(reference: .key(key, account: account), model: model, usage: usage, time: now))
  }

  func topUp(
    _ account: Name = "alice", id: Name, _ grant: TopUpRequest.Grant,
    _ configure: (inout TopUpRequest) -> Void = { _ in }
  ) -> GateRequest {
    topUp(account, .transaction(id), grant, configure)
  }

  func topUp(
    _ account: Name = "alice", key: Name, _ grant: TopUpRequest.Grant,
    _ configure: (inout TopUpRequest) -> Void = { _ in }
  ) -> GateRequest {
    topUp(account, .key(key), grant, configure)
  }

  func topUp(
    _ account: Name, _ reference: TopUpRequest.Reference, _ grant: TopUpRequest.Grant,
    _ configure: (inout TopUpRequest) -> Void
  ) -> GateRequest {
    var request = TopUpRequest(account: account, reference: reference, grant: grant, time: now)
    configure(&request)
    return .topUp(request)
  }

  /// A bonus that expires.
  func bonus(
    _ account: Name = "alice", key: Name, _ credits: Credits, until: Timestamp? = nil
  ) -> GateRequest {
    topUp(account, key: key, .credits(credits)) {
      $0.kind = .bonus
      $0.terms.expiry = until.map { .at($0) }
    }
  }

  func refund(transaction id: Name, _ credits: Credits? = nil) -> GateRequest {
    .refund(RefundRequest(reference: .transaction(id), credits: credits, time: now))
  }

  func refund(authorization id: Name) -> GateRequest {
    .refund(RefundRequest(reference: .authorization(id), time: now))
  }

  func transfer(
    _ credits: Credits, from: Name = "alice", to: Name = "bob", key: Name = "k"
  ) -> GateRequest {
    .transfer(TransferRequest(from: from, to: to, credits: credits, key: key, time: now))
  }

  func refund(key: Name, account: Name = "alice") -> GateRequest {
    .refund(RefundRequest(reference: .key(key, account: account), time: now))
  }

  /// A charge under a key, or its correction.
  func charge(
    key: Name, _ usage: ReportedUsage, model: Name = "unit", usedAt: Timestamp? = nil,
    isArrears: Bool = false, amends: Bool = false
  ) -> GateRequest {
    .charge(
      ChargeRequest(
        reference: .key(key, account: "alice"), model: model, usage: usage, usedAt: usedAt,
        isArrears: isArrears, amends: amends, time: now))
  }

  func amend(key: Name, _ usage: ReportedUsage, model: Name = "unit") -> GateRequest {
    charge(key: key, usage, model: model, amends: true)
  }

  func change(
    _ account: Name = "alice", plan: AccountRequest.Change? = nil, isExempt: Bool? = nil,
    isClosed: Bool? = nil, parent: Name? = nil
  ) -> GateRequest {
    var request = AccountRequest(
      account: account, plan: plan, isExempt: isExempt, isClosed: isClosed, time: now)
    request.parent = parent.map { .set($0) }
    return .account(request)
  }
}

// Members of results, for tests of single ones.
extension GateResult {
  /// The result without crossed thresholds.
  var plain: GateResult {
    switch self {
    case .crossing(let result, _), .funds(let result, _), .plan(let result, _): result.plain
    default: self
    }
  }

  /// Funds of its account's payers.
  var funds: ChainFunds? {
    switch self {
    case .crossing(let result, _): result.funds
    case .funds(_, let funds): funds
    default: nil
    }
  }

  var crossed: [Credits]? { if case .crossing(_, let crossed) = self { crossed } else { nil } }

  var isReplay: Bool {
    switch plain {
    case .authorization(_, _, let isReplay), .voided(_, let isReplay), .receipt(_, let isReplay),
      .topUp(_, let isReplay), .transactionRefund(_, _, let isReplay),
      .chargeRefund(_, _, _, let isReplay), .transfer(_, let isReplay):
      isReplay
    case .refundedReceipt: true
    default: false
    }
  }

  var receipt: CreditReceipt? {
    switch plain {
    case .receipt(let charge, _), .refundedReceipt(let charge, _): charge.receipt
    default: nil
    }
  }

  var topUp: TopUp? { if case .topUp(let topUp, _) = plain { topUp } else { nil } }

  var refund: Refund? {
    switch plain {
    case .transactionRefund(_, let refund, _), .chargeRefund(_, _, let refund, _): refund
    default: nil
    }
  }

  var authorization: CreditAuthorization? {
    switch plain {
    case .authorization(let authorization, _, _), .voided(let authorization, _),
      .chargeRefund(let authorization, _, _, _):
      authorization
    default: nil
    }
  }

  var transfer: Transfer? { if case .transfer(let transfer, _) = plain { transfer } else { nil } }

  /// The id of the authorization, transaction or transfer that it is about.
  var id: Name? {
    authorization?.id ?? receipt?.authorization.id ?? topUp?.transaction.id ?? transfer?.id
  }

  var account: Account? { accountView?.account }

  var accountView: AccountView? { if case .account(let view) = plain { view } else { nil } }
}
