internal import CreditModel

/// Requests that are gathered to be served together.
struct RequestBatch {
  /// All of them, in order.
  private(set) var gathered: [GatheredRequest] = []
  /// Those that the gate is to serve.
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

  /// - Parameter text: the request's text, where that is needed again.
  mutating func add(_ request: GateRequest, text: [UInt8]?) {
    requests.append(request)
    gathered.append(GatheredRequest(outcome: .pending, text: text))
  }

  /// Adds one that failed before it came to the gate.
  mutating func add(failed error: CreditError, text: [UInt8]?) {
    gathered.append(GatheredRequest(outcome: .failed(error), text: text))
  }

  /// Adds an error that came in as a request.
  mutating func add(passed code: CreditError.Code, text: [UInt8]) {
    gathered.append(GatheredRequest(outcome: .passed(code), text: text))
  }
}

/// A request whose result has not been printed yet.
struct GatheredRequest {
  enum Outcome {
    /// The gate has it, or is to have it.
    case pending
    case failed(CreditError)
    /// An error that came in as a request and goes out as it is.
    case passed(CreditError.Code)
  }

  let outcome: Outcome
  /// Its text, where that is needed again.
  let text: [UInt8]?
}
