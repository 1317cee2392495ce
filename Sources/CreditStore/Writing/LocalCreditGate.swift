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

/// An account that was looked up, with its number in the index and its newest record's position;
/// nil before it has one.
final class KnownAccount {
  let name: Name
  var account: Account
  /// Negative before it has one.
  private(set) var number: Int
  var position: RecordPosition?
  /// Where the index's changes have it.
  var changedPlace = PendingIndex.ChangedPlace()

  init(account: Account, number: Int, position: RecordPosition?) {
    name = account.name
    self.account = account
    self.number = number
    self.position = position
  }

  /// An account that is not in the books yet.
  convenience init(new account: Account) {
    self.init(account: account, number: -1, position: nil)
  }

  func enter(as number: Int) { self.number = number }
}

/// The accounts that were looked up, found by their names. Not a ``NameTable``: to look into one
/// takes a retain and a release of each of its arrays.
struct KnownAccounts: ~Copyable {
  private var accounts: [KnownAccount] = []
  /// Their numbers in that list.
  private var numbers = ProbeTable()

  var count: Int { accounts.count }

  mutating func removeAll() {
    numbers.removeAll { accounts[$0].nameHash }
    accounts.removeAll(keepingCapacity: true)
  }

  func find(_ name: Name) -> KnownAccount? {
    let number = name.text.withUTF8Bytes { name in
      numbers.find(NameTable.hash(name)) { accounts[$0].name.text.hasSameBytes(as: name) }
    }
    return number.map { accounts[$0] }
  }

  mutating func append(_ account: KnownAccount) {
    numbers.append(account.nameHash) { accounts[$0].nameHash }
    accounts.append(account)
  }
}

extension KnownAccount {
  fileprivate var nameHash: UInt64 { name.text.withUTF8Bytes { NameTable.hash($0) } }
}
