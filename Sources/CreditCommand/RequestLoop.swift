internal import CreditJSON
internal import CreditModel
internal import CreditStore

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
  /// Says that requests have arrived, to be served by the policy as it is now.
  func beginBatch() throws(CreditError)
  func request(_ request: RequestSource) throws(CreditError) -> GateRequest
}

/// A word that stands for the request with it as its only member.
struct RequestWord {
  /// How such a word begins, as no JSON value may.
  let prefix: StaticString
  let member: StaticString

  /// The text of the request.
  func request(_ word: UnsafeRawBufferPointer) -> [UInt8] {
    var request = JSONWriter(capacity: word.count + 64)
    request.beginObject()
    request.key(member)
    request.string(utf8: word)
    request.endObject()
    return request.withBytes { [UInt8]($0) }
  }
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
  private var entries: [Entry] = []
  private var requests: [GateRequest] = []

  /// A request of the batch in hand whose line has not been printed yet.
  private struct Entry {
    enum Outcome {
      case pending
      case failed(CreditError)
      /// An error that came in as a request and goes out as it is.
      case passed(CreditError.Code)
    }

    var outcome: Outcome
    /// Its text, where that is needed again.
    var text: [UInt8]?
  }

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
    try begin()
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
      isAtEnd = try fill()
      count += try takeBatch()
      try serve()
    }
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
      case .writing(let service): try service.beginBatch()
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
        requests.append(try service.request(request))
        entries.append(Entry(outcome: .pending, text: text))
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
    case .writing: entries.append(Entry(outcome: .failed(error), text: text))
    }
  }

  private func pass(_ value: JSONValue, _ code: CreditError.Code) throws(Ended) {
    var copy = JSONWriter()
    JSONCompact.write(value, into: &copy)
    let text = copy.withBytes { [UInt8]($0) }
    switch service {
    case .reading: print(passed: text, code)
    case .writing: entries.append(Entry(outcome: .passed(code), text: text))
    }
  }

  /// Has the gate serve the batch, and prints its results.
  private func serve() throws(Ended) {
    defer {
      entries.removeAll(keepingCapacity: true)
      requests.removeAll(keepingCapacity: true)
    }
    if case .writing(let service) = service, !entries.isEmpty {
      var results: ArraySlice<Result<GateResult, CreditError>> = []
      if !requests.isEmpty {
        do {
          results = try service.gate.perform(requests)[...]
        } catch {
          throw end(with: error)
        }
      }
      for entry in entries {
        switch entry.outcome {
        case .failed(let error): print(error, entry.text)
        case .passed(let code): print(passed: entry.text ?? [], code)
        case .pending:
          if let result = results.popFirst() { print(result, entry.text) }
        }
      }
    }
    try flush(atLeast: 1)
  }

  private func print(_ result: Result<GateResult, CreditError>, _ text: [UInt8]?) {
    switch result {
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
    if !error.hasOutcome { error.details.append(.outcome("none")) }
    reporter.report(error)
    printer.print(isError: true) { $0.error(error) }
    try? flush(atLeast: 1)
    return Ended()
  }

  /// Writes what has been printed, if it is at least so many bytes.
  private func flush(atLeast count: Int) throws(Ended) {
    reporter.flush()
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
