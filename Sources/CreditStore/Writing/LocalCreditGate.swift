internal import CreditJSON
package import CreditModel
internal import CreditSystem

/// The gate over a local store: a batch is one lock, one append and one sync.
package final class LocalCreditGate: CreditGate {
  private let store: LocalStore
  private let makeID: (Timestamp) -> Name
  private var session: WriteSession?
  private let aheadThread = WorkerThread()

  /// For how many requests at a time the books fetch ahead what they will look up.
  private static let expectedCount = 64

  /// - Parameter makeID: makes a new, unique id for something that happens at a time.
  package init(_ store: LocalStore, makeID: @escaping (Timestamp) -> Name) {
    self.store = store
    self.makeID = makeID
  }

  /// Writes some of the journal. The thread that does so has little to do, and on two processors it
  /// waits for one a fifth of the time that a long input takes.
  package func help() { aheadThread.help() }

  /// Serves a batch. The default store is made by its first one.
  package func perform(_ requests: ArraySlice<GateRequest>, under policy: Policy)
    throws(CreditError) -> [GateAnswer]
  {
    if try !store.exists(), try store.create(at: systemTime) {
      store.options.tellOfDefaultStore?(store.location.path, policy.starterCredits)
    }
    let session = try openSession()
    return try session.locked { books, batch throws(CreditError) -> [GateAnswer] in
      // Under the lock: no record is earlier than what was read before it was taken.
      let ledger = Ledger(
        books: books, policy: policy, systemTime: systemTime, makeID: makeID)
      do throws(CreditError) {
        return try answers(to: requests, by: ledger, books, batch)
      } catch {
        // Nothing of the batch is on disk yet, and nothing of it will be.
        throw error.with(.outcome("none"))
      }
    }
  }

  /// - Throws: an error that ends the run.
  private func answers(
    to requests: ArraySlice<GateRequest>, by ledger: Ledger, _ books: LocalBooks,
    _ batch: PendingBatch
  ) throws(CreditError) -> [GateAnswer] {
    var answers: [GateAnswer] = []
    answers.reserveCapacity(requests.count)
    for request in requests {
      if batch.isFull { break }
      if answers.count % Self.expectedCount == 0 {
        books.expect(requests.dropFirst(answers.count).prefix(Self.expectedCount))
      }
      books.beginRequest()
      answers.append(try ledger.answer(to: request))
    }
    return answers
  }

  private var systemTime: Timestamp {
    Timestamp(milliseconds: store.system.currentMilliseconds())
  }

  private func openSession() throws(CreditError) -> WriteSession {
    if let session { return session }
    let opened = try WriteSession(store, ahead: aheadThread)
    session = opened
    return opened
  }
}
