internal import CreditJSON
public import CreditModel

/// Form of a journal line: one JSON object whose last member is its checksum, and a newline.
///
/// The checksum is that of the line's bytes before it, `…,"crc":"xxxxxxxx"}` (CRC-32C, lowercase
/// hexadecimal). The lines of one append are a batch, which counts as a whole or not at all. In all
/// lines but the last the member's name is `and`: a journal that ends with such a line was cut
/// short.
public enum JournalLine {
  /// Maximum length of a line in bytes, its newline included.
  public static let limit = 1 << 20

  /// The refusal of a record whose line would be longer.
  public static var tooLong: CreditError {
    CreditError(.limitExceeded, "the account's record would be longer than \(limit >> 20) MiB")
  }

  /// Text that ``JSONWriter/endRecord()`` adds: a place for the checksum, brace and newline.
  static var emptySeal: StaticString { ",\"and\":\"00000000\"}\n" }

  public static let sealByteCount = 19

  /// Name of the checksum of a batch's last line; the other lines use `and`. The names differ in
  /// every byte, so that no changed byte turns one into the other.
  static let lastName: StaticString = "crc"

  /// The eight bytes `,"crc":"` and `,"and":"`.
  private static let member = UInt64(bigEndian: 0x2C22_6372_6322_3A22)
  private static let continuedMember = UInt64(bigEndian: 0x2C22_616E_6422_3A22)
  private static let memberByteCount = 8

  /// Fills in the checksums of whole lines that ``JSONWriter/endRecord()`` ended.
  static func seal(_ lines: MutableBytes) {
    var start = 0
    while let end = Bytes(rebasing: lines[start...]).firstNewline() {
      let line = MutableBytes(rebasing: lines[start...(start + end)])
      let content = line.count - sealByteCount
      let checksum = CRC32C.checksum(Bytes(rebasing: line[..<content]))
      line.storeBytes(
        of: Hexadecimal.digits(checksum).bigEndian, toByteOffset: content + memberByteCount,
        as: UInt64.self)
      start += line.count
      if start == lines.count { return }
    }
  }

  /// Whether a line (without its newline) was written whole.
  public static func isSound(_ line: Bytes) -> Bool {
    guard line.count < limit, let digits = writtenDigits(line) else { return false }
    let content = line.count - sealByteCount + 1
    let checksum = CRC32C.checksum(Bytes(rebasing: line[..<content]))
    // Only one form is sound: an upper-case digit counts as a changed byte.
    return Hexadecimal.digits(checksum).bigEndian == digits
  }

  /// Returns the eight checksum bytes of a line without its newline, or nil.
  @inline(__always)
  private static func writtenDigits(_ line: Bytes) -> UInt64? {
    let start = line.count - sealByteCount + 1
    guard start > 0, line[line.count - 2] == UInt8(ascii: "\""),
      line[line.count - 1] == UInt8(ascii: "}")
    else { return nil }
    let name = line.loadUnaligned(fromByteOffset: start, as: UInt64.self)
    guard name == member || name == continuedMember else { return nil }
    return line.loadUnaligned(fromByteOffset: start + memberByteCount, as: UInt64.self)
  }

  /// Returns the checksum that a line without its newline contains, or nil.
  static func writtenChecksum(_ line: Bytes) -> UInt32? {
    guard let digits = writtenDigits(line) else { return nil }
    var checksum: UInt32 = 0
    withBytes(of: digits) { digits in
      for digit in digits {
        checksum = checksum << 4 | UInt32(Hexadecimal.value(of: digit) ?? 0)
      }
    }
    return Hexadecimal.digits(checksum).bigEndian == digits ? checksum : nil
  }

  /// Whether the journal's last bytes are a sound line with a changed newline.
  static func hasChangedNewline(_ bytes: Bytes) -> Bool {
    guard let last = bytes.last, last != 0 else { return false }
    return isSound(Bytes(rebasing: bytes[..<(bytes.count - 1)]))
  }

  /// Whether the rest of an unsound line shows the end of its batch.
  ///
  /// The names of the two checksums differ in each byte, so that one intact byte distinguishes
  /// them.
  static func showsEndOfBatch(_ line: Bytes) -> Bool {
    let start = line.count - sealByteCount + 3
    guard start >= 0 else { return false }
    var isLeft = false
    for index in 0..<lastName.utf8CodeUnitCount where line[start + index] != 0 {
      if line[start + index] != lastName.utf8Start[index] { return false }
      isLeft = true
    }
    return isLeft
  }

  /// Whether an unsound line begins with a batch's last line and continues behind its newline.
  static func continuesAfterBatchEnd(_ line: Bytes) -> Bool {
    guard let lost = line.firstIndex(of: 0) else { return false }
    // The member has to be one of the outer object, outside of any text.
    var depth = 0
    var isText = false
    var index = 0
    while index < lost {
      switch line[index] {
      case UInt8(ascii: "\\") where isText: index += 1
      case UInt8(ascii: "\""): isText.toggle()
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += isText ? 0 : 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= isText ? 0 : 1
      case UInt8(ascii: ",") where !isText && depth == 1 && lost - index >= memberByteCount:
        if line.loadUnaligned(fromByteOffset: index, as: UInt64.self) == member {
          return line.count >= index + sealByteCount
        }
      default: break
      }
      index += 1
    }
    return false
  }

  /// Whether another line of the same batch follows a sound line.
  static func isContinued(_ line: Bytes) -> Bool {
    line[line.count - sealByteCount + 3] == UInt8(ascii: "a")
  }
}

/// Ends a line of the journal; elsewhere JSON text contains no newline.
let newline = UInt8(ascii: "\n")

extension JournalFile {
  /// Bytes that are read at once.
  private static let backByteCount = 1 << 17

  /// Calls `body` with a range's lines backwards until it returns false.
  ///
  /// Each comes with its offset, without its newline. The bytes are valid until `body` returns.
  /// - Parameters:
  ///   - end: the end of a line, at most ``length``.
  ///   - start: the start of a line.
  /// - Throws: ``StoreFault/damaged(_:)`` at the first line that is not sound,
  ///   ``StoreFault/system(_:)``, errors of `body`.
  func forEachLineBackwards(
    from end: Int, to start: Int,
    _ body: (Int, Bytes) throws(StoreFault) -> Bool
  ) throws(StoreFault) {
    var buffer = MutableBytes.allocate(byteCount: Self.backByteCount, alignment: 8)
    defer { buffer.deallocate() }
    var end = end
    while end > start {
      let first = max(start, end - buffer.count)
      let block = MutableBytes(rebasing: buffer[..<(end - first)])
      let count = try file.read(into: block, at: first)
      guard count == block.count, block.last == newline else {
        throw damage(at: first, "does not end with a newline")
      }
      let bytes = Bytes(block)
      // The bytes up to the newline of the line that comes next.
      var used = count
      while used > 0 {
        let before = bytes.lastIndex(of: newline, before: used - 1)
        guard before != nil || first == start else { break }
        let lineStart = before.map { $0 + 1 } ?? 0
        let line = Bytes(rebasing: bytes[lineStart..<used - 1])
        guard JournalLine.isSound(line) else { throw damage(at: first + lineStart) }
        guard try body(first + lineStart, line) else { return }
        used = lineStart
      }
      if used == count {
        guard count <= JournalLine.limit else { throw damage(at: first, "is longer than 1 MiB") }
        buffer.deallocate()
        buffer = .allocate(byteCount: 4 * buffer.count, alignment: 8)
      }
      end = first + used
    }
  }
}

/// Lines of a long batch that the journal writes while more of it is being made. They are written
/// from where they were made: nothing is copied, and the memory is reused.
final class JournalPiece {
  /// The lines. From ``JournalFile/writeAhead(_:sync:)`` until it has waited, or until
  /// ``JournalFile/isWritingAhead`` is false, only the journal may use them.
  var text: JSONWriter

  var start = 0

  /// Length in bytes from which a piece is complete.
  static let byteCount = 1 << 18

  /// Reserves room for a long record beyond that.
  init() { text = JSONWriter(capacity: Self.byteCount + 1 << 16) }
}

extension RecordFault {
  /// A line that another version of the tools has made, or a person.
  static var unreadable: RecordFault { RecordFault("is not a record of this version") }
}

extension JSONWriter {
  /// Writes a record as a line of an export: without the members that depend on its place.
  mutating func exported(_ record: LedgerRecord) {
    var record = record
    record.original = nil
    openRecord(record, previous: nil)
    endObject()
    endLine()
  }

  /// Ends the line that starts at `start` and whose object is still open: a batch of its own.
  mutating func seal(from start: Int) {
    endRecord()
    endBatch(sealingFrom: start)
  }

  /// Ends a line whose object is still open, and leaves room for its checksum. Other lines of the
  /// batch may follow. ``JournalLine/seal(_:)`` fills the checksum in.
  /// - Returns: the number of bytes written so far.
  @discardableResult
  mutating func endRecord() -> Int { endLine(with: JournalLine.emptySeal) }

  /// Ends the batch with the last line, and seals all lines from an offset on.
  mutating func endBatch(sealingFrom start: Int) {
    overwrite(JournalLine.lastName, at: count - JournalLine.sealByteCount + 2)
    withMutableBytes(from: start) { JournalLine.seal($0) }
  }
}

final class RecordSource {
  private let file: FileDescriptor
  private let window = ReadWindow()
  private var reader = RecordReader()

  init(_ file: consuming FileDescriptor) { self.file = file }

  /// Returns the record of the line at an offset before `limit`, and the line's end, or nil.
  func recordWithEnd(at offset: Int, limit: Int) throws(StoreFault)
    -> (stored: StoredRecord, end: Int)?
  {
    guard let line = try window.line(at: offset, of: file, limit: limit) else { return nil }
    let end = offset + line.count + 1
    return reader.read(line, at: RecordPosition(Int64(offset))).map { ($0, end) }
  }
}
