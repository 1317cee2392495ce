package import CreditModel
package import CreditSystem

/// Checks the records of other books by doing them again, in the order that they have there,
/// as an import does. What it has to remember is in a file that goes with it.
package final class RecordCheck {
  private let journal: ImportedJournal
  /// Accounts with a record that is wrong: what builds on it can't be checked.
  private var faulty: Set<Name> = []

  /// - Throws: `io_error`, `permission_denied`.
  package init(_ options: StoreOptions, _ system: any SystemCalls) throws(CreditError) {
    journal = try reporting { () throws(StoreFault) in
      try ImportedJournal(
        namelessIn: StoreDirectory(path: options.temporaryFolder, system: system),
        createdAt: Timestamp(milliseconds: 0))
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

  /// The accounts whose parents are no chain, each as a sentence, once all records have come.
  package func brokenChains() throws(CreditError) -> [String] {
    try reporting { () throws(StoreFault) in try journal.books.brokenChains().map(\.sentence) }
  }

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
