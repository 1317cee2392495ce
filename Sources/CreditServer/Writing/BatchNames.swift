internal import CreditModel

/// What requests name: the accounts to lock, and the ids and keys to look up. What the rules ask
/// for besides is fetched when they do.
struct BatchNames {
  private(set) var accounts: Set<Name> = []
  private(set) var keys: Set<RecordKey> = []
  /// The ids whose accounts the requests do not say.
  private(set) var unplaced: Set<RecordKey> = []
  /// Whether a request is about what others have recorded.
  private(set) var refersToRecords = false

  init(of requests: [GateRequest]) {
    for request in requests { add(request) }
  }

  private mutating func add(_ request: GateRequest) {
    switch request {
    case .authorize(let request):
      accounts.insert(request.account)
      if let id = request.id { keys.insert(.authorization(id)) }
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
      switch request.reference {
      case .transaction(let id): add(.transaction(id), of: request.account)
      case .key(let key): add(.topUpKey(account: request.account, key), of: request.account)
      }
    case .refund(let request):
      refersToRecords = true
      switch request.reference {
      case .transaction(let id): add(.transaction(id), of: request.account)
      case .authorization(let id): add(.authorization(id), of: request.account)
      case .key(let key, let account): add(.chargeKey(account: account, key), of: account)
      }
    case .account(let request):
      accounts.insert(request.account)
    case .transfer(let request):
      accounts.insert(request.to)
      add(.transferKey(account: request.from, request.key), of: request.from)
    case .storeKit(let request):
      let transaction = request.transaction
      let account = request.account ?? transaction.accountToken
      add(.transaction(transaction.id), of: account)
      if let original = transaction.originalID { add(.transaction(original), of: account) }
    case .notification: break
    }
  }

  private mutating func add(_ key: RecordKey, of account: Name?) {
    keys.insert(key)
    if let account { accounts.insert(account) } else { unplaced.insert(key) }
  }

  /// Adds accounts that are to be locked, too.
  mutating func widen(by names: some Sequence<Name>) { accounts.formUnion(names) }
}
