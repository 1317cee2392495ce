internal import CreditJSON
internal import CreditModel

/// Reads records from their lines: fast where they are as they are nearly always, and otherwise by
/// way of a general reader, whose values have to come out as the same text again.
struct RecordLines: ~Copyable {
  private var reader = RecordReader()
  private var scanner = JSONScanner()
  private var writer = JSONWriter()

  /// Reads a line of a journal, without its newline, whose checksum is right.
  mutating func sealed(_ line: UnsafeRawBufferPointer) throws(ReplayFault) -> JournalRecord {
    if let record = reader.read(line) { return record }
    let record = try general(line)
    try compare(with: line) { writer, saysTaken in
      writer.openRecord(record.record, previous: record.previous, saysTaken: saysTaken)
      writer.seal(from: 0, isContinued: JournalLine.isContinued(line))
    }
    return record
  }

  /// Reads a line of an export, without its newline.
  mutating func exported(_ line: UnsafeRawBufferPointer) throws(ReplayFault) -> LedgerRecord {
    // What a journal has after the account's state stands in no export.
    let isBare = line.count > 2 && line[line.count - 2] == UInt8(ascii: "}")
    if isBare, let record = reader.read(line) { return record.record }
    let record = try general(line).record
    try compare(with: line) { writer, saysTaken in
      writer.exported(record, saysTaken: saysTaken)
    }
    return record
  }

  private mutating func general(_ line: UnsafeRawBufferPointer) throws(ReplayFault)
    -> JournalRecord
  {
    switch scanner.scan(line, isFinal: true) {
    case .complete(line.count): break
    case .failure(let error): throw ReplayFault("is not JSON: \(error.reason.message)")
    default: throw ReplayFault("is not one JSON value")
    }
    let value = scanner.value(in: line)
    guard let record = RecordDecoder.decode(value) else {
      throw ReplayFault("is not a record of this version")
    }
    if let problem = record.record.nameProblem { throw ReplayFault(problem) }
    return record
  }

  /// Has a record written, in the one form and then in the other, to come out as its line.
  private mutating func compare(
    with line: UnsafeRawBufferPointer, _ write: (inout JSONWriter, _ saysTaken: Bool) -> Void
  ) throws(ReplayFault) {
    for saysTaken in [false, true] {
      writer.removeAll()
      write(&writer, saysTaken)
      if writer.withBytes({ bytes in bytes.dropLast().elementsEqual(line) }) { return }
    }
    throw ReplayFault("is not in the form that records of this version have")
  }
}

extension JSONWriter {
  /// Writes a record as a line of an export: without what depends on where it stands.
  mutating func exported(_ record: LedgerRecord, saysTaken: Bool = false) {
    var record = record
    record.original = nil
    openRecord(record, previous: nil, saysTaken: saysTaken)
    endObject()
    endLine()
  }
}

/// Reads records back from the places where they stand in a file.
final class RecordSource {
  private let file: FileDescriptor
  private let window = ReadWindow()
  private var lines = RecordLines()

  init(_ file: consuming FileDescriptor) {
    self.file = file
  }

  /// The record of the line at an offset before `limit`; nil where there is none.
  func record(at offset: Int, limit: Int) throws(StoreFault) -> LedgerRecord? {
    guard let line = try window.line(at: offset, of: file, limit: limit) else { return nil }
    return try? lines.sealed(line).record
  }
}

extension LedgerRecord {
  /// What is wrong with a name in the record. Those that the fast reader reads are known to be right.
  fileprivate var nameProblem: String? {
    if let problem = Name.problem(with: account.name.text, limit: Name.accountLimit) {
      return "has an account that \(problem)"
    }
    for name in event.names {
      if let problem = Name.problem(with: name.text, limit: Name.idLimit) {
        return "has an id or key that \(problem)"
      }
    }
    return nil
  }
}

extension LedgerEvent {
  /// The event's id and key.
  fileprivate var names: [Name] {
    switch self {
    case .registration, .settings, .expiry, .refill: []
    case .authorization(let authorization), .void(let authorization): [authorization.id]
    case .charge(let charge), .chargeRefund(let charge, _):
      [charge.receipt.authorization.id, charge.key].compactMap { $0 }
    case .topUp(let topUp), .topUpRefund(let topUp, _), .topUpNews(let topUp, _):
      [topUp.transaction.id, topUp.transaction.key].compactMap { $0 }
    }
  }
}
