internal import CreditJSON
internal import CreditModel
internal import CreditPayments
internal import CreditStore

/// Reads a tool's requests and hands them to the gate.
final class GateService: RequestService {
  let gate: any CreditGate
  let store: any Store
  let command: Command
  private lazy var payments = PaymentRequests(store, command)
  // Exclusivity is unchecked: one thread at a time, and no callee reaches back.
  /// What the requests of the current batch share.
  @exclusivity(unchecked) private var context: RequestContext?
  private let isArrears: Bool
  private let amends: Bool
  /// Whether an answer has suggested the key of the flags.
  private let isSuggested: Bool
  private var isClockNoted = false
  @exclusivity(unchecked) var hasNotedTime = false
  /// The time before which work is old; nil once such work has been noted.
  @exclusivity(unchecked) private var longAgo: Timestamp?
  /// The time of the oldest work that a note has looked at, by its account and parent.
  lazy var oldestWork: [String: Timestamp] = [:]
  /// The most records that these notes may still read.
  var lookBackLimit = 1 << 18
  /// The values that notes have looked at.
  private var noted: Set<String> = []

  init(_ store: any Store, _ command: Command) {
    gate =
      command.settings.arguments[.dryRun]
      ? DryRunGate(
        { () throws(CreditError) in try store.books() }, systemTime: { store.systemTime },
        makeID: command.host.makeID)
      : store.gate(makeID: command.host.makeID)
    self.store = store
    self.command = command
    isArrears = command.settings.arguments[.arrears]
    amends = command.settings.arguments[.amend]
    isSuggested = Name(trusted: command.settings.arguments[.key] ?? "").isSuggested
    longAgo = command.now.adding(.seconds(-365 * 86_400))
  }

  /// Waits until the gate serves no batch. Reading a request that runs a command calls it first, as
  /// no command is run while the store is locked.
  var waitUntilServed: () -> Void = {}

  func beginBatch(expecting count: Int) throws(CreditError) -> Batch? {
    let policy = try store.policyOfBatch()
    context = command.context(under: policy)
    context?.note = { [unowned self] name, id in
      let disguise = id.disguise
      guard !disguise.isEmpty, ["authorization", "key", "transaction"].contains(name.description),
        isNew(disguise)
      else { return }
      command.errors.ask("\(name) \(quoted(id)) is odd\(disguise)")
    }
    return Batch(under: policy, expecting: count)
  }

  func take(_ request: RequestSource, text: [UInt8]?, in batch: Batch?, to output: ResultOutput)
    throws(CreditError) -> GateRequest?
  {
    guard let batch, let context else { throw CreditError(.invalidPolicy, "there is no policy") }
    if !isClockNoted {
      isClockNoted = true
      command.noteClock(request, of: store, isSimulated: batch.policy.clockIsSimulated)
    }
    if case .event(let body) = request {
      var request = try payments.event(body, under: batch.policy)
      for sentence in try request.settle(under: batch.policy) { output.errors.remark(sentence) }
      return .payment(request)
    }
    guard let request = try self.request(RequestReader(request, consume context), in: batch) else {
      throw .invalidRequest("there is no request")
    }
    return request
  }

  private func request(_ reader: RequestReader, in batch: Batch) throws(CreditError)
    -> GateRequest?
  {
    switch command.tool.id {
    case .authorize:
      guard let id = command.settings.arguments[.void] else { return try reader.authorize() }
      return try reader.void(try Name(checked: id, as: "void"))
    case .charge:
      let request = try reader.charge(isArrears: isArrears, amends: amends)
      if case .charge(let charge) = request, !isSuggested {
        command.note(charge, from: reader.source, under: batch.policy)
        if let time = charge.usedAt, let longAgo, time < longAgo {
          self.longAgo = nil
          command.errors.ask("usedAt \(time.text) is a year ago or more: is that meant?")
        }
        if case .flags = reader.source { noteMissingTokens(of: charge, under: batch.policy) }
      }
      return request
    case .topup: return try topUpRequest(reader, under: batch.policy)
    case .refund: return try reader.refund()
    case .account:
      let request = try reader.accountChange()
      if case .flags = reader.source, case .account(let change) = request,
        case .set(let group) = change.group
      {
        command.noteUnknown(group, in: try store.priceTexts())
      }
      return request
    case .transfer: return try reader.transfer()
    case .price, .balance, .history, .run, .store, .doctor, .usage, .report, .reconcile: return nil
    }
  }

  private func topUpRequest(_ reader: RequestReader, under policy: Policy) throws(CreditError)
    -> GateRequest?
  {
    let arguments = command.settings.arguments
    if let request = try reader.storeKit(
      payments.storeKit, under: policy, systemTime: command.host.systemTime,
      isStrict: arguments[.strict], waiting: waitUntilServed)
    {
      return request
    }
    if arguments[.storeKit] {
      throw .invalidRequest(
        "with --storekit a request must be a StoreKit transaction or notification")
    }
    let request: GateRequest?
    do {
      request = try reader.topUp(isStrict: arguments[.strict])
    } catch {
      guard let format = reader.source.value.flatMap(PaymentFormat.init(ofEvent:)) else {
        throw error
      }
      throw .invalidRequest(
        "it is a payment event, which credit-topup --event \(format.rawValue) reads, with the "
          + "headers of its delivery")
    }
    guard case .topUp(let topUp) = request else { return request }
    topUp.isListedAsClosed = reader.own("closed")?.bool == true
    if let models = topUp.terms.models,
      isNew("models " + models.names.map(\.text).joined(separator: " ")),
      let (name, nearest) = try? policy.unknownModel(among: models, at: command.now)
    {
      command.errors.ask(
        "no model \(quoted(name.text)) in the catalog, so credits for it pay for nothing"
          + NearestNames.hint(nearest))
    }
    if let price = topUp.price.flatMap({ ExactDecimal(text: $0) }),
      let currency = topUp.currency
        ?? (try? topUp.grant.soldProduct.flatMap(policy.prices.product))?.currency,
      let problem = Currency.remark(on: price, in: currency), isNew(currency)
    {
      command.errors.ask(problem)
    }
    noteOdd(topUp.currency, of: topUp, under: policy)
    if let price = topUp.price { noteOdd(price: price, of: topUp, under: policy) }
    if let slip = topUp.terms.expiry?.slip(at: topUp.time ?? command.now), isNew("expiry") {
      command.errors.ask(slip)
    }
    return request
  }

  /// Notes effects that the flags' request was probably not meant to have.
  func note(
    ofFlags result: GateResult, in batch: Batch, made accounts: [Name], to output: ResultOutput
  ) {
    let flags = command.settings.arguments
    if case .receipt(let charge, isReplay: true) = result.bare, !flags[.amend], flags[.response],
      flags.has(.get), let key = charge.key
    {
      output.errors.remark(
        "key \(quoted(key.text)) is charged already; another response needs another key")
    }
    if case .topUp = result.bare, flags.memberPaths?.contains("account") == true {
      output.errors.remark("--get: the account of a top-up is \"transaction.account\"")
    }
    if let remark = flags.remark(onPathsOf: result) { output.errors.remark(remark) }
    noteFar(result, in: batch)
    if flags[.amend], result.newCharge != nil {
      output.errors.ask("--amend found no earlier charge to correct: the charge is new")
    }
    if flags.has(.expiresAt), case .plan(.topUp(let topUp, isReplay: false), _) = result.bare,
      let paid = topUp.transaction.paid, paid.until <= topUp.transaction.timestamp
    {
      output.errors.ask("expiry \(paid.until.text) is in the past: it sets no plan; is that meant?")
    }
    if let charge = result.newCharge, case .units(let units) = charge.receipt.usage,
      !isSuggested,
      case let receipt = charge.receipt, receipt.paidBy.isEmpty,
      receipt.creditsCharged >= (flags[.arrears] ? 100_000 : 1000),
      case let before = max(0, receipt.newBalance.addingSaturating(receipt.creditsCharged)),
      receipt.creditsCharged / 4 > before
    {
      output.errors.ask(
        "\(units) units cost \(receipt.creditsCharged) credits, far more than the \(before) of "
          + "account \(quoted(receipt.authorization.account.text)): is that meant?")
    }
    command.noteNew(accounts, in: store)
    if flags[.response], !flags.has(.authorization) { command.noteUnnamed(in: store) }
  }

  /// Notes a price far from a known one, `999` for `9.99`, or that no report counts; the first one
  /// of a run.
  private func noteOdd(price: String, of topUp: TopUpRequest, under policy: Policy) {
    guard !command.settings.isQuiet, noted.count < 100,
      isNew("\(price) \(topUp.currency ?? "") \(topUp.kind.rawValue) \(topUp.grant.hashValue)"),
      let problem = topUp.problem(ofPriceUnder: policy, lastSales), isNew("a price")
    else { return }
    command.errors.ask("\(problem): is that meant?")
  }

  /// Returns the newest sales that were not refunded since, once the gate serves no batch.
  private func lastSales() -> [Transaction] {
    waitUntilServed()
    guard let ledger = try? store.books(), let end = try? ledger.bookmark().position,
      let records = try? ledger.records(of: nil, before: end, skipping: 0, limit: LedgerPage.count)
    else { return [] }
    var refunded: Set<Name> = []
    return records.compactMap { stored in
      if case .topUpRefund(let topUp, _) = stored.record.event {
        refunded.insert(topUp.transaction.id)
      }
      guard case .topUp(let topUp) = stored.record.event, !refunded.contains(topUp.transaction.id)
      else { return nil }
      return topUp.transaction
    }
  }

  /// True if a note looks at a value for the first time, and has looked at few others.
  private func isNew(_ value: String) -> Bool { noted.count < 1000 && noted.insert(value).inserted }

  /// Notes a sale in another currency than its product's price, once for each of both, or the first
  /// one in none.
  private func noteOdd(_ currency: String?, of topUp: TopUpRequest, under policy: Policy) {
    guard (topUp.price == nil) == (currency == nil), let name = topUp.grant.soldProduct,
      isNew("\(currency ?? "") \(name.text)")
    else { return }
    guard let product = try? policy.prices.product(name) else { return }
    if let currency, let problem = product.problem(ofSaleIn: currency) {
      command.errors.ask("\(problem); it is recorded as given")
    } else if currency == nil, product.price != nil, product.currency == nil, isNew("currency") {
      command.errors.remark(
        "product \(quoted(name.text)): its price has no currency, so no report counts the sale; "
          + "add \"currency\" to it in the policy")
    }
  }
}

extension Command {
  func runGate() throws(UsageError) {
    let store: any Store
    let needsRecords =
      tool.id == .refund || tool.id == .transfer || settings.arguments.has(.void)
      || tool.id == .charge && settings.arguments.has(.authorization)
    do {
      store = try openStore(isReadOnly: settings.arguments[.dryRun])
      if needsRecords, !store.location.isNamed { try store.requireExists() }
    } catch {
      return printError(error)
    }
    // Others can read command lines, and the secret of some senders is their `Authorization`.
    for line in settings.arguments[.header] {
      if line.lowercased().hasPrefix("authorization") {
        throw UsageError("--header takes no Authorization; give it in the file of --headers")
      }
      if EventDelivery.header(line) == nil { throw UsageError("--header takes NAME: VALUE") }
    }
    if settings.arguments[.verify] { return try verifyEvent(store) }
    noteOddNames()
    if settings.arguments.has(.authorization), settings.arguments.has(.key) {
      errors.ask("--key is ignored beside --authorization, which is unique by itself")
    }
    try serve(GateService(store, self))
  }
}

extension CreditError.Code {
  /// The code of a value that is itself an error result; nil otherwise.
  init?(ofResult value: JSONValue) {
    guard let error = value.member("error"), error.kind == .object,
      let code = error.string("code").flatMap(CreditError.Code.init(rawValue:)),
      error.int64("status") == Int64(code.status)
    else { return nil }
    self = code
  }
}

extension ParsedArguments {
  /// The end of a sentence on a charge that failed.
  func advice(on code: CreditError.Code) -> String? {
    switch code {
    case .unknownModel: ": give --model ID, or add the model and try again"
    case .failedResponse:
      self[.authorization].map { ": credit-authorize \(shellFlag("void", $0.id.text)) gives it up" }
    case .cutResponse, .invalidJSON: has(.authorization) ? "" : nil
    // The account has too few credits, has reached a limit, or is closed.
    case .insufficientCredits, .spendLimit, .accountClosed:
      self[.arrears] ? nil : "; --arrears charges work that is already done"
    default: nil
    }
  }
}

struct RequestCounts {
  private(set) var succeeded = 0
  private(set) var codes: [CreditError.Code] = []
  private var failed: [Int] = []

  mutating func succeed() { succeeded += 1 }

  mutating func fail(_ code: CreditError.Code) {
    if let index = codes.firstIndex(of: code) {
      failed[index] += 1
    } else {
      codes.append(code)
      failed.append(1)
    }
  }

  /// `300 requests: 165 succeeded, 133 insufficient_credits, 2 invalid_usage`: the most frequent
  /// first. Nil if none failed, or there was only one.
  var summary: String? {
    let total = failed.reduce(succeeded, +)
    guard total > 1, !codes.isEmpty else { return nil }
    var text = "\(total) requests: \(succeeded) succeeded"
    for index in codes.indices.sorted(by: { (failed[$1], $0) < (failed[$0], $1) }) {
      text += ", \(failed[index]) \(codes[index].rawValue)"
    }
    return text
  }
}

protocol RequestService: AnyObject {
  /// Opens the store as it is now, for requests that have arrived.
  /// - Parameter count: the expected number of requests.
  /// - Returns: a batch for them; nil for a service that answers them one by one.
  func beginBatch(expecting count: Int) throws(CreditError) -> Batch?
  /// Reads a request for the gate, or prints the answer to it: one result, or a listing's lines.
  /// - Parameter text: the request's text, if results are added to it.
  /// - Returns: nil if it has been answered.
  func take(_ request: RequestSource, text: [UInt8]?, in batch: Batch?, to output: ResultOutput)
    throws(CreditError) -> GateRequest?
}
