import CreditJSON
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

  /// The lines of the history, oldest first, each as it is known at a time.
  func lines(at time: Timestamp = .latest) -> [String] {
    var lines: [(position: Int, line: HistoryLine)] = []
    for (position, record) in records.enumerated() where record.account.updatedAt <= time {
      if let original = record.original, let revision = record.revision,
        let place = lines.firstIndex(where: { $0.position == Int(original.value) })
      {
        lines[place].line.apply(revision)
      }
      if let line = record.historyLine { lines.append((position, line)) }
    }
    return lines.map { _, line in
      var writer = JSONWriter()
      writer.historyLine(line)
      return writer.string
    }
  }
}

extension LedgerEvent {
  /// The event's change of the balance, by no code of the audit.
  var balanceChange: Credits {
    switch self {
    case .registration(let credits), .settings(let credits), .refill(let credits, _),
      .expiry(_, let credits, _), .dropped(let credits):
      credits
    case .authorization, .void, .topUpNews, .claim, .payment: 0
    case .share(let share): share.credits
    case .charge(let charge): -charge.receipt.ownCredits
    case .amend(let charge): charge.amendment?.credits ?? 0
    case .chargeRefund(_, let refund): refund.ownCredits
    case .topUp(let topUp): topUp.creditsAdded
    case .topUpRefund(let topUp, let refund): -min(refund.credits, topUp.creditsAdded)
    case .transferOut(let transfer): -transfer.credits
    case .transferIn(let transfer): transfer.credits
    }
  }
}
