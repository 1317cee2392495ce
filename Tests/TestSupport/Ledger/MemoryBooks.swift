import CreditModel

/// Books in memory: all records in order, and by each key the newest that has it, like the index of
/// a store.
final class MemoryBooks: LedgerBooks {
  private(set) var records: [LedgerRecord] = []
  private var newest: [RecordKey: Int] = [:]

  var latestTime: Timestamp? { records.last?.account.updatedAt }

  func account(_ name: Name) -> Account? { newest(of: .account(name))?.record.account }

  func record(at position: RecordPosition) -> LedgerRecord? {
    let place = Int(position.value)
    return records.indices.contains(place) ? records[place] : nil
  }

  /// How often all accounts were searched.
  private(set) var searchCount = 0

  func children(of parents: Set<Name>) -> [Name: Bool] {
    searchCount += 1
    var children: [Name: Bool] = [:]
    for case .account(let name) in newest.keys {
      guard let account = account(name), account.isBelow(parents) else { continue }
      children[name] = account.hasChildren
    }
    return children
  }

  func hasPurchase(_ account: Name) -> Bool {
    records.contains { $0.account.name == account && $0.isOfPurchase }
  }

  func expired(of grant: Name, in account: Name, at time: Timestamp) -> Credits {
    records.filter { $0.account.name == account }.reduce(0) { $0 + ($1.expired(of: grant) ?? 0) }
  }

  /// The newest record of a key; positions are places in the list.
  func newest(of key: RecordKey) -> StoredRecord? {
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
