internal import CreditJSON
internal import CreditModel
internal import CreditStore
internal import CreditSystem

/// Answers requests one by one, without writing.
protocol ReadingService: AnyObject {
  /// Says that requests have arrived, which should see the store as it is now.
  func beginBatch() throws(CreditError)
  /// Prints the answer to one request: one result, or the lines of a listing.
  /// - Parameter text: the request's text, where results are added to it.
  func answer(_ request: RequestSource, text: [UInt8]?, into printer: inout ResultPrinter)
    throws(CreditError)
}

/// Turns requests into a gate's, which serves a batch as one.
protocol WritingService: AnyObject {
  var gate: any CreditGate { get }
  /// The words on standard input that are short for requests; nil where none are.
  var words: RequestWord? { get }
  /// Whether requests may be read while the gate serves others: not where reading one may run a
  /// command, as none is run while the store is locked.
  var readsWhileServing: Bool { get }
  /// Says that requests have arrived.
  /// - Returns: the policy as it is now, to serve them by.
  func beginBatch() throws(CreditError) -> Policy
  func request(_ request: RequestSource) throws(CreditError) -> GateRequest
}

/// Serves the requests of a run: the one that the flags make, or those on standard input, in batches
/// of what has arrived.
final class RequestLoop {
  enum Service {
    case reading(any ReadingService)
    case writing(any WritingService)
  }

  /// The run is over before its input: the store failed, or the output.
  struct Ended: Error {}

  private let service: Service
  private let reporter: Reporter
  private let streams: any Streams
  private var printer: ResultPrinter
  private var stream: JSONStream
  private let words: RequestWord?
  private var batch = RequestBatch()
  private var explanations = Explanations()
  /// The batch that the gate is serving while the next is read.
  private var flight: Flight?
  /// Answers that have been printed.
  private var spentAnswers: [GateAnswer] = []
  private let thread = WorkerThread()

  /// How many requests of a batch make it worth another thread's while.
  private static let flightMinimum = 256

  init(_ service: Service, settings: Settings, reporter: Reporter, streams: any Streams) {
    self.service = service
    self.reporter = reporter
    self.streams = streams
    if case .writing(let service) = service { words = service.words } else { words = nil }
    stream = JSONStream(words: words?.prefix)
    printer = ResultPrinter(form: settings.form, passesRequest: settings.passesRequests)
  }

  /// Serves the one request that the flags make.
  func runFlags() throws(Ended) {
    try begin()
    try take(.flags, text: nil)
    try serve()
  }

  /// Serves the one request that the flags and a provider's response, all of standard input, make.
  func runResponse() throws(Ended) {
    var input: [UInt8] = []
    var block = [UInt8](repeating: 0, count: JSONStream.readUnit)
    while input.count <= ResponseReader.byteLimit {
      let count: Int
      do throws(CreditError) {
        var span = block.mutableSpan
        count = try span.withUnsafeMutableBytes { bytes throws(CreditError) in
          try streams.readInput(into: bytes)
        }
      } catch {
        throw end(with: error)
      }
      if count == 0 { break }
      input.append(contentsOf: block[..<count])
    }
    // A response may take minutes: the time and the rules are those of its end.
    try begin()
    let reading: UsageReading
    do throws(CreditError) {
      reading = try input.span.withUnsafeBytes { bytes throws(CreditError) in
        try ResponseReader.read(bytes)
      }
    } catch {
      try fail(error, nil)
      return try serve()
    }
    // A stream of chunks has no members that could travel on.
    let isObject = printer.needsRequests && (try? JSONDocument(input)) != nil
    try take(.response(reading), text: isObject ? input : nil)
    try serve()
  }

  /// Serves standard input to its end.
  /// - Returns: how many requests there were.
  func runInput() throws(Ended) -> Int {
    var count = 0
    var isAtEnd = false
    while !isAtEnd {
      // Nobody waits for input with results in hand.
      if flight != nil, !streams.hasInput { try land() }
      isAtEnd = try fill()
      count += try takeBatch()
      try serve()
    }
    try land()
    return count
  }

  /// Gathers what has arrived.
  /// - Returns: whether the input has ended.
  private func fill() throws(Ended) -> Bool {
    var gathered = 0
    repeat {
      var count = 0
      do {
        count = try stream.withFreeSpace { space throws(CreditError) in
          try streams.readInput(into: space)
        }
      } catch {
        throw end(with: error)
      }
      if count == 0 {
        stream.finish()
        return true
      }
      gathered += count
    } while gathered < JSONStream.readUnit && streams.hasInput
    return false
  }

  private func takeBatch() throws(Ended) -> Int {
    var count = 0
    while true {
      let item = stream.next()
      switch item {
      case .needsMore, .end:
        return count
      case .value(let value, line: _, offset: _):
        if count == 0 { try begin() }
        try takeValue(value)
      case .word(let word):
        if count == 0 { try begin() }
        try takeWord(word)
      case .malformed(let error):
        if count == 0 { try begin() }
        try fail(CreditError(malformed: error), nil)
      }
      count += 1
    }
  }

  private func begin() throws(Ended) {
    do {
      switch service {
      case .reading(let service): try service.beginBatch()
      case .writing(let service): batch.policy = try service.beginBatch()
      }
    } catch {
      throw end(with: error)
    }
  }

  private func takeValue(_ value: JSONValue) throws(Ended) {
    if let code = CreditError.Code(ofResult: value) { return try pass(value, code) }
    let text = printer.needsRequests ? [UInt8](value.raw) : nil
    if let name = stream.duplicateName {
      let error = CreditError(
        .invalidRequest, "member \(quoted(name)) stands twice in one object")
      return try fail(error, text)
    }
    try take(.value(value), text: text)
  }

  /// Takes a word as the request that it is short for.
  private func takeWord(_ word: UnsafeRawBufferPointer) throws(Ended) {
    guard let words else { return }
    let request: JSONDocument
    do {
      request = try JSONDocument(words.request(word))
    } catch {
      return try fail(CreditError(malformed: error), nil)
    }
    try request.withRoot { value throws(Ended) in try take(.value(value), text: nil) }
  }

  /// Takes one request in.
  /// - Parameter text: its text, where that is needed again.
  private func take(_ request: RequestSource, text: [UInt8]?) throws(Ended) {
    do throws(CreditError) {
      switch service {
      case .reading(let service):
        try service.answer(request, text: text, into: &printer)
      case .writing(let service):
        batch.requests.append(try service.request(request))
        batch.entries.append(RequestBatch.Entry(outcome: .pending, text: text))
      }
    } catch {
      try fail(error, text)
    }
    try flush(atLeast: 1 << 16)
  }

  private func fail(_ error: CreditError, _ text: [UInt8]?) throws(Ended) {
    if error.code.endsRun { throw end(with: error) }
    switch service {
    case .reading: print(error, text)
    case .writing: batch.entries.append(RequestBatch.Entry(outcome: .failed(error), text: text))
    }
  }

  private func pass(_ value: JSONValue, _ code: CreditError.Code) throws(Ended) {
    var copy = JSONWriter()
    JSONCompact.write(value, into: &copy)
    let text = copy.withBytes { [UInt8]($0) }
    switch service {
    case .reading: print(passed: text, code)
    case .writing: batch.entries.append(RequestBatch.Entry(outcome: .passed(code), text: text))
    }
  }

  /// Has the gate serve the batch, and prints its results. A large batch is served on another
  /// thread: while it is, the results of the one before are printed here and the next is read.
  private func serve() throws(Ended) {
    guard case .writing(let service) = service, !batch.entries.isEmpty else {
      return try flush(atLeast: 1)
    }
    let landed = try arrival()
    let flight = depart(service)
    if let landed { try print(landed) }
    self.flight = flight
    if !isLong(flight, for: service) { try land() }
  }

  /// Whether the gate serves a batch on another thread.
  private func isLong(_ flight: Flight, for service: any WritingService) -> Bool {
    service.readsWhileServing && flight.requests.count >= Self.flightMinimum
  }

  /// Sends the batch to the gate.
  private func depart(_ service: any WritingService) -> Flight {
    let flight = Flight(batch, spentAnswers: spentAnswers)
    spentAnswers = []
    let policy = batch.policy
    batch = RequestBatch()
    batch.entries.reserveCapacity(flight.entries.count)
    batch.requests.reserveCapacity(flight.requests.count)
    guard let policy, !flight.requests.isEmpty else { return flight }
    let gate = service.gate
    if isLong(flight, for: service) {
      thread.start { flight.serve(by: gate, under: policy) }
    } else {
      flight.serve(by: gate, under: policy)
    }
    return flight
  }

  /// The batch that the gate was serving, now that it is served; nil if there was none.
  private func arrival() throws(Ended) -> Flight? {
    guard let flight else { return nil }
    self.flight = nil
    thread.wait()
    if let failure = flight.failure {
      try print(flight)
      throw end(with: failure)
    }
    explainErrors(of: flight)
    return flight
  }

  /// Adds what helps people to the first errors of the run. No other thread looks up prices now.
  private func explainErrors(of flight: Flight) {
    guard let policy = flight.policy else { return }
    flight.mapErrors { explanations.explain($0, by: policy) }
  }

  /// Prints the results of the batch that the gate is serving, if any, as soon as it is served.
  private func land() throws(Ended) {
    if let flight = try arrival() { try print(flight) }
  }

  /// Prints what a batch was answered; up to the first request without an answer.
  private func print(_ flight: Flight) throws(Ended) {
    if flight.failure != nil && flight.answers.isEmpty { return }
    let spent = flight.takeAnswers()
    defer { spentAnswers = spent }
    var answers = spent[...]
    for entry in flight.entries {
      switch entry.outcome {
      case .failed(let error): print(error, entry.text)
      case .passed(let code): print(passed: entry.text ?? [], code)
      case .pending:
        guard let answer = answers.popFirst() else { return try flush(atLeast: 1) }
        print(answer, entry.text)
      }
      try flush(atLeast: 1 << 18)
    }
    try flush(atLeast: 1)
  }

  private func print(_ answer: GateAnswer, _ text: [UInt8]?) {
    switch answer {
    case .success(let result): printer.print(request: text) { $0.result(result) }
    case .failure(let error): print(error, text)
    }
  }

  private func print(_ error: CreditError, _ text: [UInt8]?) {
    reporter.report(error)
    printer.print(request: text, isError: true) { $0.error(error) }
  }

  private func print(passed text: [UInt8], _ code: CreditError.Code) {
    reporter.note(code)
    printer.print(isError: true) { output in text.withUnsafeBytes { output.raw($0) } }
  }

  /// The error that ends the run takes the line of the first request of the batch in hand.
  private func end(with error: CreditError) -> Ended {
    var error = error
    // What was served before comes first, and its failure too.
    do throws(Ended) { try land() } catch { return error }
    if !error.hasOutcome { error.details.append(.outcome("none")) }
    reporter.report(error)
    printer.print(isError: true) { $0.error(error) }
    try? flush(atLeast: 1)
    return Ended()
  }

  /// Writes what has been printed, if it is at least so many bytes.
  private func flush(atLeast count: Int) throws(Ended) {
    reporter.flush()
    if reporter.outputHasFailed { throw Ended() }
    guard printer.outputCount >= count else { return }
    defer { printer.removeOutput() }
    do {
      try printer.withOutput { output throws(SystemError) in try streams.write(output) }
    } catch {
      reporter.outputFailed(error)
      throw Ended()
    }
  }
}
