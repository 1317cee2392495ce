package import CreditModel

/// Where a store is and how large.
package struct StoreInfo {
  package let version: Int64
  package let bytes: Int
  package let summary: LedgerSummary
}

extension StoreReader {
  /// What the store is now.
  /// - Throws: `store_locked`, `corrupt_store`, `io_error`.
  package func info() throws(CreditError) -> StoreInfo {
    let end = try bookmark().position
    return StoreInfo(
      version: JournalHeader.version, bytes: journal.length, summary: try summary(before: end))
  }

  package func summary(before end: RecordPosition) throws(CreditError) -> LedgerSummary {
    var summary = LedgerSummary()
    summary.accountCount = try locked { (finder) throws(StoreFault) in finder.pending.accountCount }
    let last = try records(of: nil, before: end, skipping: 0, limit: 1)
    summary.lastTime = last.first?.record.account.updatedAt
    try reading { () throws(StoreFault) in
      summary.createdAt = try journal.createdAt()
      summary.recordCount = max(0, try journal.lineCount(before: Int(end.value)) - 1)
    }
    return summary
  }
}
