internal import CreditModel
internal import CreditSystem

/// Has a gate serve batches, one after another. A large one is served on another thread, so that
/// the results of the one before can be printed meanwhile, and the next one read.
final class BatchServing {
  private let service: any WritingService
  private let thread = WorkerThread()
  private var current: ServedBatch?
  private var explanations = Explanations()
  /// Answers that have been printed, for the thread to free.
  private var spentAnswers: [GateAnswer] = []

  /// Number of requests from which another thread serves a batch.
  private static let threadMinimum = 256

  init(_ service: any WritingService) {
    self.service = service
    service.waitUntilServed = { [thread] in thread.wait() }
  }

  /// Whether a batch is being served.
  var isServing: Bool { current != nil }

  /// Makes the gate serve a batch, after the previous one has been finished.
  /// - Returns: true if that continues; else the batch is served already.
  func startServing(_ batch: RequestBatch) -> Bool {
    let served = ServedBatch(batch, spentAnswers: spentAnswers)
    spentAnswers = []
    current = served
    guard let policy = served.policy, !served.requests.isEmpty else { return false }
    let gate = service.gate
    guard served.requests.count >= Self.threadMinimum else {
      served.serve(by: gate, under: policy)
      return false
    }
    thread.start { served.serve(by: gate, under: policy) }
    return true
  }

  /// Waits for the batch that is being served.
  /// - Returns: that batch, with its answers or with why the store failed; nil if no batch is being
  ///   served.
  func finishServing() -> ServedBatch? {
    guard let served = current else { return nil }
    current = nil
    thread.wait()
    if served.failure == nil, let policy = served.policy {
      // No other thread looks up prices now.
      served.mapErrors {
        explanations.explain($0, by: policy, nearestAccounts: service.nearestAccounts)
      }
    }
    return served
  }

  /// Helps the gate, if it is serving a batch.
  func writeAhead() { if isServing { service.gate.writeAhead() } }

  /// Waits until no batch is being served any more.
  func wait() { thread.wait() }

  /// Takes back answers that have been printed.
  func dispose(of answers: [GateAnswer]) { spentAnswers = answers }
}

/// Requests that are gathered to be served together.
struct RequestBatch {
  /// All of them, in order.
  private(set) var gathered: [GatheredRequest] = []
  private(set) var requests: [GateRequest] = []
  /// The rules as the requests were read.
  var policy: Policy?

  var isEmpty: Bool { gathered.isEmpty }

  /// An empty batch with room for as much as another one had.
  init(like other: RequestBatch? = nil) {
    guard let other else { return }
    gathered.reserveCapacity(other.gathered.count)
    requests.reserveCapacity(other.requests.count)
  }

  /// - Parameters:
  ///   - line: the line of standard input on which it began; nil if flags make it.
  ///   - text: its text, if that is needed again.
  mutating func add(_ request: GateRequest, line: Int?, text: [UInt8]?) {
    gathered.append(
      GatheredRequest(outcome: .pending(number: requests.count), line: line, text: text))
    requests.append(request)
  }

  /// Adds one that failed before it came to the gate.
  mutating func add(failed error: CreditError, about origin: RequestOrigin?, text: [UInt8]?) {
    gathered.append(
      GatheredRequest(outcome: .failed(error, origin), line: origin?.line, text: text))
  }

  /// Adds an error that came in as a request.
  mutating func add(passed code: CreditError.Code, line: Int, text: [UInt8]) {
    gathered.append(GatheredRequest(outcome: .passed(code), line: line, text: text))
  }
}

/// A request whose result has not been printed yet.
struct GatheredRequest {
  enum Outcome {
    /// The gate has it, or is to have it, among its requests.
    case pending(number: Int)
    indirect case failed(CreditError, RequestOrigin?)
    /// An error that came in as a request and is printed unchanged.
    case passed(CreditError.Code)
  }

  let outcome: Outcome
  /// The line of standard input on which it began; nil if flags make it.
  let line: Int?
  /// Its text, if that is needed again.
  let text: [UInt8]?

  /// Which request it is, for an error about it.
  /// - Parameter requests: the gate's.
  func origin(among requests: [GateRequest]) -> RequestOrigin? {
    guard let line else { return nil }
    switch outcome {
    case .pending(let number): return RequestOrigin(line: line, requests[number])
    case .failed(_, let origin): return origin
    case .passed: return RequestOrigin(line: line)
    }
  }
}

/// A batch that a gate is serving, perhaps on another thread, and its answers.
///
/// Each thread frees its own allocations; otherwise it would wait for the other's memory. So a
/// batch keeps its requests to its end, and its answers move to a later one after printing.
final class ServedBatch {
  let gathered: [GatheredRequest]
  let requests: [GateRequest]
  let policy: Policy?
  private(set) var answers: [GateAnswer] = []
  /// Why the store failed.
  private(set) var failure: CreditError?
  private var spentAnswers: [GateAnswer]

  /// - Parameter spentAnswers: answers of an earlier batch that are no longer needed.
  init(_ batch: RequestBatch, spentAnswers: [GateAnswer]) {
    self.spentAnswers = spentAnswers
    gathered = batch.gathered
    requests = batch.requests
    policy = batch.policy
  }

  /// Makes the gate serve all of it; requests that do not fit into one append go into the next.
  func serve(by gate: any CreditGate, under policy: Policy) {
    spentAnswers = []
    do throws(CreditError) {
      answers = try gate.perform(requests, under: policy)
      while answers.count < requests.count {
        answers += try gate.perform(requests[answers.count...], under: policy)
      }
    } catch {
      failure = error
    }
  }

  /// Puts another error in the place of each.
  func mapErrors(_ body: (CreditError) -> CreditError) {
    for (index, answer) in answers.enumerated() {
      guard case .failure(let error) = answer else { continue }
      answers[index] = .failure(body(error))
    }
  }

  /// The request that gets the error if the store failed: the first without an answer.
  var firstUnanswered: RequestOrigin? {
    let request = gathered.first { request in
      if case .pending(let number) = request.outcome {
        number >= answers.count
      } else {
        answers.isEmpty
      }
    }
    return request?.origin(among: requests)
  }

  /// Gives its answers away.
  func takeAnswers() -> [GateAnswer] {
    defer { answers = [] }
    return answers
  }
}
