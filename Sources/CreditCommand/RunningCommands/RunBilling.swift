internal import CreditJSON
internal import CreditModel
internal import CreditStore

/// The gate's part in a run: authorization before it, charge or void after it.
final class RunBilling {
  private let command: Command
  let store: any Store
  private let gate: any CreditGate
  private var authorization: CreditAuthorization?
  /// When the run began, by this machine's clock.
  private let beginning: Timestamp

  init(_ command: Command) throws(CreditError) {
    self.command = command
    store = try command.openStore()
    gate = store.gate(makeID: command.host.makeID)
    beginning = command.host.systemTime
  }

  /// May the account start?
  /// - Returns: the id of the authorization.
  /// - Throws: why not; also `unknown_model` for a model without a price, as its charge would fail.
  func authorize() throws(CreditError) -> Name {
    let result = try perform { reader throws(CreditError) in try reader.authorize() }
    guard case .authorization(let authorization, _, _) = result.bare else {
      throw CreditError(.corruptStore, "there is no authorization")
    }
    self.authorization = authorization
    return authorization.id
  }

  /// Charges a response, voids the authorization without one, or leaves it open.
  /// - Parameters:
  ///   - thread: the thread of Codex that the response is of, if it is.
  ///   - missingResponse: why there is no response, for an outcome without one.
  /// - Returns: why nothing was charged; nil if the run or the command charged.
  func settle(
    _ outcome: ResponseTap.Outcome, of thread: String?, missingResponse: String,
    to receipts: ReceiptOutput
  ) -> CreditError? {
    guard let authorization else { return nil }
    let reading: UsageReading
    switch outcome {
    // The price of another model is by tokens, which such a response does not report.
    case .none(let known?) where pricing(of: known).map({ !$0.pricesTokens }) ?? known.isPending:
      reading = known
    case .response(let known) where !known.isRequest: reading = known
    case .unreadable(let error, let known) where error.code != .failedResponse:
      return leaveOpen(authorization, because: error, known, receipts)
    case .none, .response, .unreadable:
      let reason =
        switch outcome {
        case .none: missingResponse
        case .response: "\(missingResponse), but a request, which credit-charge takes"
        case .unreadable(let error, _): error.message
        }
      let hold = authorization.hold.map { ", and its hold of \($0.credits) is free" } ?? ""
      let error = CreditError(
        .failedResponse, "\(reason); nothing was charged\(hold)",
        [.account(authorization.account), .authorization(authorization)])
      let failure = void(authorization, because: error, receipts)
      if case .unreadable(_, let known) = outcome, failure != nil {
        let (account, key) = (authorization.account.text, authorization.id.text)
        let line = chargeLine(
          "\(shellFlag("account", account)) \(shellFlag("key", key))", known)
        command.errors.remark("if that was the work, this charges it:\n  \(line)")
      }
      return failure
    }
    do throws(CreditError) {
      if let thread, case .counts(.tokens(let total)) = reading.usage {
        receipts.print(try charge(total, of: thread, reading, authorization))
      } else {
        receipts.print(try charge(reading, authorization))
      }
      return nil
    } catch {
      if let charge = error.charge {
        // The command has charged by itself.
        receipts.print(charge)
        return nil
      }
      if error.code == .failedResponse { return void(authorization, because: error, receipts) }
      if error.code == .authorizationClosed {
        receipts.print(error)
        return error
      }
      return leaveOpen(authorization, because: error, reading, receipts)
    }
  }

  /// Returns the price of the model that a flag or the response names; nil if it is unknown.
  private func pricing(of reading: UsageReading) -> ServicePricing? {
    let model = command.settings.arguments[.model] ?? reading.responseModel ?? ""
    return try? store.policy().model(Name(trusted: model), at: command.now).pricing
  }

  private func charge(_ reading: UsageReading, _ authorization: CreditAuthorization)
    throws(CreditError) -> GateResult
  {
    let flags = command.settings.members.with(
      .authorization, .authorization(AuthorizationReference(id: authorization.id)))
    return try perform(.response(reading), flags: flags) { reader throws(CreditError) in
      try reader.charge(isArrears: true)
    }
  }

  /// Charges by how much the total of a thread has risen, and keeps it.
  ///
  /// The total of a thread that an unknown run has begun includes that run's: it is not charged.
  private func charge(
    _ total: TokenUsage, of thread: String, _ reading: UsageReading,
    _ authorization: CreditAuthorization
  ) throws(CreditError) -> GateResult {
    let totals = try ThreadTotals(command, store)
    let before = try totals.flatMap { totals throws(CreditError) in
      try chargedTotal(of: thread, in: totals)
    }
    let result: GateResult
    if before == nil, ThreadTotals.isOlder(thread, than: beginning) {
      let next =
        totals == nil
        ? "--resume FILE keeps the totals of threads for the next run"
        : "from now on its usage is charged"
      command.errors.remark(
        "thread \(quoted(thread)) began before this run, and its usage until then is not "
          + "known: nothing is charged; \(next)")
      result = try void(authorization)
    } else {
      let risen = total.since(before)
      reading.take(risen)
      if risen.isZero {
        result = try void(authorization)
      } else {
        // A crash between the charge and the next line would have the rise charged again.
        let begun = ThreadTotals.Last.Begun(total: total, authorization: authorization.id)
        try totals?.keep(ThreadTotals.Last(charged: before, begun: begun), of: thread)
        result = try charge(reading, authorization)
      }
    }
    try totals?.keep(ThreadTotals.Last(charged: total), of: thread)
    return result
  }

  /// Returns a thread's total up to which it is charged; nil if it is not known.
  ///
  /// Voids the authorization of an earlier run whose charge did not go through. This run charges
  /// the work of both.
  private func chargedTotal(of thread: String, in totals: ThreadTotals) throws(CreditError)
    -> TokenUsage?
  {
    let last = totals.last(of: thread)
    guard let begun = last.begun else { return last.charged }
    do throws(CreditError) {
      _ = try perform { _ in .void(VoidRequest(id: begun.authorization)) }
      return last.charged
    } catch {
      switch error.code {
      case .authorizationClosed: return begun.total
      // The file is of another store.
      case .unknownAuthorization: return last.charged
      default: throw error
      }
    }
  }

  private func void(_ authorization: CreditAuthorization) throws(CreditError) -> GateResult {
    try perform { reader throws(CreditError) in try reader.void(authorization.id) }
  }

  private func void(
    _ authorization: CreditAuthorization, because error: CreditError, _ receipts: ReceiptOutput
  ) -> CreditError? {
    do throws(CreditError) {
      _ = try void(authorization)
    } catch let voiding {
      // The command has charged by itself.
      if let charge = voiding.charge {
        receipts.print(charge)
        return nil
      }
      command.errors.report(voiding)
    }
    receipts.print(error)
    return error
  }

  private func leaveOpen(
    _ authorization: CreditAuthorization, because error: CreditError, _ reading: UsageReading,
    _ receipts: ReceiptOutput
  ) -> CreditError? {
    receipts.print(error)
    // The model costs the provider's report, and no cost was reported.
    let lacksCost = error.details.contains {
      if case .unpriced(let names) = $0 { names == ["reportedUSD"] } else { false }
    }
    let reference = shellFlag("authorization", authorization.id.text)
    let line = chargeLine(reference, reading, lacksCost: lacksCost)
    let need =
      switch error.code {
      case .unknownModel: "once the catalog has the model, "
      case .unpricedUsage:
        lacksCost
          ? "with the provider's cost in dollars for COST, " : "once the model has that price, "
      case _ where reading.isPending:
        "with the finished job in RESPONSE, "
      default:
        reading.hasFailed
          ? "each response needs a charge of its own; with one of them in RESPONSE, " : ""
      }
    let hold = authorization.hold.map { ", with its hold of \($0.credits)" } ?? ""
    command.errors.remark(
      "the authorization stays open\(hold); \(need)this charges it:\n  \(line)")
    return error
  }

  /// The command line that charges a run.
  /// - Parameter lacksCost: true if the cost is to be filled in: a request has it, and the counts.
  private func chargeLine(
    _ reference: String, _ reading: UsageReading, lacksCost: Bool = false
  ) -> String {
    let readsResponse = reading.hasFailed || reading.isPending
    let model = command.settings.arguments[.model] ?? reading.responseModel ?? "MODEL"
    let line = "credit-charge \(reference) --arrears \(shellFlag("model", model))"
    if !lacksCost { return line + (readsResponse ? " --response < RESPONSE" : counts(of: reading)) }
    var usage = ""
    if !readsResponse, case .counts(let counts) = reading.usage {
      var text = JSONWriter()
      text.usage(counts)
      usage = #","usage":\#(text.string)"#
    }
    return "echo \(shellWord(#"{"reportedUSD":"COST"\#(usage)}"#)) | \(line)"
  }

  /// Returns the flags that state a usage. If the response has none of the model's kind, a person
  /// fills them in: it would have none again.
  private func counts(of reading: UsageReading) -> String {
    let pricing = pricing(of: reading)
    let isByUnits = if case .perUnit? = pricing { true } else { false }
    switch reading.usage {
    case .counts(.units(let units)) where isByUnits || pricing?.needsUsage != true:
      return shellCommand("", Usage.units(units).flags)
    case .counts(.tokens(let tokens)) where !isByUnits:
      return shellCommand("", Usage.tokens(tokens).flags)
    default: return " " + ServicePricing.flags(for: pricing).joined(separator: " ")
    }
  }

  private func perform(
    _ source: RequestSource = .flags, flags: RequestFlags? = nil,
    _ request: (RequestReader) throws(CreditError) -> GateRequest?
  ) throws(CreditError) -> GateResult {
    let policy = try store.policy()
    let context = command.context(under: policy, flags: flags)
    let batch = Batch(under: policy)
    if authorization == nil {
      command.noteClock(source, of: store, isSimulated: policy.clockIsSimulated)
    }
    if let request = try request(RequestReader(source, context)) {
      if case .charge(let charge) = request { command.note(charge, from: source, under: policy) }
      batch.add(request)
    }
    try gate.perform(batch)
    guard !batch.answers.isEmpty else {
      throw CreditError(.corruptStore, "the store did not answer")
    }
    command.noteNew(batch.registered, in: store)
    do throws(CreditError) {
      return try batch.answers[0].get()
    } catch {
      var explanations = Explanations()
      throw explanations.explain(error, by: policy) { key throws(CreditError) in
        NearestNames.hint(try store.nearest(to: key))
      }
    }
  }
}

extension CreditError {
  fileprivate var charge: Charge? {
    for case .receipt(let charge) in details { return charge }
    return nil
  }
}
