internal import CreditJSON
internal import CreditModel

extension ReplayFault {
  /// A line that another version of the tools has made, or a person.
  static var unreadable: ReplayFault { ReplayFault("is not a record of this version") }
}

extension RecordReader {
  /// Reads a line of a journal, without its newline, whose checksum is right.
  mutating func sealed(_ line: UnsafeRawBufferPointer, at offset: Int) throws(ReplayFault)
    -> StoredRecord
  {
    guard let stored = read(line, at: RecordPosition(Int64(offset))) else { throw .unreadable }
    return stored
  }

  /// Reads a line of an export, without its newline.
  mutating func exported(_ line: UnsafeRawBufferPointer) throws(ReplayFault) -> LedgerRecord {
    guard let record = readAlone(line) else { throw .unreadable }
    return record
  }
}

extension JSONWriter {
  /// Writes a record as a line of an export: without what depends on its place.
  mutating func exported(_ record: LedgerRecord) {
    var record = record
    record.original = nil
    openRecord(record, previous: nil)
    endObject()
    endLine()
  }
}

/// Reads records back from their places in a file.
final class RecordSource {
  private let file: FileDescriptor
  private let window = ReadWindow()
  private var reader = RecordReader()

  init(_ file: consuming FileDescriptor) {
    self.file = file
  }

  /// The record of the line at an offset before `limit`; nil where there is none.
  func record(at offset: Int, limit: Int) throws(StoreFault) -> LedgerRecord? {
    try recordWithEnd(at: offset, limit: limit)?.record
  }

  /// The same, and where its line ends.
  func recordWithEnd(at offset: Int, limit: Int) throws(StoreFault)
    -> (record: LedgerRecord, end: Int)?
  {
    guard let line = try window.line(at: offset, of: file, limit: limit) else { return nil }
    let end = offset + line.count + 1
    return (try? reader.sealed(line, at: offset).record).map { ($0, end) }
  }
}
