public import CreditBytes
internal import CreditJSON
public import CreditModel
internal import CreditSystem

/// The gate over a local store: each batch is one lock, one append and one sync.
public final class LocalCreditGate: CreditGate {
  private let store: LocalStore
  private let makeID: (Timestamp) -> Name
  private var session: WriteSession?
  private let aheadThread = WorkerThread()

  /// - Parameter makeID: makes a new, unique id for an event at a time.
  public init(_ store: LocalStore, makeID: @escaping (Timestamp) -> Name) {
    self.store = store
    self.makeID = makeID
  }

  /// Writes some of the journal. The writing thread has little to do, and on two processors it
  /// waits for one a fifth of the time of a long input.
  public func writeAhead() { aheadThread.help() }

  /// Serves a batch. The first one makes the default store.
  public func perform(_ batch: Batch) throws(CreditError) {
    let policy = batch.policy
    if try !store.exists(), try store.create(at: store.systemTime) {
      store.options.onDefaultStoreCreated?(store.location.path, policy.starterCredits)
    }
    let session = try openSession()
    // No price is looked up while the store is locked.
    policy.prices.seal(for: batch, batch.unanswered)
    defer { policy.prices.open() }
    while true {
      do throws(CreditError) {
        return try session.perform(batch, makeID: makeID)
      } catch {
        if !policy.prices.findMissing() { throw error }
      }
    }
  }

  private func openSession() throws(CreditError) -> WriteSession {
    if let session { return session }
    let opened = try WriteSession(store, ahead: aheadThread)
    session = opened
    return opened
  }
}

/// An account that was looked up, its number in the index and its newest record's position. The
/// position is nil until it has a record.
final class KnownAccount {
  let name: Name
  // Exclusivity is unchecked: one thread at a time, and no callee reaches back.
  @exclusivity(unchecked) private(set) var account: Account
  /// True while a request has the account: it may have changed it.
  @exclusivity(unchecked) private(set) var isTaken = false
  let number: Int
  @exclusivity(unchecked) var position: RecordPosition?
  /// The account's place in the index's changes.
  @exclusivity(unchecked) var changedPlace = PendingIndex.ChangedPlace()

  init(account: Account, number: Int, position: RecordPosition?) {
    name = account.name
    self.account = account
    self.number = number
    self.position = position
  }

  /// Gives the account away.
  func take() -> Account {
    var taken = Account(name: .nobody, registeredAt: .earliest)
    swap(&taken, &account)
    isTaken = true
    return taken
  }

  /// Takes the account back, as its newest record leaves it.
  func put(_ newAccount: inout Account) {
    swap(&account, &newAccount)
    isTaken = false
  }
}

/// Accounts that were looked up, by name.
struct KnownAccounts: ~Copyable {
  private var accounts: [KnownAccount] = []
  /// Their numbers in that list.
  private var numbers = HashTable()

  var count: Int { accounts.count }

  mutating func removeAll() {
    numbers.removeAll()
    accounts.removeAll(keepingCapacity: true)
  }

  func find(_ name: Name) -> KnownAccount? {
    let number = name.text.withUTF8Bytes { name in
      numbers.find(HashTable.hash(name)) { accounts[$0].name.text.hasSameBytes(as: name) }
    }
    return number.map { accounts[$0] }
  }

  mutating func append(_ account: KnownAccount) {
    numbers.insert(account.name.text.withUTF8Bytes { HashTable.hash($0) }, accounts.count)
    accounts.append(account)
  }
}
