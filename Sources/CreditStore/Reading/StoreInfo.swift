package import CreditModel

/// Where a store is and how large.
package struct StoreInfo {
  package let version: Int64
  package let records: Int
  package let accounts: Int
  package let bytes: Int
  /// The time of the newest record; nil where there is none.
  package let lastTime: Timestamp?
}

extension StoreReader {
  /// What the store is now.
  /// - Throws: `corrupt_store`, `io_error`.
  package func info() throws(CreditError) -> StoreInfo {
    let accounts = try newestPositions().count
    var lines = 0
    var last = 0
    try reporting { () throws(StoreFault) in
      try journal.forEachLine(from: 0, to: journal.length) { offset, _ in
        lines += 1
        last = offset
      }
    }
    let newest = lines > 1 ? try record(at: RecordPosition(Int64(last))) : nil
    return StoreInfo(
      version: JournalHeader.version, records: max(0, lines - 1), accounts: accounts,
      bytes: journal.length, lastTime: newest?.record.account.updatedAt)
  }
}
