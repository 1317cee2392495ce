internal import CreditModel

// An id that nobody may have again: `"authorization":"0199…"` or `"transaction":"2000…"`, without
// an account and its state.
extension JSONWriter {
  mutating func claim(_ id: RecordKey) {
    switch id {
    case .authorization(let id): member("authorization", id)
    case .transaction(let id): member("transaction", id)
    // Keys are an account's own, and go with it.
    case .account, .chargeKey, .topUpKey, .transferKey, .payment: break
    }
  }
}

extension RecordReader {
  /// A claim, as the record of nobody's account.
  mutating func claim(at time: Timestamp, _ cursor: inout RecordCursor) -> LedgerRecord? {
    let key: RecordKey
    if cursor.skip(",\"authorization\":") {
      key = .authorization(id(&cursor))
    } else if cursor.skip(",\"transaction\":") {
      key = .transaction(id(&cursor))
    } else {
      return nil
    }
    return LedgerRecord(event: .claim(key), account: Account(name: .nobody, registeredAt: time))
  }
}
