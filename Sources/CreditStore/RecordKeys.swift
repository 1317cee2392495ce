internal import CreditJSON
internal import CreditModel

/// What a record can be found by.
enum RecordKey: Hashable {
  case account(Name)
  case authorization(Name)
  case transaction(Name)
  /// A direct charge's key, within its account.
  case chargeKey(account: Name, Name)
  /// A top-up's key, within its account.
  case topUpKey(account: Name, Name)

  /// The hash by which the index finds it.
  func hash(_ hasher: KeyHasher) -> UInt64 {
    switch self {
    case .account(let name): hasher.hash(domain: 1, name.text)
    case .authorization(let id): hasher.hash(domain: 2, id.text)
    case .transaction(let id): hasher.hash(domain: 3, id.text)
    case .chargeKey(let account, let key): hasher.hash(domain: 4, account.text, key.text)
    case .topUpKey(let account, let key): hasher.hash(domain: 5, account.text, key.text)
    }
  }
}

/// The keys of a record beside its account: at most two.
struct RecordKeys {
  let account: Name
  let isRegistration: Bool
  let keys: [RecordKey]

  init(of record: LedgerRecord) {
    account = record.account.name
    var isRegistration = false
    switch record.event {
    case .registration:
      isRegistration = true
      keys = []
    case .settings, .expiry, .refill:
      keys = []
    case .authorization(let authorization), .void(let authorization):
      keys = [.authorization(authorization.id)]
    case .charge(let charge), .chargeRefund(let charge, _):
      let id = RecordKey.authorization(charge.receipt.authorization.id)
      if let key = charge.key {
        keys = [id, .chargeKey(account: account, key)]
      } else {
        keys = [id]
      }
    case .topUp(let topUp), .topUpRefund(let topUp, _):
      let id = RecordKey.transaction(topUp.transaction.id)
      if let key = topUp.transaction.key {
        keys = [id, .topUpKey(account: account, key)]
      } else {
        keys = [id]
      }
    }
    self.isRegistration = isRegistration
  }

  /// Reads the keys alone from a journal line; nil where it is no record.
  init?(of line: JSONValue) {
    guard let account = line.name("account"), let event = line.string("event") else { return nil }
    self.account = account
    isRegistration = event == "registration"
    if let id = line.member("authorization")?.name("id") {
      if let key = line.name("key") {
        keys = [.authorization(id), .chargeKey(account: account, key)]
      } else {
        keys = [.authorization(id)]
      }
    } else if let transaction = line.member("transaction") {
      guard let id = transaction.name("id") else { return nil }
      if let key = transaction.name("key") {
        keys = [.transaction(id), .topUpKey(account: account, key)]
      } else {
        keys = [.transaction(id)]
      }
    } else {
      keys = []
    }
  }
}
