internal import CreditJSON
internal import CreditModel
internal import CreditStore

extension Command {
  func runBalance() throws(UsageError) {
    let service: BalanceService
    do {
      service = try BalanceService(self)
    } catch {
      return printError(error)
    }
    if settings.arguments[.all] || settings.arguments[.children] {
      let isSum = settings.arguments[.total]
      return printLines(as: isSum ? .answer : .table(BalanceService.columns), service.listAll(to:))
    }
    try serve(service)
  }

  /// Notes that a month begins by another clock than the policy's months.
  fileprivate func noteZone(of policy: Policy?) {
    let arguments = settings.arguments
    guard arguments.has(.month), !arguments.has(.timeZone), case .wall(let zone)? = policy?.clock
    else { return }
    errors.remark(
      "--month is in UTC, and the policy's time zone is \(quoted(zone.name)): see --time-zone")
  }

  /// Notes that the default store is not made yet: a variable may have been forgotten.
  fileprivate func noteAbsentStore() {
    guard let path = settings.store?.address.shortened(from: host.folder("HOME")) else { return }
    let isSet = (try? host.environment("CREDIT_STORE")) != nil
    let reason = isSet ? "" : ", and CREDIT_STORE is not set"
    errors.remark("there is no store at \(path)\(reason): nothing is recorded there yet")
  }

  /// Notes that an account is not registered, with the nearest names: it may be a typo.
  /// - Returns: true if it has noted that.
  @discardableResult
  func noteUnregistered(_ account: Name, in books: OpenBooks) throws(CreditError) -> Bool {
    if settings.isQuiet { return false }
    if try books.ledger.newest(of: .account(account)) != nil { return false }
    let hint = NearestNames.hint(NearestNames.find(account, among: try books.accountNames()))
    errors.remark("account \(quoted(account.text)) is not registered\(hint)")
    return true
  }
}

private final class BalanceService: RequestService {
  static let columns = [
    TableColumn("ACCOUNT", "account", rank: 0),
    TableColumn("BALANCE", "balance", as: .balance, rank: 1),
    TableColumn("AVAILABLE", "available", as: .balance, rank: 2),
    TableColumn("HELD", "held", as: .number, rank: 3),
    TableColumn("PLAN", "plan", rank: 4),
    TableColumn("EXEMPT", "exempt", as: .flag, rank: 6),
    TableColumn("CLOSED", "closed", as: .flag, rank: 5),
  ]

  private let command: Command
  private let books: OpenBooks

  init(_ command: Command) throws(CreditError) {
    self.command = command
    books = OpenBooks(try command.openStore(), command)
  }

  func beginBatch(expecting count: Int) throws(CreditError) -> Batch? {
    try books.refresh()
    return nil
  }

  func take(_ request: RequestSource, text: [UInt8]?, in batch: Batch?, to output: ResultOutput)
    throws(CreditError) -> GateRequest?
  {
    let context = try command.context(under: books.policy())
    let (name, id, time) = try RequestReader(request, context).balance()
    let now = time ?? books.now(or: command.settings.now)
    let model = try model(id, at: now)
    let accounts = try books.accounts(now: now, at: command.settings.arguments[.at], for: model)
    let account = try accounts.account(name)
    if !account.isRegistered { try command.noteUnregistered(name, in: books) }
    output.print(request: text) { $0.accountView(account) }
    return nil
  }

  /// Returns the model whose available credits are requested.
  /// - Throws: `unknown_model`.
  private func model(_ id: Name?, at time: Timestamp) throws(CreditError) -> Name? {
    guard let id else { return nil }
    return try books.policy().ownID(of: id, at: command.settings.arguments[.at] ?? time)
  }

  /// Prints all accounts by name, or one payer's accounts, or the sum.
  ///
  /// The sum is not printed if a balance is unknown.
  func listAll(to output: ResultOutput) throws(CreditError) {
    try books.refresh()
    let parent = command.settings.arguments[.children] ? try command.settings.account() : nil
    if let parent { try command.noteUnregistered(parent, in: books) }
    let below = command.settings.arguments[.balanceBelow]
    let wantsTotal = command.settings.arguments[.total]
    let now = books.now(or: command.settings.now)
    let id = try RequestReader(.flags, command.context(under: books.policy())).balance().model
    let model = try model(id, at: now)
    let accounts = try books.accounts(now: now, at: command.settings.arguments[.at], for: model)
    if output.printsText, !wantsTotal, parent == nil, model == nil, let list = try accounts.list() {
      return try ListInTurns(of: list, below: below, to: output).print()
    }
    var total: BalanceTotal? = BalanceTotal()
    func show(_ account: Result<AccountView, CreditError>) -> Bool {
      if case .success(let view) = account {
        if let parent, view.account.parent != parent { return true }
        if let below, view.account.balance >= below { return true }
        total?.add(view.account.balance)
        if wantsTotal { return true }
      } else {
        total = nil
      }
      return output.printLine(of: account) { $0.accountView($1) }
    }
    try accounts.forEachFast(show)
    if wantsTotal, let total { output.print { $0.total(total) } }
  }
}

/// The books that a command reads, and the policy as of the last refresh.
final class OpenBooks {
  private let store: any Store
  private var lastPolicy: Policy?
  private(set) var ledger: any LedgerReading = EmptyLedger()
  private var isMade = false
  /// Is told once that there is no store, or of its zone.
  private var command: Command?

  /// - Parameter command: the one that prints answers.
  init(_ store: any Store, _ command: Command) {
    self.store = store
    self.command = command
  }

  init(of store: any Store) throws(CreditError) {
    self.store = store
    try refresh()
  }

  func refresh() throws(CreditError) {
    lastPolicy = try store.policy()
    if isMade { return }
    isMade = try store.exists()
    if !isMade, let command { command.noteAbsentStore() }
    command?.noteZone(of: lastPolicy)
    command = nil
    ledger = try store.books()
  }

  /// The requested time, or else the time by the books' clock.
  func now(or time: Timestamp?) -> Timestamp { time ?? store.systemTime }

  /// - Parameter model: for which credits are to be available; nil for all.
  func accounts(
    now: Timestamp, at viewTime: Timestamp? = nil, for model: Name? = nil
  ) throws(CreditError) -> AccountProjection {
    var accounts = AccountProjection(ledger, policy: try policy(), now: now, at: viewTime)
    accounts.model = model
    return accounts
  }

  func history(of account: Name?, now: Timestamp) throws(CreditError) -> LedgerHistory {
    try LedgerHistory(of: account, in: ledger, policy: try policy(), now: now)
  }

  func policy() throws(CreditError) -> Policy {
    if lastPolicy == nil { try refresh() }
    guard let lastPolicy else { throw CreditError(.invalidPolicy, "there is no policy") }
    return lastPolicy
  }

  /// In larger stores they are not looked for: that takes longer than the answer.
  static let nearestLimit = 10_000

  /// Returns the names of all accounts; none in a store with more than `limit`.
  func accountNames(ifAtMost limit: Int = OpenBooks.nearestLimit) throws(CreditError) -> [Name] {
    defer { ledger.release() }
    let end = try ledger.bookmark().position
    guard try ledger.summary(before: end).accountCount <= limit else { return [] }
    var names: [Name] = []
    _ = try ledger.searchAccounts(before: end) { stored -> Never? in
      names.append(stored.record.account.name)
      return nil
    }
    return names
  }

  /// Returns the ids that a key without a record probably misspells; none in a large store.
  /// - Parameter account: whose records have them; nil for any.
  func nearestIDs(to key: RecordKey, of account: Name? = nil) throws(CreditError) -> [Name] {
    guard let wanted = key.name(like: key) else { return [] }
    var known: Set<Name> = []
    _ = try search { record -> Never? in
      if let account, account != record.account.name { return nil }
      record.keys.visit { if let name = $0.name(like: key) { known.insert(name) } }
      return nil
    }
    return NearestNames.misspelt(wanted, amongIDs: Array(known))
  }

  /// Returns the first finding among the records; nil in a store of more than 1,000.
  func search<Found>(_ body: (LedgerRecord) -> Found?) throws(CreditError) -> Found? {
    defer { ledger.release() }
    let end = try ledger.bookmark().position
    guard try ledger.summary(before: end).recordCount <= 1000 else { return nil }
    return try ledger.searchPages(before: end, limit: 1000) { records in
      for stored in records { if let found = body(stored.record) { return found } }
      return nil
    }
  }
}

extension Store {
  /// Returns the known names of the same kind that are nearest to an unknown one; none if it is a
  /// known account.
  /// - Parameter owner: whose id it is; nil for any account's.
  func nearest(to key: RecordKey, of owner: Name? = nil) throws(CreditError) -> [Name] {
    let books = try OpenBooks(of: self)
    if case .account(let account) = key {
      if try books.ledger.newest(of: key) != nil { return [] }
      return NearestNames.find(account, among: try books.accountNames())
    }
    return try books.nearestIDs(to: key, of: owner)
  }
}
