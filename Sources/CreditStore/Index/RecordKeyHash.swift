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
    case .transferKey(let account, let key): hasher.hash(domain: 6, account.text, key.text)
    }
  }
}
