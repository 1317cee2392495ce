/// Accounts at a time: as recorded then, or projected from the last record. Shows expiries and
/// turns that no write has recorded yet, and writes nothing.
public struct AccountProjection {
  private let books: any LedgerReading
  private let policy: Policy
  private let now: Timestamp
  /// The time of a view into the past or the future.
  private let viewTime: Timestamp?
  /// Catalog id of the model for which credits are shown; nil for all.
  public var model: Name?

  public init(
    _ books: any LedgerReading, policy: Policy, now: Timestamp, at viewTime: Timestamp? = nil
  ) {
    self.books = books
    self.policy = policy.forReading
    self.now = now
    self.viewTime = viewTime
  }

  /// Returns an account; an unregistered one is shown as it would start.
  /// - Throws: `limit_exceeded` or `amount_out_of_range` if the rules can't project that far, and
  ///   errors of the books.
  public func account(_ name: Name) throws(CreditError) -> AccountView {
    guard let newest = try books.newest(of: .account(name)) else {
      return AccountView(
        viewTime == nil
          ? try Account(registering: name, at: now, under: policy)
          : Account(name: name, registeredAt: now), isRegistered: false, model: model)
    }
    return try view(of: newest)
  }

  /// Calls `body` with every account registered at the view's time until it returns false.
  ///
  /// They come in the order of names, all as of one moment. An account that can't be shown as of
  /// that time is passed as its error.
  public func forEachAccount(_ body: (Result<AccountView, CreditError>) -> Bool)
    throws(CreditError)
  {
    _ = try books.searchAccounts(before: books.bookmark().position) {
      (newest) throws(CreditError) -> Bool? in
      try registered(newest).flatMap { body($0) ? nil : true }
    }
  }

  /// The same, by ``list()`` if the books have one.
  public func forEachFast(_ body: (Result<AccountView, CreditError>) -> Bool) throws(CreditError) {
    if let list = try list() { try list.forEach(body) } else { try forEachAccount(body) }
  }

  /// Returns the same accounts by numbers. Nil if the books only have them by page.
  public func list() throws(CreditError) -> ProjectedList? {
    guard let accounts = try books.accountList() else { return nil }
    return ProjectedList(accounts: accounts, projection: self, latest: viewTime ?? .latest)
  }

  /// Returns an account at the view's time, or why it can't be shown. Returns nil if it isn't
  /// registered by then.
  func registered(_ newest: StoredRecord) throws(CreditError) -> Result<AccountView, CreditError>? {
    do throws(CreditError) {
      let view = try view(of: newest)
      return view.isRegistered ? .success(view) : nil
    } catch {
      if error.endsRun { throw error }
      return .failure(error)
    }
  }

  private func view(of newest: StoredRecord) throws(CreditError) -> AccountView {
    let name = newest.record.account.name
    guard var account = try recorded(newest) else {
      return AccountView(Account(name: name, registeredAt: viewTime ?? now), isRegistered: false)
    }
    let last = account.updatedAt
    var turns = try account.pass(until: viewTime ?? now, under: policy, books.startingTopUp)
    // A write will record them with these times, and the view of a time has to stay.
    let updatedAt = viewTime == nil ? last : turns.last?.account.updatedAt ?? last
    try account.adopt(policy, last: last, into: &turns)
    return AccountView(
      account, updatedAt: updatedAt, carried: account.carriedCredits(by: policy.clock),
      limits: account.limitViews(under: policy),
      funds: account.parent == nil
        ? nil : .of(account, below: try ancestors(of: account), under: policy, for: model),
      model: model, isPlanRemoved: account.isPlanRemoved(from: policy))
  }

  /// Returns the accounts above one at the time of the view, the nearest first.
  private func ancestors(of account: Account) throws(CreditError) -> [Account] {
    var ancestors: [Account] = []
    var next = account.parent
    while let name = next {
      if ancestors.count >= Account.chainLimit - 1 { throw account.endlessChain }
      guard let newest = try books.newest(of: .account(name)) else {
        throw account.missing(parent: name)
      }
      // It was registered after the time of the view.
      guard var parent = try recorded(newest) else { return ancestors }
      _ = try parent.advance(to: viewTime ?? now, under: policy)
      ancestors.append(parent)
      next = parent.parent
    }
    return ancestors
  }

  /// Returns the account as of the last record up to the view's time; nil before its first.
  private func recorded(_ newest: StoredRecord) throws(CreditError) -> Account? {
    guard let viewTime, newest.record.account.updatedAt > viewTime else {
      return newest.record.account
    }
    return try books.search(newest.record.account.name, before: newest.position) {
      $0.record.account.updatedAt <= viewTime ? $0.record.account : nil
    }
  }
}

/// All accounts as of one moment, by numbers in the order of their names.
public protocol AccountList: AnyObject, Sendable {
  var count: Int { get }

  /// Calls `body` with accounts that have undated credits only, until it returns false.
  ///
  /// Also stops at the first account with anything else. Several threads may call this at once.
  /// - Returns: the number of that account; otherwise the end of the numbers.
  func forEachUndated(_ numbers: Range<Int>, _ body: (Account) -> Bool) -> Int

  /// Returns the newest record of an account. Only one thread at a time may call this.
  func newest(_ number: Int) throws(CreditError) -> StoredRecord
}

/// All accounts at the time of a view.
public struct ProjectedList {
  let accounts: any AccountList
  let projection: AccountProjection
  /// The time of the view.
  let latest: Timestamp

  public var count: Int { accounts.count }

  /// Calls `body` with accounts that time alone does not change, until it returns false.
  ///
  /// Also stops at the first account that it may change. Several threads may call this at once.
  /// - Returns: the number of that account; otherwise the end of the numbers.
  public func forEachUndated(_ numbers: Range<Int>, _ body: (AccountView) -> Bool) -> Int {
    accounts.forEachUndated(numbers) { $0.updatedAt <= latest && body(AccountView($0)) }
  }

  /// Returns an account, or why it can't be shown as of that time. Returns nil if it isn't
  /// registered by then. Only one thread at a time may call this.
  public func account(_ number: Int) throws(CreditError) -> Result<AccountView, CreditError>? {
    try projection.registered(try accounts.newest(number))
  }

  /// Calls `body` with every account until it returns false.
  public func forEach(_ body: (Result<AccountView, CreditError>) -> Bool) throws(CreditError) {
    var number = 0
    while number < count {
      var continues = true
      number = forEachUndated(number..<count) { account in
        continues = body(.success(account))
        return continues
      }
      guard continues, number < count else { return }
      if let account = try account(number), !body(account) { return }
      number += 1
    }
  }
}

/// An account as `credit-balance` and `credit-account` show it.
public struct AccountView: Equatable, Sendable {
  public let account: Account
  /// False for an account without records: it is shown as it would start.
  public let isRegistered: Bool
  /// The time of the account's last record; in a view of a time also of an expiry, a reset or a
  /// start that no write has recorded yet.
  public let updatedAt: Timestamp
  /// The rest of carried credits that expire by age, in the order of use.
  public let carried: [Bucket]
  public let limits: [LimitView]
  /// The funds that those who pay for it leave to it; nil if it pays for itself.
  public let funds: ChainFunds?
  /// Catalog id of the model for which credits are available; nil for credits for all models.
  public let model: Name?
  /// Whether a subscription has set a plan that the policy no longer has.
  public let isPlanRemoved: Bool
  /// The account's own limits that a request has ended before their time, or whose alerts it has
  /// stopped for a time.
  public internal(set) var endedLimits: [LimitSetting] = []

  /// - Parameters:
  ///   - updatedAt: the view's time, if it differs from the account's own.
  ///   - model: that of `funds`, too.
  public init(
    _ account: Account, isRegistered: Bool = true, updatedAt: Timestamp? = nil,
    carried: [Bucket] = [], limits: [LimitView] = [], funds: ChainFunds? = nil,
    model: Name? = nil, isPlanRemoved: Bool = false
  ) {
    self.account = account.showingGrace
    self.isRegistered = isRegistered
    self.updatedAt = updatedAt ?? account.updatedAt
    self.carried = carried
    self.limits = limits
    self.funds = funds
    self.model = model
    self.isPlanRemoved = isPlanRemoved
  }

  /// Credits that a new hold, or a charge without overdraft, may take. For an exempt account, which
  /// is never refused, its own credits.
  public var available: Credits {
    if account.isExempt { return account.available(for: model) }
    if let funds { return funds.available }
    return limits.reduce(account.available(for: model)) { available, view in
      guard view.limit.covers(model), let remaining = view.remainingCredits else {
        return available
      }
      return min(available, remaining)
    }
  }
}

/// The sum of many accounts' balances. Usable and owed credits are never netted.
public struct BalanceTotal: Equatable, Sendable {
  public private(set) var count = 0
  /// The balances above 0.
  public private(set) var owedToCustomers: Int128 = 0
  /// The debts, as a number that is not negative.
  public private(set) var owedByCustomers: Int128 = 0

  public init() {}

  public mutating func add(_ balance: Credits) {
    count += 1
    owedToCustomers += Int128(max(0, balance))
    owedByCustomers -= Int128(min(0, balance))
  }

  public var balance: Int128 { owedToCustomers - owedByCustomers }
}
