/// Requests that are served together, from their arrival until their results are printed.
///
/// Each thread frees what it allocated; otherwise each would wait for the other's memory. So a
/// batch holds its requests to its end, and its answers go to a later one when they are printed.
public final class Batch {
  /// The rules as the requests were read.
  public let policy: Policy
  // Exclusivity is unchecked: one thread at a time, and no callee reaches back.
  /// All requests, in order of arrival.
  @exclusivity(unchecked) public private(set) var gathered = Rows<Gathered>()
  @exclusivity(unchecked) public private(set) var requests = Rows<GateRequest>()
  /// The number of requests before which no more prices are looked for.
  @exclusivity(unchecked) private var quotedCount = 0
  /// The gate's answers to the first of those.
  @exclusivity(unchecked) public private(set) var answers = Rows<GateAnswer>()
  /// The accounts that these requests have registered first; see ``Ledger/registered``.
  @exclusivity(unchecked) public private(set) var registered: [Name] = []
  /// Returns the key of which the note on a result needs the newest record, if any.
  @exclusivity(unchecked) public var notedKey: ((GateResult) -> RecordKey?)?
  /// The newest record of that key.
  @exclusivity(unchecked) public private(set) var noted: StoredRecord?
  /// The number of its request; below 0 if there is no record.
  @exclusivity(unchecked) private var notedNumber = -1
  /// Why the store failed.
  public private(set) var failure: CreditError?
  /// Answers of another batch, to be freed when this one is served.
  @exclusivity(unchecked) private var spentAnswers = Rows<GateAnswer>()

  /// A request whose result has not been printed yet.
  public struct Gathered {
    public let outcome: Outcome
    /// The line of standard input on which it began; nil if flags make it.
    public let line: Int?
    /// Its text, if that is needed again.
    public let text: [UInt8]?

    public init(_ outcome: consuming Outcome, line: Int?, text: consuming [UInt8]?) {
      self.outcome = outcome
      self.line = line
      self.text = text
    }
  }

  public enum Outcome {
    /// It is one of the gate's requests.
    case pending(number: Int)
    /// It failed before it came to the gate.
    indirect case failed(CreditError, RequestOrigin?)
    /// An error that came in as a request and goes out as it is.
    case passed(CreditError.Code)
  }

  /// An empty batch.
  /// - Parameter count: how many requests are expected.
  public init(under policy: Policy, expecting count: Int = 0) {
    self.policy = policy
    policy.prices.prepare()
    if count == 0 { return }
    gathered.reserve(count)
    requests.reserve(count)
  }

  // MARK: Gathering

  public func add(
    _ request: consuming GateRequest, line: Int? = nil, text: consuming [UInt8]? = nil
  ) {
    gathered.append(Gathered(.pending(number: requests.count), line: line, text: text))
    requests.append(request)
  }

  /// Adds a request that the gate does not serve.
  public func add(_ request: consuming Gathered) { gathered.append(request) }

  /// Finds the prices of some more charges, which the gate would find otherwise.
  /// - Returns: false if no more are left.
  public func quoteMore() -> Bool {
    let end = min(quotedCount + 64, requests.count)
    // Most requests name the model of the one before.
    var (name, model) = (Name.nobody, PricedModel?.none)
    for place in quotedCount..<end {
      guard case .charge(let charge) = requests[place] else { continue }
      if charge.model != name { (name, model) = (charge.model, policy.timeless(charge.model)) }
      if let model { policy.quote(charge, of: model) }
    }
    quotedCount = end
    return end < requests.count
  }

  // MARK: Serving

  /// The places of the gate's requests without an answer.
  public var unanswered: Range<Int> { answers.count..<requests.count }

  /// Adds the answer to the first unanswered request.
  public func add(_ answer: consuming GateAnswer) {
    if answers.isEmpty { answers.reserve(requests.count) }
    answers.append(answer)
  }

  /// Removes the answers from a place on: their records were not written.
  public func removeAnswers(from place: Int) { answers.removeAll(from: place) }

  /// Has the gate serve all requests: those that exceed one append go into the next.
  public func serve(by gate: any CreditGate) {
    spentAnswers.removeAll()
    do throws(CreditError) {
      while answers.count < requests.count { try gate.perform(self) }
    } catch {
      failure = error
    }
  }

  /// Looks up the record that a note needs, for the first result with such a key and the last: a
  /// file that is sent again has its new lines at one end. The note is missing if that fails.
  public func lookUpNoted(_ newest: (RecordKey) throws(CreditError) -> StoredRecord?) {
    if notedKey == nil { return }
    defer { notedKey = nil }
    // No list of both: the runtime would make a type for it, at 10,000 instructions.
    guard let first = answers.indices.first(where: { notedKey(at: $0) != nil }) else { return }
    lookUpNoted(at: first, newest)
    if noted != nil { return }
    guard let last = answers.indices.last(where: { notedKey(at: $0) != nil }), last != first else {
      return
    }
    lookUpNoted(at: last, newest)
  }

  private func notedKey(at place: Int) -> RecordKey? {
    if case .success(let result) = answers[place] { notedKey?(result) } else { nil }
  }

  private func lookUpNoted(
    at place: Int, _ newest: (RecordKey) throws(CreditError) -> StoredRecord?
  ) {
    noted = notedKey(at: place).flatMap { (try? newest($0)) ?? nil }
    if noted != nil { notedNumber = place }
  }

  /// Whether that record is of one of the gate's requests.
  public func isNoted(_ number: Int) -> Bool { notedNumber == number }

  public func add(registered accounts: [Name]) {
    registered += accounts.prefix(Ledger.registeredLimit - registered.count)
  }

  public func mapErrors(_ body: (CreditError) -> CreditError) {
    for place in answers.indices {
      guard case .failure(let error) = answers[place] else { continue }
      answers[place] = .failure(body(error))
    }
  }

  /// Gives its answers away, after they have been printed.
  public func giveAnswers(to spent: inout Rows<GateAnswer>) { swap(&answers, &spent) }

  /// Takes answers of another batch, to free them when this one is served.
  public func take(_ spent: inout Rows<GateAnswer>) { swap(&spentAnswers, &spent) }

  // MARK: Printing

  /// The request that an error is about; nil if flags make it.
  public func origin(of request: Gathered) -> RequestOrigin? {
    guard let line = request.line else { return nil }
    switch request.outcome {
    case .pending(let number): return RequestOrigin(line: line, requests[number])
    case .failed(_, let origin): return origin
    case .passed: return RequestOrigin(line: line)
    }
  }

  /// The request that gets the error if the store failed: the first that is not answered.
  public var firstUnanswered: RequestOrigin? {
    let place = gathered.firstIndex { request in
      if case .pending(let number) = request.outcome {
        number >= answers.count
      } else {
        answers.isEmpty
      }
    }
    return place.flatMap { origin(of: gathered[$0]) }
  }

  /// The first request; nil if flags make it, or before it has come.
  public var first: RequestOrigin? { gathered.isEmpty ? nil : origin(of: gathered[0]) }
}

/// Serves the requests that write: the local store, or a server.
///
/// Requests are served in batches: in order, each after the effects of the previous ones, and all
/// on disk before any is answered.
public protocol CreditGate: AnyObject {
  /// Serves the requests of a batch that have no answer yet, and answers them in order. It leaves
  /// out the last ones, but never all, if the records would exceed one append, or take too long.
  /// - Throws: if the store itself failed; then it answers no request, and the error's outcome
  ///   states whether any may have been done.
  func perform(_ batch: Batch) throws(CreditError)

  /// Does some of the writing of the current batch that waits for a processor. Another thread,
  /// which reads requests or prints results meanwhile, calls it between its own steps.
  func writeAhead()
}

extension CreditGate {
  public func writeAhead() {}
}
