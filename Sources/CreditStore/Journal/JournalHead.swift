public import CreditBytes
internal import CreditJSON
internal import CreditModel
internal import CreditSystem

extension JournalFile {
  /// Length of the first line in bytes, with its newline; 0 if it is missing.
  /// - Throws: ``StoreFault/damaged(_:)`` if it is not a header.
  func headerByteCount() throws(StoreFault) -> Int {
    if length == 0 { return 0 }
    try requireHeader()
    return JournalHeader.byteCount
  }

  /// The time when the journal was begun; nil if it has no first line yet.
  /// - Throws: ``StoreFault/damaged(_:)`` if that is not a header.
  func createdAt() throws(StoreFault) -> Timestamp? {
    length == 0 ? nil : try requireHeader().createdAt
  }

  /// The version that the journal is written in.
  /// - Throws: ``StoreFault/damaged(_:)`` if its first line is not a header.
  func version() throws(StoreFault) -> StoreVersion {
    length == 0 ? .first : try requireHeader().version
  }

  @discardableResult
  private func requireHeader() throws(StoreFault) -> JournalHeader {
    guard let header else { throw damage(at: 0, "is not a store's header") }
    return header
  }

  /// Reads the first line, unless it is known. Requires the lock.
  /// - Throws: ``StoreFault/version(_:)`` if this tool does not know the version;
  ///   ``StoreFault/system(_:)``. A line that is not a header is reported once a header is
  ///   required.
  func readHeader() throws(StoreFault) {
    if header != nil { return }
    let (known, other) = try withTemporaryBytes(byteCount: 256, alignment: 8) {
      (buffer) throws(StoreFault) -> (JournalHeader?, Int64?) in
      let count = try file.read(into: buffer, at: 0)
      let bytes = Bytes(rebasing: buffer[..<count])
      if let header = JournalHeader(bytes) { return (header, nil) }
      guard let line = bytes.firstLine(), JournalLine.isSound(line) else { return (nil, nil) }
      return (nil, JournalHeader.anyVersion(of: line))
    }
    header = known
    if let other, StoreVersion(rawValue: other) == nil { throw .version(other) }
  }

  /// Writes the first line of a journal without one: a new journal, or one whose creation was
  /// interrupted. Requires the exclusive lock.
  func writeHeader(at time: Timestamp, in directory: StoreDirectory) throws(StoreFault) {
    try directory.sync()
    let header = JournalHeader(version: .first, createdAt: time)
    try header.line.withBytes { (bytes) throws(StoreFault) in try append(bytes, sync: true) }
    self.header = header
  }

  /// Returns the first line as it is, or as it was some versions ago; nil if it was never so.
  func header(revision: Int) throws(StoreFault) -> JournalHeader? {
    if length == 0 { return nil }
    let known = try requireHeader()
    let versions = StoreVersion.allCases.filter { $0 <= known.version }
    guard revision < versions.count else { return nil }
    let version = versions[versions.count - 1 - revision]
    return JournalHeader(version: version, createdAt: known.createdAt)
  }

  /// Raises the journal to a version, if it is written in an earlier one.
  ///
  /// Requires the exclusive lock; called before the first record that needs the version is
  /// appended. The first line is overwritten in place. A disk writes its sector as one, so that
  /// after a power cut it has one version or the other, and either is right for the existing
  /// records. Another process may have overwritten it and been killed as its sync failed. The
  /// system then takes the line for synced. So each process writes it once, with its first batch
  /// that needs it.
  /// - Throws: ``StoreFault/appendFailed(_:undone:)``, ``StoreFault/syncFailed(_:)``,
  ///   ``StoreFault/damaged(_:)``.
  func raise(to version: StoreVersion, sync: Bool) throws(StoreFault) {
    if version == .first || hasWrittenHeader && version <= header?.version ?? .first { return }
    // Another process may have done it.
    header = nil
    try readHeader()
    let known = try requireHeader()
    let raised = JournalHeader(version: max(version, known.version), createdAt: known.createdAt)
    try writeOver(raised.line)
    if sync && raised != known { try self.sync() }
    header = raised
    hasWrittenHeader = true
  }

  /// Checks that a file without a whole line is the beginning of a journal.
  ///
  /// Its block may also be lost. Any other text belongs to somebody else, and must not be cut off.
  /// - Throws: ``StoreFault/damaged(_:)``.
  func checkBeginning() throws(StoreFault) {
    let expected = Bytes(
      start: JournalHeader.beginning.utf8Start, count: JournalHeader.beginning.utf8CodeUnitCount)
    try withTemporaryBytes(byteCount: expected.count, alignment: 8) {
      (buffer) throws(StoreFault) in
      let count = try file.read(into: buffer, at: 0)
      guard zip(buffer[..<count], expected).allSatisfy({ $0 == $1 || $0 == 0 }) else {
        throw damage(at: 0, "is not a store's header")
      }
    }
  }

  func lineCount(from start: Int, to end: Int) throws(StoreFault) -> Int {
    var count = 0
    try eachBlock(from: start, to: end) { block in
      var rest = block
      while let end = rest.firstNewline() {
        count += 1
        rest = Bytes(rebasing: rest[(end + 1)...])
      }
    }
    return count
  }

  /// Returns the damage of the line at an offset, with its number. If a later tool has raised the
  /// journal's version meanwhile, its lines are no damage: returns the fault of that.
  func damage(at offset: Int, _ reason: String = "has a wrong checksum") -> StoreFault {
    do throws(StoreFault) {
      header = nil
      try readHeader()
      let line = try lineCount(from: 0, to: offset) + 1
      return .damaged(JournalDamage(line: line, offset: offset, reason: reason))
    } catch {
      return error
    }
  }

  func noLine(at offset: Int) -> StoreFault { damage(at: offset, "is not the start of a line") }

  /// Counts the sound lines. They end here at the first other line.
  func soundLines(from start: Int, to end: Int) throws(StoreFault) -> (count: Int, end: Int) {
    var (count, soundEnd) = (0, start)
    try scan(from: start, to: end) { offset, line, isSound in
      if !isSound { return }
      count += 1
      if offset == soundEnd { soundEnd += line.count + 1 }
    }
    return (count, soundEnd)
  }

  /// Returns the journal's torn tail as of the last refresh, or nil.
  func tornTail() throws(StoreFault) -> TornTail? {
    if tornByteCount == 0 { return nil }
    return TornTail(
      file: nil, records: try soundLines(from: length, to: length + tornByteCount).count,
      bytes: tornByteCount)
  }

  /// How many bytes are read at once for lines that are near one another.
  private static let partByteCount = 1 << 16
  /// How many bytes are read for the last line of a part: most lines are shorter.
  private static let lastLineByteCount = 1024

  /// Calls `body` with the lines at positions, in the order of the journal's parts.
  ///
  /// Several threads may call this at once. The bytes, without their newline, are valid until
  /// `body` returns. If a line is nil, it is damaged or was not read with the others: read it
  /// alone.
  /// - Throws: ``StoreFault/system(_:)``, errors of `body`.
  func forEachLine(
    at sorted: Slice<Cells<RecordPosition>>,
    _ body: (RecordPosition, Bytes?) throws(StoreFault) -> Void
  ) throws(StoreFault) {
    let buffer = MutableBytes.allocate(
      byteCount: Self.partByteCount + Self.lastLineByteCount, alignment: 8)
    defer { buffer.deallocate() }
    var first = sorted.startIndex
    while first < sorted.endIndex {
      let part = sorted[first].value / Int64(Self.partByteCount)
      var end = first
      var range = (low: Int64.max, high: Int64.min)
      while end < sorted.endIndex, sorted[end].value / Int64(Self.partByteCount) == part {
        range = (min(range.low, sorted[end].value), max(range.high, sorted[end].value))
        end += 1
      }
      // The byte before shows whether a line starts there.
      let start = max(0, Int(range.low) - 1)
      let wanted = min(Int(range.high) - start + Self.lastLineByteCount, length - start)
      let count = try file.read(into: MutableBytes(rebasing: buffer[..<max(0, wanted)]), at: start)
      let bytes = Bytes(rebasing: buffer[..<count])
      for position in sorted[first..<end] {
        let line = bytes.line(behindNewlineAt: Int(position.value) - start - 1)
        try body(position, line.flatMap { JournalLine.isSound($0) ? $0 : nil })
      }
      first = end
    }
  }

  func byParts(_ positions: LargeTable<RecordPosition>) -> LargeTable<RecordPosition> {
    let sorted = LargeTable<RecordPosition>(count: positions.elements.count)
    let partCount = length / Self.partByteCount + 1
    PartOrder.forEach(of: positions.elements.count, partCount: partCount) { number in
      max(0, min(Int(positions.elements[number].value), length)) / Self.partByteCount
    } _: { number, place in
      sorted.elements[place] = positions.elements[number]
    }
    return sorted
  }

  /// Calls `body` with the lines of a range in order.
  ///
  /// Each comes with its offset, without its newline. The bytes are valid until `body` returns.
  /// Other lines may be read meanwhile.
  /// - Parameters:
  ///   - start: the start of a line.
  ///   - end: the end of a line, at most ``length``.
  /// - Throws: ``StoreFault/damaged(_:)`` at the first line that is not sound,
  ///   ``StoreFault/system(_:)``, errors of `body`.
  public func forEachLine(
    from start: Int, to end: Int,
    _ body: (Int, Bytes) throws(StoreFault) -> Void
  ) throws(StoreFault) {
    try scan(from: start, to: end) { (offset, line, isSound) throws(StoreFault) in
      guard isSound else { throw damage(at: offset) }
      try body(offset, line)
    }
  }

  /// Like ``forEachLine(from:to:_:)``, but continues after lines that are not sound. `body` gets
  /// whether each is sound. A line over 1 MiB comes in several pieces, none of them sound.
  public func scan(
    from start: Int, to end: Int,
    _ body: (Int, Bytes, Bool) throws(StoreFault) -> Void
  ) throws(StoreFault) {
    // A whole line always fits behind a block.
    let buffer = MutableBytes.allocate(
      byteCount: JournalLine.limit + Self.blockByteCount, alignment: 8)
    defer { buffer.deallocate() }
    var offset = start
    var kept = 0
    while offset + kept < end {
      // The next block goes behind the bytes kept of the last one.
      let wanted = min(Self.blockByteCount, end - offset - kept)
      let block = MutableBytes(rebasing: buffer[kept..<kept + wanted])
      let filled = kept + (try file.read(into: block, at: offset + kept))
      let bytes = Bytes(rebasing: Bytes(buffer)[..<filled])
      var used = 0
      while let line = Bytes(rebasing: bytes[used...]).firstLine() {
        try body(offset + used, line, JournalLine.isSound(line))
        used += line.count + 1
      }
      if filled == kept || offset + filled >= end || filled - used >= JournalLine.limit {
        if filled > used {
          try body(offset + used, Bytes(rebasing: bytes[used...]), false)
        }
        if filled == kept { return }
        used = filled
      }
      kept = filled - used
      buffer.copyMemory(from: Bytes(rebasing: bytes[used...]))
      offset += used
    }
  }

  /// Fits into the processor's cache: takes half the time of blocks of a megabyte.
  private static let blockByteCount = 1 << 18
}

/// The journal's first line: the file's kind, its version, and when it was begun.
///
/// Only this line is ever overwritten (see ``JournalFile/raise(to:)``): it has the same length in
/// every version, and lies in the file's first sector.
struct JournalHeader: Equatable {
  let version: StoreVersion
  let createdAt: Timestamp

  /// The beginning of the line, in every version.
  static let beginning: StaticString = #"{"store":"credit","version":"#

  private static let versionPlace = beginning.utf8CodeUnitCount
  private static let timePlace = versionPlace + #"2,"createdAt":""#.utf8.count
  private static let timeByteCount = "2026-02-19T10:00:00.000Z".utf8.count

  /// Length of the line in bytes, with its newline.
  static let byteCount = timePlace + timeByteCount + 1 + JournalLine.sealByteCount

  var line: JSONWriter {
    var line = JSONWriter(capacity: 256)
    line.beginObject()
    line.member("store", "credit")
    // Each run writes it: the forms of another module would be looked up.
    line.key("version")
    line.integer(version.rawValue)
    line.key("createdAt")
    line.timestamp(createdAt)
    line.seal(from: 0)
    return line
  }
}

extension JournalHeader {
  /// Reads the line that bytes begin with.
  /// - Returns: nil if it is not a header, or if this tool does not know its version.
  init?(_ bytes: Bytes) {
    guard bytes.count >= Self.byteCount,
      let version = StoreVersion(rawValue: Int64(bytes[Self.versionPlace]) - 0x30),
      let createdAt = Timestamp.parse(
        Bytes(rebasing: bytes[Self.timePlace...].prefix(Self.timeByteCount)))
    else { return nil }
    self.init(version: version, createdAt: createdAt)
    // There is only one form.
    let isSame = line.withBytes { line in
      line.hasSameBytes(as: Bytes(rebasing: bytes[..<Self.byteCount]))
    }
    if !isSame { return nil }
  }

  /// Returns the version that a first line names, known or not; nil if it is not a header.
  static func anyVersion(of line: Bytes) -> Int64? {
    var scanner = JSONScanner()
    guard case .complete = scanner.scan(line, isFinal: true) else { return nil }
    let value = scanner.value(in: line)
    guard value.string("store") == "credit", value.timestamp("createdAt") != nil else { return nil }
    return value.int64("version")
  }
}

/// Bytes of an incomplete append at the journal's end.
///
/// The next writer cuts them off the journal and keeps them in a file beside it, for inspection. As
/// a rule the append did not finish, and was never acknowledged. If a disk has lost bytes that it
/// acknowledged, only an index could show that.
public struct TornTail: Equatable, Sendable {
  /// The file's name in the store's folder: `journal.torn-` and the bytes' offset in the journal.
  /// Nil if the bytes are still in the journal.
  public internal(set) var file: String?

  /// Number of its lines that are whole records.
  public let records: Int

  public let bytes: Int

  static let namePrefix = "journal.torn-"

  /// One sentence, for standard error.
  public var sentence: String {
    "an append at the journal's end was cut short, or damaged later; its \(bytes) bytes "
      + "(\(records) whole records) are in \(file ?? JournalFile.name)"
  }
}

extension LocalStore {
  /// Returns all torn tails that were cut off, in the order of their names.
  func tornTails() throws(StoreFault) -> [TornTail] {
    var tails: [TornTail] = []
    for name in try directory.names().sorted() where name.hasPrefix(TornTail.namePrefix) {
      let file = try JournalFile(in: directory, .read, named: name)
      let byteCount = try file.byteCount()
      tails.append(
        TornTail(
          file: name, records: try file.soundLines(from: 0, to: byteCount).count, bytes: byteCount))
    }
    return tails
  }
}
