internal import CreditJSON
internal import CreditModel
internal import CreditStore

/// The run is over before its input: the store failed, or the output.
struct RunEnded: Error {}

/// Serves the requests of a run: the one that the flags make, or those on standard input, in
/// batches of what has arrived.
final class RequestLoop {
  private let service: RequestService
  private let input: RequestInput
  private let output: ResultOutput
  private var batch = RequestBatch()
  /// Nil for a service that only reads.
  private let serving: BatchServing?

  init(_ service: RequestService, _ input: RequestInput, _ output: ResultOutput) {
    self.service = service
    self.input = input
    self.output = output
    if case .writing(let service) = service {
      serving = BatchServing(service)
    } else {
      serving = nil
    }
  }

  /// Serves the one request that the flags make.
  func serveFlags() throws(RunEnded) {
    try begin()
    try take(.flags, text: nil)
    try serve()
  }

  /// Serves the one request that the flags and a provider's response, all of standard input, make.
  func serveResponse() throws(RunEnded) {
    let text: [UInt8]
    do {
      text = try input.readResponse()
    } catch {
      throw end(with: error)
    }
    // A response may take minutes: the time and the rules are those of its end.
    try begin()
    let reading: UsageReading
    do throws(CreditError) {
      reading = try text.span.withUnsafeBytes { bytes throws(CreditError) in
        try ResponseReader.read(bytes)
      }
    } catch {
      try fail(error, text: nil)
      return try serve()
    }
    // A stream of chunks has no members that could travel on.
    let isObject = output.needsRequests && (try? JSONDocument(text)) != nil
    try take(.response(reading), text: isObject ? text : nil)
    try serve()
  }

  /// Serves standard input to its end.
  /// - Returns: how many requests there were.
  func serveInput() throws(RunEnded) -> Int {
    var count = 0
    var isAtEnd = false
    while !isAtEnd {
      // Nobody waits for input with results in hand.
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
    return count
  }

  // MARK: Gathering

  /// Gathers the requests that have arrived.
  /// - Returns: how many there are.
  private func gather() throws(RunEnded) -> Int {
    var count = 0
    while let arrival = input.next() {
      if count == 0 { try begin() }
      count += 1
      switch consume arrival {
      case .value(let value): try take(value)
      case .word(let request):
        try request.withRoot { value throws(RunEnded) in try take(.value(value), text: nil) }
      case .malformed(let error): try fail(error, text: nil)
      }
    }
    return count
  }

  private func begin() throws(RunEnded) {
    do {
      switch service {
      case .reading(let service): try service.beginBatch()
      case .writing(let service): batch.policy = try service.beginBatch()
      }
    } catch {
      throw end(with: error)
    }
  }

  private func take(_ value: JSONValue) throws(RunEnded) {
    if let code = CreditError.Code(ofResult: value) { return pass(value, code) }
    let text = output.needsRequests ? [UInt8](value.raw) : nil
    if let name = input.duplicateName {
      let error = CreditError(
        .invalidRequest, "member \(quoted(name)) stands twice in one object")
      return try fail(error, text: text)
    }
    try take(.value(value), text: text)
  }

  /// Takes one request in.
  /// - Parameter text: its text, where that is needed again.
  private func take(_ request: RequestSource, text: [UInt8]?) throws(RunEnded) {
    do throws(CreditError) {
      switch service {
      case .reading(let service): try service.answer(request, text: text, to: output)
      case .writing(let service): batch.add(try service.request(request), text: text)
      }
    } catch {
      try fail(error, text: text)
    }
    try flush(atLeast: 1 << 16)
  }

  private func fail(_ error: CreditError, text: [UInt8]?) throws(RunEnded) {
    if error.code.endsRun { throw end(with: error) }
    switch service {
    case .reading: output.print(error, request: text)
    case .writing: batch.add(failed: error, text: text)
    }
  }

  /// Passes an error result on that came in as a request.
  private func pass(_ value: JSONValue, _ code: CreditError.Code) {
    var copy = JSONWriter()
    JSONCompact.write(value, into: &copy)
    let text = copy.withBytes { [UInt8]($0) }
    switch service {
    case .reading: output.print(passed: text, code)
    case .writing: batch.add(passed: code, text: text)
    }
  }

  // MARK: Serving

  /// Has the gate serve the batch, and prints its results. While a large one is being served the
  /// results of the one before are printed.
  private func serve() throws(RunEnded) {
    guard let serving, !batch.isEmpty else { return try flush(atLeast: 1) }
    let previous = try finishServing()
    let goesOn = serving.startServing(batch)
    batch = RequestBatch(like: batch)
    if let previous { try print(previous) }
    if !goesOn { try printServed() }
  }

  /// The batch that the gate was serving, now that it is served; nil if there was none.
  private func finishServing() throws(RunEnded) -> ServedBatch? {
    guard let served = serving?.finishServing() else { return nil }
    guard let failure = served.failure else { return served }
    try print(served)
    throw end(with: failure)
  }

  /// Prints the results of the batch that the gate is serving, if any, as soon as it is served.
  private func printServed() throws(RunEnded) {
    if let served = try finishServing() { try print(served) }
  }

  /// Prints what a batch was answered; up to the first request without an answer.
  private func print(_ served: ServedBatch) throws(RunEnded) {
    if served.failure != nil && served.answers.isEmpty { return }
    let all = served.takeAnswers()
    defer { serving?.dispose(of: all) }
    var answers = all[...]
    for request in served.gathered {
      switch request.outcome {
      case .failed(let error): output.print(error, request: request.text)
      case .passed(let code): output.print(passed: request.text ?? [], code)
      case .pending:
        guard let answer = answers.popFirst() else { return try flush(atLeast: 1) }
        output.print(answer, request: request.text)
      }
      try flush(atLeast: 1 << 18)
    }
    try flush(atLeast: 1)
  }

  /// The error that ends the run takes the line of the first request of the batch in hand.
  private func end(with error: CreditError) -> RunEnded {
    var error = error
    // What was served before comes first, and its failure too.
    do throws(RunEnded) { try printServed() } catch { return error }
    if !error.hasOutcome { error.details.append(.outcome("none")) }
    output.print(error)
    output.flush()
    return RunEnded()
  }

  /// Writes what has been printed, if it is at least so many bytes.
  private func flush(atLeast count: Int) throws(RunEnded) {
    if !output.flush(atLeast: count) { throw RunEnded() }
  }
}
