internal import CreditModel

/// The accounts of a damaged journal, and which of them lack records without a sound one after that
/// to say so.
struct SalvagedAccounts {
  /// Where the newest sound record of each is.
  private var newest: [Name: Int] = [:]
  /// The accounts that sound records tell of.
  private var told: Set<Name> = []
  /// The names in what is left of lines that cannot be read. One may have been changed with its
  /// line, so that no account ever had it.
  private var damaged: Set<Name> = []
  /// The index as it was left: what it leads to counts where it is more than the journal has.
  private let index: IndexFile?

  init(_ directory: StoreDirectory) {
    index = try? IndexFile(readingIn: directory)
  }

  mutating func note(_ record: LedgerRecord, at offset: Int) {
    newest[record.account.name] = offset
    switch record.event {
    case .transferOut(let transfer): told.insert(transfer.to)
    case .transferIn(let transfer): told.insert(transfer.from)
    case .share(let share): told.insert(share.member)
    default: for share in record.expectedShares { told.insert(share.account) }
    }
    if let parent = record.account.parent { told.insert(parent) }
  }

  mutating func noteDamaged(_ names: [Name]) { damaged.formUnion(names) }

  /// Accounts of which the index has a newer record than any that can be read, and accounts that
  /// unreadable lines name, if there ever were such accounts.
  func concerned(in journal: JournalFile) throws(StoreFault) -> Set<Name> {
    let index = try index?.mayBe(of: journal) ?? false ? index : nil
    func lastOffset(_ name: Name) -> Int? {
      index.flatMap { $0.newestOffset(ofAccount: RecordKey.account(name).hash($0.hasher)) }
    }
    var concerned: Set<Name> = []
    for (name, offset) in newest where lastOffset(name) ?? 0 > offset { concerned.insert(name) }
    for name in told.union(damaged) where newest[name] == nil && lastOffset(name) != nil {
      concerned.insert(name)
    }
    for name in damaged where newest[name] != nil || told.contains(name) { concerned.insert(name) }
    concerned.remove(.nobody)
    return concerned
  }
}
