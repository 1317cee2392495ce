package import CreditModel

/// Where a store is and how large.
package struct StoreInfo {
  package let version: Int64
  package let bytes: Int
  package let summary: LedgerSummary
  /// How many acknowledged records are missing at the journal's end, where some are.
  package var lost: Int?
  /// What there is of appends that did not end.
  package var tornTails: [TornTail] = []

  package init(version: Int64, bytes: Int, summary: LedgerSummary) {
    self.version = version
    self.bytes = bytes
    self.summary = summary
  }
}

extension LocalStore {
  /// - Throws: `no_store`, `store_locked`, `corrupt_store`, `io_error`.
  package func info() throws(CreditError) -> StoreInfo {
    try requireExists()
    var info: StoreInfo
    do throws(CreditError) {
      info = try StoreReader(self).info()
    } catch {
      guard let lost = error.lost else { throw error }
      info = try infoOfShortened()
      info.lost = lost
    }
    info.tornTails = try reporting { () throws(StoreFault) in try tornTails() } + info.tornTails
    return info
  }

  /// What can be said of a journal that is shorter than its index knows: by reading all of it.
  private func infoOfShortened() throws(CreditError) -> StoreInfo {
    let verified = try verify()
    var summary = LedgerSummary()
    summary.recordCount = verified.records
    summary.accountCount = verified.accounts
    return StoreInfo(
      version: verified.version.rawValue, bytes: verified.bytes, summary: summary)
  }
}

extension CreditError {
  /// How many records it says are missing; nil unless it says so.
  var lost: Int? {
    for case .lost(let count) in details { return count }
    return nil
  }
}

extension StoreReader {
  func info() throws(CreditError) -> StoreInfo {
    let end = try bookmark().position
    var info = StoreInfo(
      version: try version(before: end).rawValue, bytes: journal.length,
      summary: try summary(before: end))
    if let tail = try reading({ () throws(StoreFault) in try journal.tornTail() }) {
      info.tornTails = [tail]
    }
    return info
  }

  package func version(before end: RecordPosition) throws(CreditError) -> StoreVersion {
    try reading { () throws(StoreFault) in try journal.version() }
  }

  package func summary(before end: RecordPosition) throws(CreditError) -> LedgerSummary {
    var summary = LedgerSummary()
    // Claims are nobody's, who is no account.
    let nobodyCount = try newest(of: .account(.nobody)) == nil ? 0 : 1
    (summary.recordCount, summary.accountCount) = try locked { (finder) throws(StoreFault) in
      // Those that have come since are counted, too.
      let later = try journal.lineCount(from: Int(end.value), to: journal.length)
      return (max(0, recordCount - later), finder.pending.accountCount - nobodyCount)
    }
    let last = try records(of: nil, before: end, skipping: 0, limit: 1)
    summary.lastTime = last.first?.record.account.updatedAt
    summary.createdAt = try reading { () throws(StoreFault) in try journal.createdAt() }
    return summary
  }
}
