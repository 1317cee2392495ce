internal import CreditModel

/// A record's key as the columns of `credit.identity`, in which an account has no row.
struct KeyColumns: Hashable {
  /// 0 account. 1 transaction, 2 authorization: unique in the store. 3 charge, 4 top-up,
  /// 5 transfer: the keys of requests, each unique within its account. 6 payment: news before its
  /// purchase.
  let kind: Int64
  /// The account that a request's key belongs to; empty for an id.
  let scope: Name
  let id: Name

  var parameters: [Parameter] { [.int(kind), .text(scope.text), .text(id.text)] }

  func add(to parameters: inout [Parameter]) {
    parameters.append(.int(kind))
    parameters.append(.text(scope.text))
    parameters.append(.text(id.text))
  }

  var key: RecordKey {
    switch kind {
    case 0: .account(id)
    case 1: .transaction(id)
    case 2: .authorization(id)
    case 3: .chargeKey(account: scope, id)
    case 4: .topUpKey(account: scope, id)
    case 6: .payment(id)
    default: .transferKey(account: scope, id)
    }
  }
}

extension KeyColumns {
  init(_ key: RecordKey) {
    switch key {
    case .account(let name): (kind, scope, id) = (0, .nobody, name)
    case .transaction(let id): (kind, scope, self.id) = (1, .nobody, id)
    case .authorization(let id): (kind, scope, self.id) = (2, .nobody, id)
    case .chargeKey(let account, let key): (kind, scope, id) = (3, account, key)
    case .topUpKey(let account, let key): (kind, scope, id) = (4, account, key)
    case .transferKey(let account, let key): (kind, scope, id) = (5, account, key)
    case .payment(let id): (kind, scope, self.id) = (6, .nobody, id)
    }
  }
}

/// The columns of many keys, as parameters.
struct KeyArrays {
  var kinds = ParameterArray(.int)
  var scopes = ParameterArray(.text)
  var ids = ParameterArray(.text)

  init(_ keys: [KeyColumns] = []) {
    for key in keys { append(key) }
  }

  mutating func append(_ key: KeyColumns) {
    kinds.append(key.kind)
    scopes.append(key.scope.text)
    ids.append(key.id.text)
  }

  var parameters: [Parameter] { [.array(kinds), .array(scopes), .array(ids)] }
}
