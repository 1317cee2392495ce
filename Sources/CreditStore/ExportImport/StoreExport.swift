package import CreditJSON
package import CreditModel
internal import CreditSystem

/// The form of an export, one JSON object a line: what it is, the policy, and each record in the order
/// of the journal, without what depends on where it stands in that file.
enum ExportForm {
  static let version: Int64 = 1

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

  private let journal: JournalFile
  private let policy: [UInt8]
  private var lines = RecordLines()
  /// Where the next record's line starts.
  private var offset = 0

  /// The lock is held only to find out how long the journal is.
  /// - Throws: `no_store`, `store_locked`, `invalid_policy`, `io_error`, `corrupt_store`.
  package init(_ store: LocalStore) throws(CreditError) {
    guard try store.exists() else { throw .noStoreYet }
    policy = try store.policyText()
    journal = try reporting { () throws(StoreFault) in
      let lock = try StoreLock(in: store.directory, .read)
      return try lock.withLock(.shared, waitMilliseconds: store.options.waitMilliseconds) {
        () throws(StoreFault) in
        try lock.checkMark()
        let journal = try JournalFile(in: store.directory, .read)
        try journal.refreshWhole()
        return journal
      }
    }
  }

  /// Writes the next whole lines.
  /// - Returns: whether there may be more.
  /// - Throws: `corrupt_store` at the first damage, when all that stands before it has been written;
  ///   `io_error`.
  package func write(into output: inout JSONWriter) throws(CreditError) -> Bool {
    if offset == 0 { try writeHead(into: &output) }
    let end = output.count + Self.pieceByteCount
    while output.count < end {
      if offset >= journal.length { return false }
      try writeRecord(into: &output)
    }
    return true
  }

  private func writeHead(into output: inout JSONWriter) throws(CreditError) {
    let createdAt = try withLine { line in JournalHeader.createdAt(line) }
    guard let createdAt else {
      throw CreditError(journal.damage(at: 0, "is no header of this version"))
    }
    let count = try reporting { () throws(StoreFault) in try journal.lineCount() }
    output.exportHeader(ExportForm.Header(createdAt: createdAt, records: count - 1))
    output.beginObject()
    output.key("policy")
    let document = try? JSONDocument(policy)
    document?.withRoot { JSONCompact.write($0, into: &output) }
    output.endObject()
    output.endLine()
  }

  private func writeRecord(into output: inout JSONWriter) throws(CreditError) {
    let start = offset
    let record = try withLine { line in try? lines.sealed(line).record }
    guard let record else {
      throw CreditError(journal.damage(at: start, "is not a record of this version"))
    }
    output.exported(record)
  }

  /// Reads the next line, and goes on to the one after it.
  private func withLine<Value>(_ body: (UnsafeRawBufferPointer) -> Value?) throws(CreditError)
    -> Value?
  {
    let start = offset
    let value = try reporting { () throws(StoreFault) -> Value?? in
      try journal.withLine(at: start) { (line) throws(StoreFault) in
        offset += line.count + 1
        return body(line)
      }
    }
    guard let value else { throw CreditError(journal.damage(at: start, "is no whole line")) }
    return value
  }
}

extension JournalFile {
  /// How many lines there are up to ``length``.
  fileprivate func lineCount() throws(StoreFault) -> Int {
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 8)
    defer { block.deallocate() }
    var count = 0
    var offset = 0
    while offset < length {
      let wanted = UnsafeMutableRawBufferPointer(
        rebasing: block[..<min(block.count, length - offset)])
      let filled = try read(into: wanted, at: offset)
      if filled == 0 { break }
      offset += filled
      var rest = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(wanted)[..<filled])
      while let end = rest.firstNewline() {
        count += 1
        rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
      }
    }
    return count
  }
}
