internal import CreditJSON
internal import CreditModel

extension RecordKey {
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
  /// The id of its authorization or transaction.
  private(set) var id: RecordKey?
  /// The key that its request had.
  private(set) var key: RecordKey?

  var keys: [RecordKey] { [id, key].compactMap(\.self) }

  init(of record: LedgerRecord) {
    account = record.account.name
    id = record.event.id
    key = record.event.key(of: account)
  }

  /// Reads the keys alone from a journal line; nil where it is no record.
  init?(of line: JSONValue) {
    guard let account = line.name("account"), line.string("event") != nil else { return nil }
    self.account = account
    if let id = line.member("authorization")?.name("id") {
      self.id = .authorization(id)
      key = line.name("key").map { .chargeKey(account: account, $0) }
    } else if let transaction = line.member("transaction") {
      guard let id = transaction.name("id") else { return nil }
      self.id = .transaction(id)
      key = transaction.name("key").map { .topUpKey(account: account, $0) }
    }
  }
}
