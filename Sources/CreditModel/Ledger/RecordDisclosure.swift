/// What copied books say of accounts: under another name, or nothing at all.
package struct RecordDisclosure: Sendable {
  /// The new names, by the old ones.
  package let renamed: [Name: Name]
  /// The accounts that nothing is said of, but that their ids are taken.
  package let removed: Set<Name>
  /// The ids of removed accounts that have been claimed.
  private var claimed: Set<RecordKey> = []

  package init(renamed: [Name: Name] = [:], removed: Set<Name> = []) {
    self.renamed = renamed
    self.removed = removed
  }

  package var isWhole: Bool { renamed.isEmpty && removed.isEmpty }

  /// The records that stand for one, in the order of the books: of a removed account's, claims of
  /// the ids that it is the first to have.
  package mutating func records(for record: LedgerRecord) -> [LedgerRecord] {
    if isWhole { return [record] }
    guard removed.contains(record.account.name) else { return [disclosed(record)] }
    let ids = [record.event.id, record.event.originalID].compactMap { $0 }
    return ids.filter { claimed.insert($0).inserted }.map {
      LedgerRecord(
        event: .claim($0),
        account: Account(name: .nobody, registeredAt: record.account.updatedAt))
    }
  }

  /// The record of an account that stays. The account's name stands in it once, and the other one's
  /// where it is of a transfer.
  private func disclosed(_ record: LedgerRecord) -> LedgerRecord {
    var record = record
    record.account.name = name(of: record.account.name)
    switch record.event {
    case .transferOut(var transfer):
      (transfer.from, transfer.to) = (record.account.name, name(of: transfer.to))
      if transfer.to == .nobody { (transfer.reason, transfer.toBalance) = (nil, 0) }
      record.event = .transferOut(transfer)
    case .transferIn(var transfer):
      (transfer.from, transfer.to) = (name(of: transfer.from), record.account.name)
      if transfer.from == .nobody { (transfer.reason, transfer.fromBalance) = (nil, 0) }
      record.event = .transferIn(transfer)
    default: break
    }
    return record
  }

  private func name(of account: Name) -> Name {
    removed.contains(account) ? .nobody : renamed[account] ?? account
  }
}
