internal import CreditModel

/// Requests that are gathered to be served together.
struct RequestBatch {
  /// All of them, in order.
  private(set) var gathered: [GatheredRequest] = []
  /// What the gate is to serve.
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
    /// An error that came in as a request and goes out as it is.
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
