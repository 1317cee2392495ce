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
    let policy = batch.policy.ofGate
    if try !store.exists(), try store.create(at: store.systemTime) {
      store.options.onDefaultStoreCreated?(store.location.path, policy.starterCredits)
    }
    let session =
      if let open = self.session { open } else { try WriteSession(store, ahead: aheadThread) }
    self.session = session
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
}

/// An account that was looked up, its number in the index and its newest record's position. The
/// position is nil until it has a record.
struct KnownAccount {
  let name: Name
  private(set) var account: Account
  /// True while a request has the account: it may have changed it.
  private(set) var isTaken = false
  let number: Int
  var position: RecordPosition?
  var changedPlace = PendingIndex.ChangedPlace()

  init(account: Account, number: Int, position: RecordPosition?) {
    name = account.name
    self.account = account
    self.number = number
    self.position = position
  }

  /// Gives the account away.
  mutating func take() -> Account {
    var taken = Account(name: .nobody, registeredAt: .earliest)
    swap(&taken, &account)
    isTaken = true
    return taken
  }

  /// Takes the account back, as its newest record leaves it.
  mutating func put(_ newAccount: inout Account) {
    swap(&account, &newAccount)
    isTaken = false
  }
}

/// Accounts that were looked up, by name. Each has a place that stays, and is changed there.
struct KnownAccounts: ~Copyable {
  private var accounts = Rows<KnownAccount>()
  private var places = HashTable()

  var count: Int { accounts.count }

  subscript(place: Int) -> KnownAccount {
    @inline(__always)
    _read { yield accounts[place] }
    @inline(__always)
    _modify { yield &accounts[place] }
  }

  mutating func removeAll() {
    places.removeAll()
    accounts.removeAll()
  }

  func find(_ name: Name) -> Int? {
    name.text.withUTF8Bytes { name in
      places.find(HashTable.hash(name)) { accounts[$0].name.text.hasSameBytes(as: name) }
    }
  }

  /// - Returns: its place.
  mutating func append(_ account: consuming KnownAccount) -> Int {
    let place = accounts.count
    places.insert(account.name.text.withUTF8Bytes { HashTable.hash($0) }, place)
    accounts.append(account)
    return place
  }
}
