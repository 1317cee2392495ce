internal import CreditJSON
public import CreditModel
public import CreditSystem

/// A journal being made: checks, places and seals records one after another.
final class ImportedJournal {
  /// How much is gathered before it is written.
  private static let pieceByteCount = 1 << 20

  let books: VerifierBooks
  private let text: ImportedText
  /// The creation time in the first line.
  var createdAt: Timestamp
  /// The version that the records need.
  private var version = StoreVersion.first

  /// Makes the file, or reuses one that an interrupted import has left.
  /// - Throws: ``StoreFault/locked(by:)`` if another import uses it.
  init(
    _ name: String, in directory: StoreDirectory, createdAt: Timestamp, keepsAll: Bool = true
  ) throws(StoreFault) {
    let file = try directory.open(name, .updateOrCreate)
    let number = file.number
    let isOurs = try file.naming { () throws(SystemError) in
      try directory.system.lock(number, .exclusive, waitMilliseconds: 0)
    }
    guard isOurs else { throw .locked(by: directory.system.lockHolder(of: file.opened.identity)) }
    try file.setLength(0)
    let text = try ImportedText(file, readFrom: directory.open(name, .read))
    self.text = text
    let seed = (directory.system.randomWord(), directory.system.randomWord())
    books = VerifierBooks(
      hasher: KeyHasher(seed: seed), expectedCount: 0, keepsAll: keepsAll
    ) { (offset) throws(StoreFault) in try text.recordWithEnd(at: offset)?.stored.record }
    self.createdAt = createdAt
    text.append(JournalHeader(version: .first, createdAt: createdAt).line)
  }

  /// Makes a file without a name, which vanishes with the process.
  convenience init(
    namelessIn directory: StoreDirectory, createdAt: Timestamp, keepsAll: Bool = true
  ) throws(StoreFault) {
    let name = directory.freeName
    try self.init(name, in: directory, createdAt: createdAt, keepsAll: keepsAll)
    try directory.removeFile(name)
  }

  /// Returns the records from a place on, and moves the place behind them.
  func records(from offset: inout Int, limit: Int) throws(StoreFault) -> [StoredRecord] {
    if offset == 0 { offset = JournalHeader.byteCount }
    var records: [StoredRecord] = []
    while records.count < limit, let found = try text.recordWithEnd(at: offset) {
      records.append(found.stored)
      offset = found.end
    }
    return records
  }

  /// Checks a record and gives it its place.
  /// - Parameters:
  ///   - isRenumbered: whether it may now follow another record of its account than before.
  ///   - charge: the charge that the record is about, if it was not kept.
  /// - Returns: the fault found, if any.
  func append(
    _ record: LedgerRecord, isRenumbered: Bool = false, of charge: LedgerRecord? = nil
  ) throws(StoreFault) -> RecordFault? {
    let hashes = books.hashes(of: record.event, account: record.account.name)
    let context = books.context(hashes)
    let earlier = try books.earlier(context) ?? charge
    var placed = record
    placed.original = record.original(
      after: earlier, at: context.earlier.map { RecordPosition(Int64($0)) } ?? record.original)
    if isRenumbered, record.account.name != .nobody {
      placed.renumber(after: books.footing(of: record.account.name))
    }
    if let fault = try books.append(placed, context, earlier, at: text.count) { return fault }
    let previous = context.previous.map { RecordPosition(Int64($0)) }
    guard text.append(placed, previous: previous) else {
      return RecordFault("is longer than 1 MiB")
    }
    version = max(version, record.version)
    try text.flush(atLeast: Self.pieceByteCount)
    return nil
  }

  func finish() throws(StoreFault) {
    try text.finish(with: JournalHeader(version: version, createdAt: createdAt).line)
  }
}

/// The text of a journal being made: the part in its file, and the rest.
private final class ImportedText {
  private let file: FileDescriptor
  private let source: RecordSource
  private var flushed = 0
  private var pending = JSONWriter(capacity: 1 << 20)
  private var reader = RecordReader()

  init(_ file: consuming FileDescriptor, readFrom reading: consuming FileDescriptor) {
    self.file = file
    source = RecordSource(reading)
  }

  /// Length of the journal.
  var count: Int { flushed + pending.count }

  func append(_ line: borrowing JSONWriter) {
    line.withBytes { pending.raw(Bytes(rebasing: $0.dropLast())) }
    pending.endLine()
  }

  /// - Returns: false if the line is too long.
  func append(_ record: LedgerRecord, previous: RecordPosition?) -> Bool {
    let start = pending.count
    pending.openRecord(record, previous: previous)
    pending.seal(from: start)
    return pending.count - start < JournalLine.limit
  }

  func recordWithEnd(at offset: Int) throws(StoreFault) -> (stored: StoredRecord, end: Int)? {
    if offset < flushed { return try source.recordWithEnd(at: offset, limit: flushed) }
    return pending.withBytes { bytes in
      guard offset - flushed < bytes.count else { return nil }
      let rest = Bytes(rebasing: bytes[(offset - flushed)...])
      guard let end = rest.firstNewline() else { return nil }
      let line = Bytes(rebasing: rest[..<end])
      let stored = reader.read(line, at: RecordPosition(Int64(offset)))
      return stored.map { ($0, offset + end + 1) }
    }
  }

  func flush(atLeast byteCount: Int) throws(StoreFault) {
    if pending.count < byteCount { return }
    try pending.withBytes { (bytes) throws(StoreFault) in try file.write(bytes, at: flushed) }
    flushed += pending.count
    pending.removeAll()
  }

  func finish(with line: borrowing JSONWriter) throws(StoreFault) {
    try flush(atLeast: 0)
    try line.withBytes { (bytes) throws(StoreFault) in try file.write(bytes, at: 0) }
    try file.sync()
  }
}

/// Checks the records of other books by repeating them in their order, as an import does. Its
/// memory is a file that vanishes with it.
public final class RecordCheck {
  private let journal: ImportedJournal
  /// Accounts with a faulty record: later records that depend on it cannot be checked.
  private var faulty: Set<Name> = []

  /// - Parameter keepsAll: whether the ids and keys of charges are kept, to find another use.
  /// - Throws: `io_error`, `permission_denied`.
  public init(
    _ options: StoreOptions, _ system: any SystemCalls, keepsAll: Bool
  ) throws(CreditError) {
    journal = try reporting { () throws(StoreFault) in
      try ImportedJournal(
        namelessIn: StoreDirectory(path: options.temporaryFolder, system: system),
        createdAt: Timestamp(milliseconds: 0), keepsAll: keepsAll)
    }
  }

  public var recordCount: Int { journal.books.recordCount }
  public var accountCount: Int { journal.books.accountCount }
  /// The sum of all balances.
  public var credits: Int128 { journal.books.credits }
  /// The groups of records that are not whole, once all records have come, each as a sentence.
  public var unfinished: [String] {
    journal.books.groups.unfinished.map { "the store ends \($0.end)" }
  }

  /// Returns accounts with broken chains as sentences, once all records have come.
  public func brokenChains() throws(CreditError) -> [String] {
    try reporting { () throws(StoreFault) in try journal.books.brokenChains().map(\.sentence) }
  }

  /// Checks the next record.
  /// - Parameter charge: the charge that it is about, if that was not kept.
  /// - Returns: the fault as a sentence, if any.
  public func finding(in record: LedgerRecord, of charge: LedgerRecord?) throws(CreditError)
    -> String?
  {
    if faulty.contains(record.account.name) { return nil }
    let fault = try reporting { () throws(StoreFault) in try journal.append(record, of: charge) }
    guard let fault else { return nil }
    faulty.insert(record.account.name)
    return "\(record.title) \(fault.reason)"
  }
}
