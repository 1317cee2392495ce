import CreditModel

/// Books in memory: all records in order, and by each key the newest that has it, like the index of
/// a store.
final class MemoryBooks: LedgerBooks {
  private(set) var records: [LedgerRecord] = []
  private var newest: [RecordKey: Int] = [:]

  var latestTime: Timestamp? { records.last?.account.updatedAt }

  func account(_ name: Name) -> Account? { stored(.account(name))?.record.account }

  func authorization(_ id: Name) throws(CreditError) -> AuthorizationEntry? {
    try stored(.authorization(id)).flatMap(AuthorizationEntry.init)
  }

  func directCharge(account: Name, key: Name) throws(CreditError) -> AuthorizationEntry? {
    try stored(.chargeKey(account: account, key)).flatMap(AuthorizationEntry.init)
  }

  func transaction(_ id: Name) throws(CreditError) -> TransactionEntry? {
    try stored(.transaction(id)).flatMap(TransactionEntry.init)
  }

  func topUp(account: Name, key: Name) throws(CreditError) -> TransactionEntry? {
    try stored(.topUpKey(account: account, key)).flatMap(TransactionEntry.init)
  }

  func transfer(account: Name, key: Name) -> (Transfer, crossed: [Credits]?)? {
    stored(.transferKey(account: account, key)).flatMap(\.transfer)
  }

  func record(at position: RecordPosition) -> LedgerRecord? {
    let place = Int(position.value)
    return records.indices.contains(place) ? records[place] : nil
  }

  /// The newest record of a key; positions are places in the list.
  private func stored(_ key: RecordKey) -> StoredRecord? {
    newest[key].map {
      StoredRecord(records[$0], at: RecordPosition(Int64($0)), previous: nil)
    }
  }

  func append(_ record: LedgerRecord) {
    newest[.account(record.account.name)] = records.count
    record.keys.visit { newest[$0] = records.count }
    records.append(record)
  }
}
