internal import CreditJSON
internal import CreditModel
internal import CreditStore

/// Reads a tool's requests and hands them to the gate.
final class GateService: WritingService {
  let gate: any CreditGate
  private let action: GateAction
  private let store: any Store
  private let command: Command
  private let flags: FlagMembers
  private let storeKit: StoreKitService
  /// As of the current batch.
  private var rules: Rules?
  private let lastModel = LastModel()
  private let acceptsPartial: Bool
  private let isArrears: Bool
  private let amends: Bool
  /// The models of grants that have been looked up.
  private var notedModels: [ModelPatterns] = []

  /// How many different ones are.
  private static let notedLimit = 20

  /// A policy that is handed on as one reference.
  private final class Rules {
    let policy: Policy

    init(_ policy: Policy) { self.policy = policy }

    /// Not inlined: the caller would copy the policy for each request.
    @inline(never)
    func request(_ reader: RequestReader, by service: GateService) throws(CreditError)
      -> GateRequest
    {
      try service.request(reader, under: policy)
    }
  }

  init(_ action: GateAction, _ store: any Store, _ command: Command) {
    self.action = action
    gate =
      command.settings.arguments[.dryRun]
      ? DryRunGate(
        { () throws(CreditError) in try store.books() }, systemTime: { store.systemTime },
        makeID: command.host.makeID)
      : store.gate(makeID: command.host.makeID)
    self.store = store
    self.command = command
    flags = command.settings.members
    storeKit = StoreKitService(
      policyFolder: { store.policyFolder },
      OpenSSL(command.host.system) { try? command.host.environment($0) })
    acceptsPartial = command.settings.arguments[.partial]
    isArrears = command.settings.arguments[.arrears]
    amends = command.settings.arguments[.amend]
  }

  /// A signed transaction may be a line by itself: its header is base64url of `{"…`.
  var words: RequestWord? {
    action == .topUp ? RequestWord(prefix: "eyJ", member: "signedTransactionInfo") : nil
  }

  var waitUntilServed: () -> Void {
    get { storeKit.waitUntilServed }
    set { storeKit.waitUntilServed = newValue }
  }

  func beginBatch() throws(CreditError) -> Policy {
    let policy = try store.policyOfBatch()
    rules = Rules(policy)
    return policy
  }

  func nearestAccounts(to name: Name) throws(CreditError) -> [Name] {
    let books = OpenBooks(store)
    try books.refresh()
    return try books.nearestAccounts(to: name)
  }

  func request(_ request: RequestSource) throws(CreditError) -> GateRequest {
    guard let rules else { throw CreditError(.invalidPolicy, "there is no policy") }
    if case .event(let body) = request {
      return .payment(try PaymentEvents(store, command).request(body, under: rules.policy))
    }
    let reader = try RequestReader(
      request, flags: flags, now: command.settings.now, lastModel: lastModel,
      acceptsPartial: acceptsPartial)
    return try rules.request(reader, by: self)
  }

  private func request(_ reader: RequestReader, under policy: Policy) throws(CreditError)
    -> GateRequest
  {
    switch action {
    case .authorize:
      if let id = command.settings.arguments[.void] {
        return try reader.voidRequest(try RequestReader.name(id, "void"), under: policy)
      }
      return try reader.authorizeRequest(under: policy)
    case .charge:
      let request = try reader.chargeRequest(under: policy, isArrears: isArrears, amends: amends)
      if case .charge(let charge) = request { command.errors.remark(on: charge.remarks) }
      return request
    case .topUp: return try topUpRequest(reader, under: policy)
    case .refund: return try reader.refundRequest(under: policy)
    case .account: return try reader.accountRequest(under: policy)
    case .transfer: return try reader.transferRequest(under: policy)
    }
  }

  private func topUpRequest(_ reader: RequestReader, under policy: Policy) throws(CreditError)
    -> GateRequest
  {
    let arguments = command.settings.arguments
    let isStrict = arguments[.strict]
    let storeKitRequest = try storeKit.request(
      reader, under: policy, systemTime: command.host.systemTime, isStrict: isStrict)
    if let storeKitRequest { return storeKitRequest }
    if arguments[.storeKit] {
      throw CreditError(
        .invalidRequest, "with --storekit a request is a transaction or notification of StoreKit's")
    }
    let request = try reader.topUpRequest(under: policy, isStrict: isStrict)
    if let models = request.grantedModels { noteUnknown(models, under: policy) }
    return request
  }

  /// Says of models that no catalog has that a grant for them pays for nothing.
  private func noteUnknown(_ models: ModelPatterns, under policy: Policy) {
    guard !notedModels.contains(models), notedModels.count < Self.notedLimit else { return }
    notedModels.append(models)
    // No other thread may look up prices meanwhile.
    waitUntilServed()
    let time = command.settings.now ?? command.host.systemTime
    guard let (name, nearest) = try? policy.unknownModel(among: models, at: time) else { return }
    command.errors.remark(
      "no model \(quoted(name.text)) in the catalog, so credits for it pay for nothing"
        + NearestNames.hint(nearest))
  }
}

extension GateRequest {
  /// The models that its credits are for; nil if it is no top-up, or they are for all.
  fileprivate var grantedModels: ModelPatterns? {
    if case .topUp(let request) = self { request.terms.models } else { nil }
  }
}
