internal import CreditJSON
internal import CreditModel

/// The lines of the batch being written, and their changes of the index.
final class PendingLines {
  let changes: PendingIndex

  private let journal: JournalFile
  private let syncs: Bool

  // Exclusivity is unchecked: one thread at a time, and no callee reaches back.
  /// The newest lines. The last line of all stays among them, as it will end the batch.
  @exclusivity(unchecked) private var text = JSONWriter(capacity: 1 << 16)
  @exclusivity(unchecked) private var textByteCount = 0

  /// The lines before those, without the ones already written.
  @exclusivity(unchecked) private var pieces: [JournalPiece] = []

  @exclusivity(unchecked) private var pieceByteCount = 0

  /// Number of bytes before the pieces: the journal's file has those lines.
  @exclusivity(unchecked) private var writtenByteCount = 0

  /// The version that the records need.
  @exclusivity(unchecked) private var version = StoreVersion.first

  @exclusivity(unchecked) private var givenCount = 0

  /// Pieces whose lines are no longer needed.
  private var sparePieces: [JournalPiece] = []

  /// - Parameter syncs: true if batches are synced.
  init(of journal: JournalFile, changing changes: PendingIndex, syncs: Bool) {
    self.journal = journal
    self.syncs = syncs
    self.changes = changes
  }

  /// Length of the records in bytes.
  var byteCount: Int { pieceByteCount + textByteCount }

  /// Whether the batch has to end: this limits an append's memory and its recovery's time.
  var isFull: Bool { byteCount >= Self.byteLimit }

  private static let byteLimit = 8 << 20

  var end: RecordPosition { RecordPosition(Int64(journal.length + byteCount)) }

  /// Adds a record's line.
  /// - Parameter previous: position of the account's previous record.
  /// - Throws: `limit_exceeded`; nothing is added then.
  func append(_ record: LedgerRecord, previous: RecordPosition?) throws(CreditError) {
    let start = textByteCount
    text.openRecord(record, previous: previous)
    textByteCount = text.endRecord()
    try checkLimits(from: start)
    if start >= JournalPiece.byteCount { startPiece(endingAt: start) }
    if version < .newest { version = max(version, record.version) }
    changes.countRecord()
  }

  /// - Parameter start: the newest record's start in the text.
  private func checkLimits(from start: Int) throws(CreditError) {
    let isTooLong = textByteCount - start >= JournalLine.limit
    if !isTooLong && byteCount <= JournalTail.batchLimit { return }
    text.truncate(to: start)
    textByteCount = start
    if isTooLong { throw JournalLine.tooLong }
    throw CreditError(
      .limitExceeded, "too many resets of the quota to record at once; repeat the request")
  }

  /// Makes a piece of the lines before the newest record, and gives it to the journal. Pieces that
  /// come while others are being written go with the next ones.
  /// - Parameter end: the newest record's start in the text.
  @inline(never)
  private func startPiece(endingAt end: Int) {
    let isFree = !journal.isWritingAhead
    if isFree { recycleWritten() }
    let piece = sparePieces.popLast() ?? JournalPiece()
    swap(&piece.text, &text)
    piece.text.withBytes { text.append(lines: Bytes(rebasing: $0[end...])) }
    piece.text.truncate(to: end)
    piece.start = pieceByteCount
    pieceByteCount += end
    textByteCount -= end
    pieces.append(piece)
    if isFree { givePieces() }
  }

  /// Reuses written pieces for the following lines: a few pieces fit into the processor's cache.
  private func recycleWritten() {
    if journal.hasFailedAhead { return }
    let written = pieces[..<givenCount]
    for piece in written { writtenByteCount += piece.text.count }
    spare(written)
    pieces.removeFirst(givenCount)
    givenCount = 0
  }

  private func spare(_ pieces: ArraySlice<JournalPiece>) {
    for piece in pieces { piece.text.removeAll() }
    sparePieces += pieces
  }

  private func givePieces() {
    journal.writeAhead(Array(pieces[givenCount...]), sync: syncs)
    givenCount = pieces.count
  }

  /// Appends the records to the journal as one batch. The index is not changed yet.
  func write() throws(StoreFault) {
    if givenCount < pieces.count { givePieces() }
    try journal.raise(to: version, sync: syncs)
    text.endBatch(sealingFrom: 0)
    try text.withBytes { (lines) throws(StoreFault) in try journal.append(lines, sync: syncs) }
    removeText()
  }

  /// Drops the records, and the bytes of them that have been written.
  func drop() {
    journal.dropAhead()
    removeText()
    changes.removeAll()
  }

  private func removeText() {
    text.removeAll()
    spare(pieces[...])
    pieces.removeAll(keepingCapacity: true)
    (textByteCount, pieceByteCount, writtenByteCount, givenCount) = (0, 0, 0, 0)
    version = .first
  }

  /// Calls `body` with the line that starts at an offset of the journal, without its newline.
  /// Returns nil if the batch has none. The bytes are valid until `body` returns.
  /// - Throws: ``StoreFault/damaged(_:)``, ``StoreFault/system(_:)``.
  func withLine<Result>(at offset: Int, _ body: (Bytes) -> Result?) throws(StoreFault) -> Result? {
    let start = offset - journal.length
    if start >= pieceByteCount { return text.withLine(at: start - pieceByteCount, body) }
    if 0..<writtenByteCount ~= start {
      return try journal.withLine(at: offset, ofFirstAhead: writtenByteCount, body)
    }
    // The other thread may be filling in its checksum.
    journal.finishAhead()
    guard let piece = pieces.last(where: { $0.start <= start }) else { return nil }
    return piece.text.withLine(at: start - piece.start, body)
  }
}

extension JSONWriter {
  /// Calls `body` with the line that starts at a place, without its newline; nil if none does.
  fileprivate func withLine<Result>(at start: Int, _ body: (Bytes) -> Result?) -> Result? {
    withBytes { bytes in
      guard bytes.indices.contains(start) else { return nil }
      let rest = Bytes(rebasing: bytes[start...])
      return rest.firstNewline().flatMap { body(Bytes(rebasing: rest[..<$0])) }
    }
  }
}
