internal import CreditJSON
package import CreditModel
internal import CreditSystem

/// The gate over a local store: a batch is one lock, one append and one sync.
package final class LocalCreditGate: CreditGate {
  private let store: LocalStore
  package let servesRuns = true
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
  package func perform(_ parts: [BatchPart], under policy: Policy) throws(CreditError)
    -> [PartAnswer]
  {
    if try !store.exists() { _ = try store.create(at: systemTime) }
    let session = try openSession()
    return try session.locked { books, batch throws(CreditError) -> [PartAnswer] in
      // Under the lock: no record is earlier than what was read before it was taken.
      let ledger = Ledger(
        books: books, policy: policy, systemTime: systemTime, makeID: makeID)
      do throws(CreditError) {
        return try answers(to: parts, by: ledger, books, batch)
      } catch {
        // Nothing of the batch is on disk yet, and nothing of it will be.
        throw error.with(.outcome("none"))
      }
    }
  }

  /// - Throws: an error that ends the run.
  private func answers(
    to parts: [BatchPart], by ledger: Ledger, _ books: LocalBooks, _ batch: PendingBatch
  ) throws(CreditError) -> [PartAnswer] {
    var answers: [PartAnswer] = []
    answers.reserveCapacity(parts.count)
    var lane: PlainLane?
    for (number, part) in parts.enumerated() {
      if batch.isFull { break }
      if number % Self.expectedCount == 0 {
        books.expect(parts[number...].prefix(Self.expectedCount))
      }
      switch part {
      case .request(let request):
        books.beginRequest()
        answers.append(.answer(try ledger.answer(to: request)))
      case .run(let run):
        let open = lane ?? PlainLane(books, batch, by: ledger, makeID: makeID)
        lane = open
        let served = try open.serve(run)
        answers.append(.run(served))
        if served.count < run.requests.count { return answers }
      }
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
