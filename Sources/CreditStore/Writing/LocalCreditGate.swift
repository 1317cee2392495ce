internal import CreditJSON
package import CreditModel
internal import CreditSystem

/// The gate over a local store: a batch is one lock, one append and one sync.
package final class LocalCreditGate: CreditGate {
  private let store: LocalStore
  private let makeID: (Timestamp) -> Name
  private var session: WriteSession?

  /// A batch ends once its records have so many bytes: what an append needs of memory, and its
  /// recovery of time, has a bound.
  private static let batchByteLimit = 8 << 20

  /// For how many requests at a time the books fetch ahead what they will look up.
  private static let expectedCount = 64

  /// - Parameter makeID: makes a new, unique id for something that happens at a time.
  package init(_ store: LocalStore, makeID: @escaping (Timestamp) -> Name) {
    self.store = store
    self.makeID = makeID
  }

  /// Serves a batch. The default store is made by its first one.
  package func perform(_ requests: [GateRequest], under policy: Policy) throws(CreditError)
    -> [GateAnswer]
  {
    if try !store.exists() { _ = try store.create(at: systemTime) }
    let session = try openSession()
    return try session.locked { books, batch throws(CreditError) -> [GateAnswer] in
      // Under the lock: no record is earlier than what was read before it was taken.
      let ledger = Ledger(
        books: books, policy: policy, systemTime: systemTime, makeID: makeID)
      var answers: [GateAnswer] = []
      answers.reserveCapacity(requests.count)
      for (number, request) in requests.enumerated() {
        if batch.byteCount >= Self.batchByteLimit { break }
        if number % Self.expectedCount == 0 {
          books.expect(requests[number...].prefix(Self.expectedCount))
        }
        books.beginRequest()
        do throws(CreditError) {
          answers.append(.success(try ledger.perform(request)))
        } catch {
          // Nothing of the batch is on disk yet, and nothing of it will be.
          if error.endsRun { throw error.with(.outcome("none")) }
          answers.append(.failure(error))
        }
      }
      return answers
    }
  }

  private var systemTime: Timestamp {
    Timestamp(milliseconds: store.system.currentMilliseconds())
  }

  private func openSession() throws(CreditError) -> WriteSession {
    if let session { return session }
    let opened = try WriteSession(store)
    session = opened
    return opened
  }
}
