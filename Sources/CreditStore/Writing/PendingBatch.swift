internal import CreditJSON
internal import CreditModel

/// The batch being written: the text of its records, which the journal takes as a whole, and what
/// they change in the index.
final class PendingBatch {
  /// What the records change in the index.
  let changes: PendingIndex

  private let journal: JournalFile
  private let syncs: Bool
  private var text = JSONWriter(capacity: 1 << 16)

  /// How many bytes there are to be before more of them are written ahead.
  private var aheadEnd = PendingBatch.aheadMinimum

  /// How much of a batch is worth writing before the rest is made.
  private static let aheadMinimum = 1 << 18

  /// - Parameter syncs: whether batches are brought to stable storage.
  init(of journal: JournalFile, changing changes: PendingIndex, syncs: Bool) {
    self.journal = journal
    self.syncs = syncs
    self.changes = changes
  }

  /// How many bytes the records have.
  var byteCount: Int { text.count }

  /// Whether the batch is to end: what an append needs of memory, and its recovery of time, has a
  /// bound.
  var isFull: Bool { text.count >= Self.byteLimit }

  private static let byteLimit = 8 << 20

  /// Where the next record will stand.
  var end: RecordPosition { RecordPosition(Int64(journal.length + text.count)) }

  /// Adds a record's line.
  /// - Parameter previous: where the account's record before it stands.
  /// - Throws: `limit_exceeded`, and then nothing was added.
  func append(_ record: LedgerRecord, previous: RecordPosition?) throws(CreditError) {
    let start = text.count
    text.openRecord(record, previous: previous)
    text.endRecord()
    try checkLimits(from: start)
    writeAhead(to: start)
    changes.countRecord()
  }

  /// Adds a line that `write` writes up to where its checksum goes, and that is shorter than any
  /// limit.
  @inline(__always)
  func append(_ write: (inout JSONWriter) -> Void) {
    let start = text.count
    write(&text)
    text.endRecord()
    assert(text.count - start < JournalLine.limit)
    writeAhead(to: start)
    changes.countRecord()
  }

  /// - Parameter start: where in the batch the newest record starts.
  private func checkLimits(from start: Int) throws(CreditError) {
    let isTooLong = text.count - start >= JournalLine.limit
    if !isTooLong && text.count <= JournalTail.batchLimit { return }
    text.truncate(to: start)
    throw CreditError(
      .limitExceeded,
      isTooLong
        ? "the account's record would be longer than 1 MiB"
        : "the account has too many turns to record at once; repeat the request")
  }

  /// Has the journal begin to write a long batch. Its last line is held back, as it will say that
  /// the batch ends with it.
  /// - Parameter end: where in the batch the last line starts.
  private func writeAhead(to end: Int) {
    if end < aheadEnd { return }
    // The lines before are not waited for: those that come meanwhile go with these.
    guard !journal.isWritingAhead else {
      aheadEnd = end + Self.aheadMinimum / 8
      return
    }
    aheadEnd = end + Self.aheadMinimum
    let start = journal.aheadByteCount
    text.withBytes { bytes in
      journal.writeAhead(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), sync: syncs)
    }
  }

  /// Appends the records to the journal, as one batch. Their changes of the index remain to be
  /// made.
  func write() throws(StoreFault) {
    text.endBatch(sealingFrom: journal.aheadByteCount)
    try text.withBytes { (lines) throws(StoreFault) in try journal.append(lines, sync: syncs) }
    removeText()
  }

  /// Drops the records, and what has been written of them.
  func drop() {
    removeText()
    changes.removeAll()
    journal.dropAhead()
  }

  private func removeText() {
    text.removeAll()
    aheadEnd = Self.aheadMinimum
  }

  /// Gives `body` the line that starts at an offset of the journal, without its newline; nil where
  /// the batch has none. The bytes are valid until `body` returns.
  func withLine<Result>(at offset: Int, _ body: (UnsafeRawBufferPointer) -> Result?) -> Result? {
    text.withBytes { bytes in
      let start = offset - journal.length
      guard bytes.indices.contains(start) else { return nil }
      let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
      return rest.firstNewline().flatMap { body(UnsafeRawBufferPointer(rebasing: rest[..<$0])) }
    }
  }
}
