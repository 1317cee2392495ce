internal import CreditJSON
internal import CreditModel

/// What answers the requests of a run.
enum RequestService {
  case reading(any ReadingService)
  case writing(any WritingService)

  /// The words that stand for requests on standard input; nil without such words.
  var words: RequestWord? {
    if case .writing(let service) = self { service.words } else { nil }
  }
}

/// Answers requests one by one, without writing.
protocol ReadingService: AnyObject {
  /// Says that requests have arrived, which should see the store as it is now.
  func beginBatch() throws(CreditError)
  /// Prints the answer to one request: one result, or the lines of a listing.
  /// - Parameter text: the request's text, where results are added to it.
  func answer(_ request: RequestSource, text: [UInt8]?, to output: ResultOutput)
    throws(CreditError)
}

/// Turns requests into a gate's, which serves a batch as one.
protocol WritingService: AnyObject {
  var gate: any CreditGate { get }
  /// The words that stand for requests on standard input; nil without such words.
  var words: RequestWord? { get }
  /// Waits until the gate serves no batch. Reading a request that runs a command calls it first, as
  /// no command is run while the store is locked.
  var waitUntilServed: () -> Void { get set }
  /// Says that requests have arrived.
  /// - Returns: the policy as it is now, to serve them by.
  func beginBatch() throws(CreditError) -> Policy
  func request(_ request: RequestSource) throws(CreditError) -> GateRequest
  /// The registered accounts whose names are nearest to one.
  func nearestAccounts(to name: Name) throws(CreditError) -> [Name]
}
