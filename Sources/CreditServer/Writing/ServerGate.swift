internal import CreditModel

/// The gate over a server: a batch is one transaction.
final class ServerGate: CreditGate {
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

  /// - Parameter policy: that of the first of several batches; another may have met a newer one.
  func perform(_ requests: ArraySlice<GateRequest>, under policy: Policy) throws(CreditError)
    -> [GateAnswer]
  {
    let batch = ServerBatch(
      Array(requests.prefix(Self.requestLimit)), under: policies.known ?? policy, policies, known,
      session, makeID: makeID)
    return try batch.perform()
  }
}
