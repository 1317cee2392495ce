internal import CreditJSON
internal import CreditModel

/// The journal's first line: what the file is, in which version, and since when.
enum JournalHeader {
  static let version: Int64 = 2

  /// What the line begins with in this version.
  static let presentBeginning: StaticString = "{\"store\":\"credit\",\"version\":2,"

  /// The sealed line.
  static func line(at time: Timestamp) -> JSONWriter {
    var line = JSONWriter(capacity: 256)
    line.beginObject()
    line.key("store")
    line.string("credit")
    line.key("version")
    line.integer(version)
    line.key("createdAt")
    line.timestamp(time)
    line.seal(from: 0)
    return line
  }

  /// When a journal with this first line, given without its newline, was made; nil where it is no
  /// header of this version.
  static func createdAt(_ line: UnsafeRawBufferPointer) -> Timestamp? {
    guard let (version, createdAt) = read(line), version == Self.version else { return nil }
    // There is one form alone.
    let isSame = Self.line(at: createdAt).withBytes { made in
      UnsafeRawBufferPointer(rebasing: made.dropLast()).hasSameBytes(as: line)
    }
    return isSame ? createdAt : nil
  }

  /// The version of a journal with this first line, of any; nil where it is no header.
  static func version(of line: UnsafeRawBufferPointer) -> Int64? { read(line)?.version }

  private static func read(_ line: UnsafeRawBufferPointer) -> (
    version: Int64, createdAt: Timestamp
  )? {
    var scanner = JSONScanner()
    guard case .complete = scanner.scan(line, isFinal: true) else { return nil }
    let value = scanner.value(in: line)
    guard value.string("store") == "credit", let version = value.int64("version"),
      let createdAt = value.timestamp("createdAt")
    else { return nil }
    return (version, createdAt)
  }

  /// What the line begins with, in every version.
  fileprivate static let beginning = Array(#"{"store":"credit","version":"#.utf8)
}

extension JournalFile {
  /// Writes the first line of a journal that has none: a new one, or one whose making was
  /// interrupted, perhaps before its name was on disk. Under the exclusive lock.
  func writeHeader(at time: Timestamp, in directory: StoreDirectory) throws(StoreFault) {
    try directory.sync()
    let line = JournalHeader.line(at: time)
    try line.withBytes { (bytes) throws(StoreFault) in try append(bytes, sync: true) }
  }

  /// Checks that a file without a whole line is the beginning of a journal, or has lost the block
  /// that it was in. Any other text is somebody else's, and not to be cut off.
  /// - Throws: ``StoreFault/damaged(_:)``.
  func checkBeginning() throws(StoreFault) {
    let expected = JournalHeader.beginning
    var bytes = [UInt8](repeating: 0, count: expected.count)
    var span = bytes.mutableSpan
    _ = try span.withUnsafeMutableBytes { (bytes) throws(StoreFault) -> Int in
      try read(into: bytes, at: 0)
    }
    guard zip(bytes, expected).allSatisfy({ $0 == $1 || $0 == 0 }) else {
      throw damage(at: 0, "is no header of a store")
    }
  }
}

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
