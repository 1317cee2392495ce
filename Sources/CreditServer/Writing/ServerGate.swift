internal import CreditModel

/// The gate over a server: a batch is one transaction.
final class ServerGate: CreditGate {
  let servesRuns = false
  private let session: ServerSession
  private let policies: ServerPolicy
  private let makeID: (Timestamp) -> Name
  private let known = KnownAccounts()

  /// The most requests of a transaction: others wait for its accounts meanwhile.
  private static let requestLimit = 1000

  /// - Parameter makeID: makes a new, unique id for something that happens at a time.
  init(
    _ session: ServerSession, _ policies: ServerPolicy, makeID: @escaping (Timestamp) -> Name
  ) {
    self.session = session
    self.policies = policies
    self.makeID = makeID
  }

  func perform(_ parts: [BatchPart], under policy: Policy) throws(CreditError) -> [PartAnswer] {
    var requests: [GateRequest] = []
    for part in parts.prefix(Self.requestLimit) {
      guard case .request(let request) = part else { break }
      requests.append(request)
    }
    if requests.isEmpty, case .run(let run)? = parts.first {
      return [try perform(run, under: policy)]
    }
    return try perform(requests, under: policy).map { .answer($0) }
  }

  /// - Parameter policy: that of the first of several batches; another may have met a newer one.
  private func perform(_ requests: [GateRequest], under policy: Policy) throws(CreditError)
    -> [GateAnswer]
  {
    let batch = ServerBatch(
      requests, under: policies.known ?? policy, policies, known, session, makeID: makeID)
    return try batch.perform()
  }

  /// Serves the beginning of a run, or all of it.
  private func perform(_ run: PlainRun, under policy: Policy) throws(CreditError) -> PartAnswer {
    let count = min(run.requests.count, Self.requestLimit)
    let served = try perform((0..<count).map { run.request($0) }, under: policy)
    let answers = PlainAnswers()
    for (number, answer) in served.enumerated() { answers.add(answer, to: number) }
    return .run(answers)
  }
}
