internal import CreditModel

/// Names in requests: the accounts to lock, and the ids and keys to look up.
///
/// Anything else that the rules ask for is fetched when they ask.
struct BatchNames {
  private var namedAccounts = UniqueList<Name>()
  private var namedKeys = UniqueList<RecordKey>()
  private var unplacedKeys = UniqueList<RecordKey>()
  /// The payments of events. News before a purchase has no account to be locked: the payment is
  /// locked.
  var payments: Set<Name> = []
  /// True if records are added to the account `nobody`. Its row is then locked too.
  var writesClaims = false
  /// Whether a request refers to records of others.
  private(set) var refersToRecords = false

  /// Whether events may have news of a payment that a person grants.
  private let hasEvents: Bool

  init(of batch: Batch, _ places: Range<Int>) {
    namedKeys.reserve(places.count)
    hasEvents = !batch.policy.payments.isEmpty
    for place in places { add(batch.requests[place]) }
  }

  var accounts: [Name] { namedAccounts.elements }
  var keys: [RecordKey] { namedKeys.elements }
  /// The ids whose accounts the requests do not name.
  var unplaced: [RecordKey] { unplacedKeys.elements }

  private mutating func add(_ request: GateRequest) {
    switch request {
    case .authorize(let request):
      namedAccounts.insert(request.account)
      if let id = request.id { namedKeys.insert(.authorization(id)) }
    case .void(let request):
      refersToRecords = true
      add(.authorization(request.id), of: request.account)
    case .charge(let request):
      switch request.reference {
      case .authorization(let id, let account):
        refersToRecords = true
        add(.authorization(id), of: account)
      case .key(let key, let account): add(.chargeKey(account: account, key), of: account)
      }
    case .topUp(let request):
      let id = request.reference.id
      switch request.reference {
      case .transaction: add(.transaction(id), of: request.account)
      case .key: add(.topUpKey(account: request.account, id), of: request.account)
      }
      if hasEvents, request.kind.isSold {
        refersToRecords = true
        add(payment: id)
        add(.transaction(id), of: request.account)
        namedKeys.insert(.topUpKey(account: request.account, id))
      }
    case .refund(let request):
      refersToRecords = true
      switch request.reference {
      case .transaction(let id): add(.transaction(id), of: request.account)
      case .authorization(let id): add(.authorization(id), of: request.account)
      case .key(let key, let account): add(.chargeKey(account: account, key), of: account)
      }
    case .account(let request):
      namedAccounts.insert(request.account)
      if case .set(let parent) = request.parent { namedAccounts.insert(parent) }
    case .transfer(let request):
      namedAccounts.insert(request.to)
      add(.transferKey(account: request.from, request.key), of: request.from)
    case .storeKit(let request):
      let transaction = request.transaction
      let account = request.account ?? transaction.accountToken
      add(.transaction(transaction.id), of: account)
      if let original = transaction.originalID { add(.transaction(original), of: account) }
    case .notification: break
    case .payment(let request):
      refersToRecords = true
      for change in request.changes { add(change) }
    }
  }

  private mutating func add(_ change: PaymentChange) {
    for id in change.payments {
      add(.transaction(id), of: change.account)
      if let account = change.account { namedKeys.insert(.topUpKey(account: account, id)) }
      add(payment: id)
    }
  }

  /// Adds a payment that is to be locked, and looked up.
  private mutating func add(payment id: Name) {
    namedKeys.insert(.payment(id))
    payments.insert(id)
  }

  private mutating func add(_ key: RecordKey, of account: Name?) {
    namedKeys.insert(key)
    if let account { namedAccounts.insert(account) } else { unplacedKeys.insert(key) }
  }

  /// Adds accounts that are to be locked, too.
  mutating func widen(by names: some Sequence<Name>) {
    for name in names { namedAccounts.insert(name) }
  }

  /// Adds all that the rules have asked for.
  mutating func widen(by books: ServerBooks) {
    if books.unlocked.contains(.nobody) { writesClaims = true }
    widen(by: books.unlocked)
    for id in books.unlockedPayments { add(payment: id) }
    for key in books.missingKeys { namedKeys.insert(key) }
  }
}

/// Distinct elements in the order of adding.
private struct UniqueList<Element: Hashable> {
  private(set) var elements: [Element] = []
  private var seen: Set<Element> = []

  mutating func reserve(_ count: Int) {
    elements.reserveCapacity(count)
    seen.reserveCapacity(count)
  }

  mutating func insert(_ element: Element) {
    if seen.insert(element).inserted { elements.append(element) }
  }
}

/// The ids that a batch makes: the same ones at each try, so that a try's records are recognized.
final class PinnedIDs {
  private let makeID: (Timestamp) -> Name
  private var ids: [Place: Name] = [:]
  private var next = Place(request: 0, number: 0)

  /// Whose id it is, and which of those of its request.
  private struct Place: Hashable {
    let request: Int
    var number: Int
  }

  init(makeID: @escaping (Timestamp) -> Name) { self.makeID = makeID }

  /// Says whose ids are made next.
  func begin(_ request: Int) { next = Place(request: request, number: 0) }

  func make(at time: Timestamp) -> Name {
    defer { next.number += 1 }
    let id = ids[next] ?? makeID(time)
    ids[next] = id
    return id
  }
}
