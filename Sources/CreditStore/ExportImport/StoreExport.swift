package import CreditJSON
package import CreditModel
internal import CreditSystem

/// The form of an export, one JSON object a line: what it is, the policy, and each record in the
/// order of the journal, without what depends on where it stands in that file.
enum ExportForm {
  static let version: Int64 = 2

  /// The first line.
  struct Header {
    let createdAt: Timestamp
    /// How many records follow, so that an export that was cut off is not taken for a whole one.
    let records: Int
  }
}

extension JSONWriter {
  mutating func exportHeader(_ header: ExportForm.Header) {
    beginObject()
    member("export", "credit")
    member("version", ExportForm.version)
    member("createdAt", header.createdAt)
    member("records", Int64(header.records))
    endObject()
    endLine()
  }
}

/// A store as it is at one moment, as text. Files that its policy names are no part of it.
package final class StoreExport {
  /// About how much text is written at once.
  private static let pieceByteCount = 1 << 18
  /// How many records are asked for at once.
  private static let pageCount = 256

  private let store: LocalStore
  private let books: any LedgerReading
  private let policy: [UInt8]
  private let end: RecordPosition
  /// Where the next records stand; nil before the first line was written.
  private var next: Bookmark?

  /// The lock is held only to find out how long the journal is.
  /// - Throws: `no_store`, `store_locked`, `invalid_policy`, `io_error`, `corrupt_store`.
  package init(_ store: LocalStore) throws(CreditError) {
    try store.requireExists()
    self.store = store
    policy = try store.policyText()
    books = try StoreReader(store)
    end = try books.bookmark().position
  }

  /// Writes the next whole lines.
  /// - Returns: whether there may be more.
  /// - Throws: `corrupt_store` at the first damage, when all that stands before it has been
  ///   written; `io_error`.
  package func write(into output: inout JSONWriter) throws(CreditError) -> Bool {
    var next: Bookmark
    if let known = self.next {
      next = known
    } else {
      try writeHead(into: &output)
      next = .start
    }
    defer { self.next = next }
    let endCount = output.count + Self.pieceByteCount
    while output.count < endCount {
      let page = try books.records(after: next, before: end, limit: Self.pageCount)
      if page.records.isEmpty { return false }
      for stored in page.records { output.exported(stored.record) }
      next = page.next
    }
    return true
  }

  private func writeHead(into output: inout JSONWriter) throws(CreditError) {
    let summary = try books.summary(before: end)
    guard let createdAt = summary.createdAt else { throw store.noStore }
    output.exportHeader(ExportForm.Header(createdAt: createdAt, records: summary.recordCount))
    output.beginObject()
    output.key("policy")
    let document = try? JSONDocument(policy)
    document?.withRoot { JSONCompact.write($0, into: &output) }
    output.endObject()
    output.endLine()
  }
}
