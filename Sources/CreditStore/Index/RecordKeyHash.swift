internal import CreditModel

extension RecordKey {
  /// A number that keys of one kind have, and no others.
  var kind: UInt8 {
    switch self {
    case .account: 1
    case .authorization: 2
    case .transaction: 3
    case .chargeKey: 4
    case .topUpKey: 5
    case .transferKey: 6
    case .payment: 7
    }
  }

  /// The hash by which the index finds it.
  func hash(_ hasher: KeyHasher) -> UInt64 {
    switch self {
    case .account(let name): name.text.withUTF8Bytes { hasher.account($0) }
    case .authorization(let id): id.text.withUTF8Bytes { hasher.authorization($0) }
    case .transaction(let id): id.text.withUTF8Bytes { hasher.transaction($0) }
    case .chargeKey(let account, let key):
      account.text.withUTF8Bytes { account in
        key.text.withUTF8Bytes { hasher.chargeKey($0, of: account) }
      }
    case .topUpKey(let account, let key):
      account.text.withUTF8Bytes { account in
        key.text.withUTF8Bytes { hasher.topUpKey($0, of: account) }
      }
    case .transferKey(let account, let key): hasher.hash(domain: 6, account.text, key.text)
    case .payment(let id): hasher.hash(domain: 7, id.text)
    }
  }
}

// The hashes of keys that are given as their bytes.
extension KeyHasher {
  @inline(__always)
  func account(_ name: UnsafeRawBufferPointer) -> UInt64 { hash(domain: 1, name) }

  @inline(__always)
  func authorization(_ id: UnsafeRawBufferPointer) -> UInt64 { hash(domain: 2, id) }

  @inline(__always)
  func transaction(_ id: UnsafeRawBufferPointer) -> UInt64 { hash(domain: 3, id) }

  @inline(__always)
  func topUpKey(_ key: UnsafeRawBufferPointer, of account: UnsafeRawBufferPointer) -> UInt64 {
    hash(domain: 5, account, key)
  }

  @inline(__always)
  func chargeKey(_ key: UnsafeRawBufferPointer, of account: UnsafeRawBufferPointer) -> UInt64 {
    hash(domain: 4, account, key)
  }
}
