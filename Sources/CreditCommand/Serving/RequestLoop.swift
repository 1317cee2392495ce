internal import CreditJSON
internal import CreditModel
internal import CreditSystem

/// The run is over before its input: the store failed, or the output.
struct RunEnded: Error {}

/// Serves the requests of a run: the flags' request, or those on standard input, in batches of the
/// requests that have arrived.
final class RequestLoop {
  private let service: any RequestService
  private let writing: GateService?
  private let streams: any Streams
  private let output: ResultOutput
  private let flags: ParsedArguments
  // Exclusivity is unchecked: one thread at a time, and no callee reaches back.
  @exclusivity(unchecked) private var counts = RequestCounts()
  /// The requests that have been gathered; nil for a service that answers them one by one.
  @exclusivity(unchecked) private var batch: Batch?
  /// Accounts that the run has made: at least one more than are noted, if they are many.
  @exclusivity(unchecked) private var madeAccounts: [Name] = []
  /// The numbers, from 1, of requests that remarks ask about. Several may be on one line.
  @exclusivity(unchecked) private var asked: [Int] = []
  @exclusivity(unchecked) private var takenCount = 0
  @exclusivity(unchecked) private var answeredCount = 0
  /// The result of the only request on standard input.
  @exclusivity(unchecked) private var lone: GateResult?
  /// How many requests the batch before had.
  private var lastCount = 0
  /// Names the flags that replace the response on standard input, if it reports no usage.
  private var usageHint = ""
  /// Made for the first request: a run by flags reads none.
  private lazy var input = RequestInput(streams, for: flags.tool.id)
  @exclusivity(unchecked) private var misspelt: MisspeltMembers
  /// Nil for a service that only reads.
  let serving: BatchServing?

  /// - Parameter flags: fill in missing members of requests.
  init(
    _ service: any RequestService, _ streams: any Streams, _ output: ResultOutput,
    flags: ParsedArguments
  ) {
    misspelt = MisspeltMembers(of: flags.tool, flags)
    self.service = service
    writing = service as? GateService
    self.streams = streams
    self.output = output
    self.flags = flags
    serving = writing.map { BatchServing($0) }
  }

  var hasSucceeded: Bool { counts.succeeded > 0 }

  func serveFlags() throws(RunEnded) {
    do { try begin() } catch { throw end(with: error) }
    try serveWhole(.flags)
  }

  /// Serves the one request of a run.
  /// - Parameter text: its text, of which only an object has members that could travel on.
  private func serveWhole(_ request: RequestSource, _ text: [UInt8] = []) throws(RunEnded) {
    let isObject = !text.isEmpty && output.needsRequests && (try? JSONDocument(text)) != nil
    try take(request, line: nil, text: isObject ? text : nil)
    try serve()
  }

  /// Serves one request from the flags and a response on standard input.
  /// - Parameters:
  ///   - policy: of the store; needed if the response reports no usage.
  ///   - reportedCost: the cost reported beside the response; called once it is complete.
  func serveResponse(
    under policy: @autoclosure () -> Policy?,
    reportedCost: () throws(CreditError) -> ExactDecimal?
  ) throws(RunEnded) {
    let text = try readWhole()
    func setHint(for model: String?) {
      let pricing = try? policy()?.model(Name(trusted: model ?? ""), at: .latest).pricing
      let flags = ServicePricing.flags(for: pricing)
      let verb = flags.count > 2 ? "say" : "says"
      usageHint =
        "; in place of --response, \(flags.joined(separator: " ")) \(verb) what was used"
    }
    let reading: UsageReading
    do throws(CreditError) {
      reading = try text.span.withBytes { bytes throws(CreditError) in
        try ResponseReader.read(bytes)
      }.costing(try reportedCost())
      if case .unreadable("", _) = reading.usage,
        (try? JSONDocument(text).withRoot { $0.elements("models").contains { $0.hasMember("id") } })
          == true
      {
        throw .invalidRequest("it is a policy or its catalog, not a response")
      }
      if reading.isRequest {
        throw .invalidRequest(
          "it is a request with an account or a key, not a response; leave --response out")
      }
    } catch {
      if text.withBytes({ $0.isMedia }) { setHint(for: flags[.model]) }
      try fail(error, about: nil, text: nil)
      return try serve()
    }
    if reading.needsCaller { setHint(for: flags[.model] ?? reading.responseModel) }
    try serveWhole(.response(reading), text)
  }

  /// Serves the one event that all of standard input is.
  func serveEvent() throws(RunEnded) {
    let body = try readWhole()
    try serveWhole(.event(body), body)
  }

  /// Reads all of standard input. It may take minutes: the time and the rules are those of its end.
  private func readWhole() throws(RunEnded) -> [UInt8] {
    do throws(CreditError) {
      let text = try RequestInput.readResponse(streams)
      try begin()
      return text
    } catch {
      throw end(with: error)
    }
  }

  /// - Returns: the number of requests.
  func serveInput() throws(RunEnded) -> Int {
    defer {
      // Who uses the default account on purpose has it already.
      let isNew =
        hasSucceeded && misspelt.misnamed != nil || madeAccounts.contains(.defaultAccount)
        || madeAccounts.count >= Ledger.registeredLimit
      if isNew, misspelt.hasOthers, let remark = misspelt.remarkOnUnnamed {
        output.errors.remark(remark)
      }
      output.print(counts)
    }
    var count = 0
    var isAtEnd = false
    while !isAtEnd {
      // Results are printed before waiting for further input.
      if serving?.isServing == true, !input.hasMore { try printServed() }
      do {
        isAtEnd = try input.fill()
      } catch {
        throw end(with: error)
      }
      count += try gather()
      try serve()
    }
    try printServed()
    if let writing {
      writing.command.noteNew(madeAccounts, in: writing.store)
      if hasSucceeded, !misspelt.hasOthers, let remark = misspelt.remarkOnUnnamed {
        writing.command.noteUnnamed(remark, in: writing.store, made: madeAccounts)
      }
      writing.command.offerUndo(
        of: counts.succeeded == 1 ? lone : nil, in: writing.store, made: madeAccounts)
    }
    if counts.succeeded > 1, let key = flags[.key], flags.has(.account), !flags[.amend] {
      output.errors.remark(
        "--key \(plainOrQuoted(key)) is the key of all \(count) requests, so those without an "
          + "authorization are charged once: give each a key of its own")
    }
    return count
  }

  // MARK: Gathering

  /// - Returns: their number.
  private func gather() throws(RunEnded) -> Int {
    var count = 0
    let (input, serving) = (self.input, self.serving)
    while true {
      serving?.writeAhead()
      guard let arrival = input.next() else { break }
      if count == 0 {
        do { try begin() } catch { throw end(with: error, about: RequestOrigin(arrival, flags)) }
      }
      count += 1
      switch consume arrival {
      case .value(let value, let line): try take(value, line: line, from: input)
      case .word(let request, let line):
        try request.withRoot { value throws(RunEnded) in
          try take(.value(value), line: line, text: nil)
        }
      case .malformed(let error, let lostCount):
        for _ in 1..<lostCount { counts.fail(error.code) }
        try fail(error, about: nil, text: nil)
      }
    }
    return count
  }

  private func begin() throws(CreditError) {
    batch = try service.beginBatch(expecting: lastCount)
    // Once a run: on a server each look-up is a round trip.
    if lastCount == 0, let writing { batch?.notedKey = writing.otherKey }
  }

  private func take(_ value: JSONValue, line: Int, from input: RequestInput) throws(RunEnded) {
    if let code = CreditError.Code(ofResult: value) {
      var copy = JSONWriter()
      JSONCompact.write(value, into: &copy)
      let text = copy.withBytes { [UInt8]($0) }
      return try add(Batch.Gathered(.passed(code), line: line, text: text))
    }
    for remark in misspelt.remarks(on: value) {
      output.errors.ask(RequestOrigin(line: line, value, flags).label + remark)
    }
    let text = output.needsRequests ? [UInt8](value.raw) : nil
    if let printer = misspelt.printer, writing != nil {
      let error = CreditError(
        .invalidRequest, "it is a line of \(printer), which is recorded already, not a request")
      return try fail(error, about: RequestOrigin(line: line, value, flags), text: text)
    }
    if let name = input.stream.duplicateName {
      let error = CreditError(.invalidRequest, "member \(quoted(name)) appears twice in one object")
      return try fail(error, about: RequestOrigin(line: line), text: text)
    }
    try take(.value(value), line: line, text: text)
  }

  /// Takes one request in.
  /// - Parameters:
  ///   - line: the line of standard input on which it began; nil if flags make it.
  ///   - text: its text, if that is needed again.
  private func take(_ request: RequestSource, line: Int?, text: [UInt8]?) throws(RunEnded) {
    do throws(CreditError) {
      if let gated = try service.take(request, text: text, in: batch, to: output) {
        batch?.add(consume gated, line: line, text: text)
        takenCount += 1
        if output.errors.isAsking { asked.append(takenCount) }
        output.errors.isAsking = false
        if let line, let value = request.value { misspelt.noteAccount(of: value, line: line) }
        return
      }
    } catch {
      let origin = line.flatMap { line in
        request.value.map { RequestOrigin(line: line, $0, flags) }
      }
      let isResponse =
        flags.tool.id == .topup && error.code == .invalidRequest
        && request.value.map { UsageReading.of($0).isResponse } ?? false
      let hint = isResponse ? "; it is a provider's response, which credit-charge bills" : ""
      return try fail(error.with(hint: hint), about: origin, text: text)
    }
    counts.succeed()
    try flush(atLeast: 1 << 16)
  }

  private func fail(_ error: CreditError, about origin: RequestOrigin?, text: [UInt8]?)
    throws(RunEnded)
  {
    if error.endsRun { throw end(with: error, about: origin) }
    output.errors.isAsking = false
    try add(Batch.Gathered(.failed(error, origin), line: origin?.line, text: text))
  }

  /// Prints a request that the gate does not serve, after the requests before it.
  private func add(_ request: Batch.Gathered) throws(RunEnded) {
    if let batch { return batch.add(request) }
    print(request)
    try flush(atLeast: 1 << 16)
  }

  // MARK: Serving

  /// Makes the gate serve the batch, and prints its results. While it serves a large one, the
  /// previous one's results are printed.
  private func serve() throws(RunEnded) {
    guard let serving, let batch, !batch.gathered.isEmpty else { return try flush(atLeast: 1) }
    serving.prepare(batch)
    let previous = try finishServing()
    let continues = serving.startServing(batch)
    lastCount = batch.gathered.count
    self.batch = nil
    if let previous { try print(previous) }
    if !continues { try printServed() }
  }

  /// Returns the batch that the gate was serving, after it is served, if there was one.
  private func finishServing() throws(RunEnded) -> Batch? {
    guard let served = serving?.finishServing() else { return nil }
    guard let failure = served.failure else { return served }
    let origin = served.firstUnanswered
    try print(served)
    // The next batch may have been gathered already: the error is not about that.
    throw end(with: failure, at: origin)
  }

  /// Prints the results of the current batch, if any, once it is served.
  private func printServed() throws(RunEnded) {
    if let served = try finishServing() { try print(served) }
  }

  /// Prints a batch's answers up to the first request without one.
  private func print(_ served: Batch) throws(RunEnded) {
    if served.failure != nil && served.answers.isEmpty { return }
    if !served.registered.isEmpty, madeAccounts.count < Ledger.registeredLimit {
      madeAccounts += served.registered
    }
    defer { serving?.dispose(of: served) }
    for place in served.gathered.indices {
      guard print(place, of: served) else { break }
      try flush(atLeast: 1 << 18)
    }
    // The flags' request reads no input.
    let expectsMore = served.first != nil && input.hasMore
    if !output.flush(expectsMore: expectsMore) { throw RunEnded() }
  }

  /// Prints a request that the gate does not serve.
  private func print(_ request: Batch.Gathered) {
    switch request.outcome {
    case .failed(let error, let origin): print(error, about: origin, text: request.text)
    case .passed(let code):
      counts.fail(code)
      output.print(passed: request.text ?? [], code)
    case .pending: break
    }
  }

  /// Prints a request of a batch that the gate has served.
  /// - Returns: false for a request without an answer.
  private func print(_ place: Int, of served: Batch) -> Bool {
    guard case .pending(let number) = served.gathered[place].outcome else {
      print(served.gathered[place])
      return true
    }
    if number >= served.answers.count { return false }
    answeredCount += 1
    let isAsked = asked.first == answeredCount
    if isAsked { asked.removeFirst() }
    var origin: RequestOrigin? { served.origin(of: served.gathered[place]) }
    switch served.answers[number] {
    case .success(let result):
      counts.succeed()
      output.print(request: served.gathered[place].text) { $0.result(result) }
      if let remark = result.remark {
        output.errors.remark(remark)
      } else if let remark = result.remark(on: number, in: served, by: writing) {
        output.errors.remark(remark, about: origin)
      }
      guard let writing else { break }
      if served.policy.clockIsSimulated || served.isNoted(number) || !writing.hasNotedTime {
        writing.note(result, number, of: served, about: origin)
      }
      if served.gathered[place].line == nil {
        writing.note(ofFlags: result, in: served, made: madeAccounts, to: output)
      } else if served.gathered.count == 1 {
        lone = result
      }
      if isAsked { output.errors.isAsking = true }
      if output.errors.isAsking {
        lone = nil
        writing.waitUntilServed()
        writing.command.offerUndo(
          of: result, in: writing.store, about: origin, made: served.registered)
      }
    case .failure(let error): print(error, about: origin, text: served.gathered[place].text)
    }
    return true
  }

  private func print(_ error: CreditError, about origin: RequestOrigin?, text: [UInt8]?) {
    counts.fail(error.code)
    var hint = [.cutResponse, .invalidJSON, .invalidUsage].contains(error.code) ? usageHint : ""
    // The error itself may name the flags.
    if !hint.isEmpty, error.message.utf8.contains("--") { hint = ", in place of --response" }
    let isOpen = flags.has(.authorization)
    if flags.tool.id == .charge, isOpen || flags[.response],
      let advice = flags.advice(on: error.code)
    {
      hint += (isOpen ? "; an open authorization stays so" : "; nothing was charged") + advice
    }
    output.print(error.with(hint: hint), about: origin, request: text)
  }

  /// Ends the run with an error, at the first request of the current batch.
  /// - Parameter origin: the failing request, used if the batch is empty.
  private func end(with error: CreditError, about origin: RequestOrigin? = nil) -> RunEnded {
    let first = batch?.first ?? origin
    // Earlier results come first, and an earlier failure too.
    do throws(RunEnded) { try printServed() } catch { return error }
    return end(with: error, at: first)
  }

  /// - Parameter origin: the first request that has no result.
  private func end(with error: CreditError, at origin: RequestOrigin?) -> RunEnded {
    var error = error
    if !error.hasOutcome { error.details.append(.outcome("none")) }
    print(error, about: origin, text: nil)
    output.flush()
    return RunEnded()
  }

  /// Writes the printed text, if it has at least `count` bytes.
  private func flush(atLeast count: Int) throws(RunEnded) {
    if !output.flush(atLeast: count) { throw RunEnded() }
  }
}
