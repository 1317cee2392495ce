internal import CreditJSON
internal import CreditModel
internal import CreditStore

// Notes on requests of the flags: a person types those.
extension GateService {
  /// Returns the other id by which the result's work or credits may be there already.
  func otherKey(of result: GateResult) -> RecordKey? {
    if command.settings.isQuiet { return nil }
    if let transaction = result.newTopUp {
      return transaction.key.map(RecordKey.transaction)
        ?? .topUpKey(account: transaction.account, transaction.id)
    }
    if let charge = result.newCharge {
      let authorization = charge.receipt.authorization
      return charge.key.map(RecordKey.authorization)
        ?? .chargeKey(account: authorization.account, authorization.id)
    }
    let arguments = command.settings.arguments
    guard let authorization = result.started,
      !arguments.isWholeRequest || authorization.id.text == arguments[.authorizationID]
    else { return nil }
    return .chargeKey(account: authorization.account, authorization.id)
  }

  /// The end of a message on an unknown id, for people: the nearest known ones, if any. An id of
  /// the flags may be one of another kind.
  func advice(on key: RecordKey) throws(CreditError) -> String {
    let (arguments, tool) = (command.settings.arguments, command.tool.id)
    let account = arguments[.account].map(Name.init(trusted:))
    let nearest = NearestNames.hint(try store.nearest(to: key, of: account))
    guard arguments.isWholeRequest, let name = key.name(like: key) else { return nearest }
    func named(_ flag: String) -> String { shellFlag(flag, name.text) }
    let prefix = tool == .authorize ? "credit-refund " : ""
    var others: [RecordKey] = [.transaction(name)]
    if tool == .refund { others.append(.authorization(name)) }
    if let account, key != .chargeKey(account: account, name) {
      others.append(.chargeKey(account: account, name))
      if tool == .refund { others.append(.topUpKey(account: account, name)) }
    }
    let books = try OpenBooks(of: store)
    for other in others where other != key {
      guard let record = try books.ledger.newest(of: other)?.record,
        account == nil || account == record.account.name
      else { continue }
      switch (other, record.event.id) {
      case (.transaction, _):
        return "; it is a transaction: \(tool == .charge ? "credit-refund " : prefix)"
          + named("transaction")
      case (.authorization, _): return "; it is an authorization: \(named("authorization"))"
      case (.topUpKey, .transaction(let id)):
        return "; it is a top-up's key: \(shellFlag("transaction", id.text))"
      default:
        let owner = shellFlag("account", account?.text ?? "")
        return "; it is a charge's key: \(prefix)\(owner) \(named("key"))"
      }
    }
    let transfer = try books.search { record -> Transfer? in
      guard tool == .refund, case .transferOut(let made) = record.event,
        account ?? made.from == made.from, made.id == name || made.key == name
      else { return nil }
      return made
    }
    if let transfer { return "; it is a transfer: \(transfer.undo) gives it back" }
    let isKeyLike = tool == .refund && arguments.has(.authorization)
    if account != nil || !isKeyLike && !nearest.isEmpty { return nearest }
    return "\(nearest); for a key: \(prefix)--account NAME \(named("key"))"
  }

  /// Notes slips that a result shows.
  /// - Parameters:
  ///   - number: of the request. If the batch has noted it, that has the newest record of the
  ///     result's other id.
  ///   - origin: nil if flags make the request.
  func note(_ result: GateResult, _ number: Int, of batch: Batch, about origin: RequestOrigin?) {
    if command.settings.isQuiet { return }
    if let time = result.madeAt {
      hasNotedTime = true
      let given = command.settings.now
      if !batch.policy.clockIsSimulated {
        command.noteAhead(time, of: store)
      } else if let asked = origin == nil ? given : origin?.time, asked < time {
        let name = asked == given ? command.clock : "now"
        command.errors.remark(
          "\(name) \(asked.text) is before an account's newest record, of \(time.text): its clock "
            + "never runs back, so a new record gets at least that time", about: origin)
      }
    }
    guard batch.isNoted(number), let known = batch.noted else { return }
    if let sentence = remark(on: known, beside: result, origin == nil ? "--" : "") {
      command.errors.isAsking = true
      command.errors.remark(sentence, about: origin)
    }
  }

  /// Says that a key and a transaction, or a key and an authorization, are two ids: the same work
  /// or money by the other counts again.
  /// - Parameter dashes: those of flags; empty for members.
  private func remark(
    on known: StoredRecord, beside result: GateResult, _ dashes: String
  ) -> String? {
    let owner = known.record.account.name
    func again(_ verb: String, _ id: String, isKey: Bool, beside noun: String) -> String {
      let (own, other) = isKey ? ("key", noun) : (noun, "key")
      return "the account \(verb) by \(dashes)\(other) \(id) already; "
        + "\(dashes)\(own) \(id) is a second id"
    }
    if let made = result.newTopUp {
      guard case .topUp(let topUp) = known.record.event, topUp.transaction.status == .completed,
        made.account == owner
      else { return nil }
      let id = quoted((made.key ?? made.id).text)
      return again("has credits", id, isKey: made.key != nil, beside: "transaction")
        + " and adds more"
    }
    guard let made = result.newCharge?.receipt.authorization ?? result.started,
      made.account == owner, let entry = try? AuthorizationEntry(known)
    else { return nil }
    let key = result.newCharge?.key
    let name = (key ?? made.id).text
    let (id, word) = (quoted(name), shellFlag("authorization", name))
    if case .open = entry.state {
      return "the account has an authorization \(id), which stays open: \(dashes)key \(id) is "
        + "a second id, and credit-charge \(word) would charge more"
    }
    if case .charged = entry.state {} else if entry.partLeft == nil { return nil }
    return again("is charged", id, isKey: key != nil, beside: "authorization")
      + (result.newCharge == nil ? ", and would charge again" : " and charges more")
  }

  /// Says that an account had another parent when its work began, which the present one pays, or
  /// the account itself without one.
  func remarkOnMove(before receipt: CreditReceipt) -> String? {
    let began = min(receipt.details?.usedAt ?? .latest, receipt.authorization.timestamp)
    guard began < receipt.timestamp, lookBackLimit > 0 else { return nil }
    let (name, payer) = (receipt.authorization.account, receipt.paidBy.first?.account)
    let seen = "\(name.text) \(payer?.text ?? "")"
    // Logs begin with the oldest work.
    if let oldest = oldestWork[seen], oldest <= began { return nil }
    oldestWork[seen] = began
    waitUntilServed()
    guard let books = try? store.books(), let newest = try? books.newest(of: .account(name))
    else { return nil }
    lookBackLimit -= LedgerPage.count
    let before = try? books.search(name, before: newest.position) { stored -> Account? in
      lookBackLimit -= 1
      let account = stored.record.account
      return account.updatedAt <= began || lookBackLimit < 0 ? account : nil
    }
    guard let before, before.updatedAt <= began, before.parent != newest.record.account.parent
    else { return nil }
    let parent = before.parent.map { quoted($0.text) }
    return "\(quoted((payer ?? name).text)) pays for work of \(began.text), but the account's "
      + "parent was \(parent ?? "none") then; to change that, before such a charge: credit-account "
      + "\(shellFlag("account", name.text)) \(shellFlag("parent", before.parent?.text ?? "none"))"
  }

  /// Notes that flags give input tokens alone, or output, for a model with prices of both.
  func noteMissingTokens(of charge: ChargeRequest, under policy: Policy) {
    let usage = command.settings.members.usage
    func has(_ kind: UsageCount.Kind) -> Bool {
      UsageCount.allCases.contains { $0.row.kind == kind && usage[$0] != nil }
    }
    let (input, output) = (usage[.inputTokens] ?? 0 > 0, usage[.outputTokens] ?? 0 > 0)
    guard input && !has(.output) || output && !has(.input),
      let model = try? policy.model(charge.model, at: charge.usedAt ?? command.now),
      model.pricing.pricesTokens
    else { return }
    let missing = input ? "output" : "input"
    command.errors.ask(
      "no \(missing) tokens are given, so 0 are counted: "
        + "add --\(missing)-tokens N, with --amend if it is charged already")
  }

  /// Notes amounts that no buyer wants, or that take more than there is, or correct too much.
  func noteFar(_ result: GateResult, in batch: Batch) {
    if let made = result.newTopUp, (made.key ?? made.id).isSuggested { return }
    func ask(_ text: String) { command.errors.ask("\(text): is that meant?") }
    switch (batch.requests[0], result.bare) {
    case (.charge, .receipt(let charge, isReplay: false)):
      let (before, now) = (charge.amendment?.previousCredits ?? 0, charge.receipt.creditsCharged)
      guard before > 0, now / 100 >= before, charge.amendment?.first != charge.work else { return }
      ask("--amend makes \(now) credits of \(before), \(now / before) times as many")
    case (.topUp(let request), .topUp(let made, isReplay: false)):
      let largest = batch.policy.products.map(\.credits).max() ?? 0
      switch request.grant {
      case .product(let name, let quantity) where quantity >= 100:
        let credits = (try? batch.policy.prices.product(name))?.credits ?? 1
        guard credits > 1 || quantity >= 100_000 else { break }
        ask("quantity \(quantity)\(credits > 1 ? " of \(credits) credits each" : "")")
      case .credits(let credits) where credits >= 100_000,
        .target(let credits, _) where credits >= 100_000:
        guard largest > 0, credits / 100 >= largest else { break }
        let flag = request.grant == .credits(credits) ? "credits" : "to"
        ask("--\(flag) \(credits) is \(credits / largest) times the largest product's \(largest)")
      case .credits(let credits) where made.creditsAdded < 0 && made.newBalance < 0:
        let before = max(0, made.newBalance.addingSaturating(-made.creditsAdded))
        ask(
          "--credits \(credits) takes more than the \(before) credits of account "
            + quoted(request.account.text))
      default: break
      }
    default: break
    }
  }
}

extension Command {
  /// Notes accounts that this run has made, if their names may be slips. If it has made many, or
  /// the store has, programs name them.
  func noteNew(_ accounts: [Name], in store: any Store) {
    guard !settings.isQuiet, !accounts.isEmpty, accounts.count <= 3 else { return }
    // Programs charge accounts that are new; people name an account to give it something.
    let isGift = settings.arguments.isWholeRequest && [.topup, .account].contains(tool.id)
    let limit = isGift ? OpenBooks.nearestLimit : 1000
    let known = try? OpenBooks(of: store).accountNames(ifAtMost: limit)
    let older = (known ?? []).filter { !accounts.contains($0) }
    let ids = [settings.arguments[.key], settings.arguments[.transaction]]
    let other = older.first { ids.contains($0.text) }.map {
      "; \(quoted($0.text)) is an account: are the two swapped?"
    }
    for account in accounts {
      if let slip = account.text.slip {
        // A flag's name has been noted.
        if account.text != settings.arguments[.account] { errors.ask("the account's name \(slip)") }
        errors.wrongAccount = account
        continue
      }
      let similar = NearestNames.similar(to: account, among: older)
      // Texts whose accents are coded otherwise are equal.
      let hint =
        similar.first?.text == account.text
        ? "; another account looks the same, and its accents are other code points"
        : account.text.disguise + (other ?? NearestNames.hint(similar))
          + (isGift && account.text.isSeveral ? "; it is one account: is that meant?" : "")
      if hint.isEmpty { continue }
      errors.ask("account \(quoted(account.text)) is new\(hint)")
      errors.wrongAccount = account
    }
  }

  /// Notes a charge's unread usage, and a model that was probably not meant.
  @inline(__always)
  func note(_ charge: ChargeRequest, from source: RequestSource, under policy: Policy) {
    if charge.remarks == nil, case .value = source,
      case .counts(.tokens(let tokens)) = charge.usage, tokens.isCommon, tokens.improbable == nil,
      !tokens.isZero
    {
      return
    }
    errors.remark(on: charge.remarks, of: charge.usage)
    noteModel(charge.model, charge.usage, of: source, under: policy, at: charge.usedAt ?? now)
  }

  /// Notes the flags' names, keys and tags that were probably not meant so.
  func noteOddNames() {
    for given in settings.arguments.given where given.flag.group == .request {
      let name = given.flag.name
      guard case .text(let text) = given.value, !["reason", "price", "currency"].contains(name)
      else { continue }
      let value = name == "tag" ? text.tagParts.value ?? "" : text
      if name == "tag", value.utf8.contains(","), value.tagParts.value != nil {
        errors.ask("\(quoted(text)) is one tag: each has a --tag of its own")
      }
      if name == "tag", value.isEmpty {
        errors.ask("--tag \(plainOrQuoted(text)) has no value: is a variable not set?")
      }
      guard let slip = value.slip else { continue }
      let what = ["account": "the account's name", "key": "the key"][name] ?? "--\(name)"
      errors.ask("\(what) \(slip)")
    }
  }
}

extension GateResult {
  /// The time of the new record, or of an account's newest; nil if the result is a repeat.
  fileprivate var madeAt: Timestamp? {
    switch bare {
    case .plan(let result, _): result.madeAt
    case .receipt(let charge, isReplay: false): charge.receipt.timestamp
    case .topUp(let topUp, isReplay: false): topUp.transaction.timestamp
    case .authorization(let authorization, balance: _, isReplay: false): authorization.timestamp
    case .chargeRefund(_, _, let refund, isReplay: false): refund.timestamp
    case .transactionRefund(_, let refund, isReplay: false): refund.timestamp
    case .transfer(let transfer, isReplay: false): transfer.timestamp
    case .account(let view): view.updatedAt
    default: nil
    }
  }
}
