internal import CreditModel

/// What requests name: the accounts to lock, and the ids and keys to look up. What the rules ask
/// for besides is fetched when they do.
struct BatchNames {
  private var namedAccounts = ShortMap<Name, Void>()
  private var namedKeys = ShortMap<RecordKey, Void>()
  private var unplacedKeys = ShortMap<RecordKey, Void>()
  /// Whether a request is about what others have recorded.
  private(set) var refersToRecords = false

  init(of requests: [GateRequest]) {
    for request in requests { add(request) }
  }

  var accounts: [Name] { namedAccounts.keys }
  var keys: [RecordKey] { namedKeys.keys }
  /// The ids whose accounts the requests do not say.
  var unplaced: [RecordKey] { unplacedKeys.keys }

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
      namedAccounts.insert(request.account)
    case .transfer(let request):
      namedAccounts.insert(request.to)
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
    namedKeys.insert(key)
    if let account { namedAccounts.insert(account) } else { unplacedKeys.insert(key) }
  }

  /// The account that all is about; nil where that is not known, or there are others.
  var onlyAccount: Name? {
    let accounts = namedAccounts.entries
    return accounts.count == 1 && unplacedKeys.entries.isEmpty ? accounts[0].key : nil
  }

  /// Adds accounts that are to be locked, too.
  mutating func widen(by names: some Sequence<Name>) {
    for name in names { namedAccounts.insert(name) }
  }
}
