package import CreditModel
internal import CreditSystem

/// Checks the records of other books by doing them again, in the order that they have there,
/// as an import does. What it has to remember is in a file that goes with it.
package final class RecordCheck {
  private let temporary: ScratchStore
  private let journal: ImportedJournal
  /// Accounts with a record that is wrong: what builds on it can't be checked.
  private var faulty: Set<Name> = []

  /// - Throws: `io_error`, `permission_denied`.
  package init(in temporary: ScratchStore) throws(CreditError) {
    self.temporary = temporary
    journal = try reporting { () throws(StoreFault) in
      try ImportedJournal(
        "journal.check", in: temporary.store.directory, createdAt: Timestamp(milliseconds: 0))
    }
  }

  package var recordCount: Int { journal.books.recordCount }
  package var accountCount: Int { journal.books.accountCount }
  /// The sum of all balances.
  package var credits: Int128 { journal.books.credits }
  /// The transfer whose other side has not come.
  package var givenTransfer: Transfer? { journal.books.givenTransfer }

  /// The first share whose record has not come.
  package var expectedShare: ExpectedShare? { journal.books.expectedShares.first }

  /// A purchase that has not come, though its bonuses have.
  package var missingPurchase: Name? { journal.books.promotions.missing }

  /// Checks the next record.
  /// - Returns: what is wrong with it, as a sentence; nil if nothing.
  package func finding(in record: LedgerRecord) throws(CreditError) -> String? {
    if faulty.contains(record.account.name) { return nil }
    let fault = try reporting { () throws(StoreFault) in try journal.append(record) }
    guard let fault else { return nil }
    faulty.insert(record.account.name)
    return "\(record.title) \(fault.reason)"
  }
}
