package import CreditModel

// A record as a database keeps it: the journal's text, which needs no checksum there.

extension JSONWriter {
  /// Writes a record.
  /// - Parameter previous: the position of the account's record before this one.
  package mutating func storedRecord(_ record: LedgerRecord, previous: RecordPosition?) {
    openRecord(record, previous: previous)
    endObject()
  }
}

extension RecordReader {
  /// Reads what ``JSONWriter/storedRecord(_:previous:)`` writes.
  /// - Returns: nil where it is no record of this version.
  package mutating func readStored(_ text: UnsafeRawBufferPointer, at position: RecordPosition)
    -> StoredRecord?
  {
    var cursor = RecordCursor(text)
    guard let record = record(&cursor) else { return nil }
    let previous = cursor.skip(",\"previous\":") ? RecordPosition(cursor.integer()) : nil
    cursor.expect("}")
    return cursor.isAtEnd ? StoredRecord(record, at: position, previous: previous) : nil
  }
}
