internal import CreditJSON

extension JSONWriter {
  /// Ends the line that starts at `start` and whose object is still open: adds its checksum.
  /// - Parameter isContinued: whether others of the same batch follow.
  mutating func seal(from start: Int, isContinued: Bool = false) {
    endRecord()
    if isContinued {
      withMutableBytes(from: start) { JournalLine.seal($0) }
    } else {
      endBatch(sealingFrom: start)
    }
  }

  /// Ends a line whose object is still open and that others of the same batch may follow. The place
  /// of its checksum stays empty until ``JournalLine/seal(_:)``.
  /// - Returns: the bytes written so far.
  @discardableResult
  mutating func endRecord() -> Int {
    endLine(with: JournalLine.emptySeal)
  }

  /// Makes the line that was written last the end of its batch, and seals all lines from an offset
  /// on.
  mutating func endBatch(sealingFrom start: Int) {
    overwrite(JournalLine.lastName, at: count - JournalLine.sealByteCount + 2)
    withMutableBytes(from: start) { JournalLine.seal($0) }
  }
}
