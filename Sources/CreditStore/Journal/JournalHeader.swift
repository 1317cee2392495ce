internal import CreditJSON
internal import CreditModel

/// The journal's first line: what the file is, in which version, and since when.
///
/// It is the one line that is ever written over (see ``JournalFile/raise(to:)``): it has the same
/// length in every version, and lies in the file's first sector.
struct JournalHeader: Equatable {
  let version: StoreVersion
  let createdAt: Timestamp

  /// What the line begins with, in every version.
  static let beginning: StaticString = #"{"store":"credit","version":"#

  private static let versionPlace = beginning.utf8CodeUnitCount
  private static let timePlace = versionPlace + #"2,"createdAt":""#.utf8.count
  private static let timeByteCount = "2026-02-19T10:00:00.000Z".utf8.count

  /// How many bytes the line has with its newline.
  static let byteCount = timePlace + timeByteCount + 1 + JournalLine.sealByteCount

  /// The sealed line.
  var line: JSONWriter {
    var line = JSONWriter(capacity: 256)
    line.beginObject()
    line.key("store")
    line.string("credit")
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
  /// - Returns: nil where it is no header, or of a version that this tool does not know.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.byteCount,
      let version = StoreVersion(rawValue: Int64(bytes[Self.versionPlace]) - 0x30),
      let createdAt = Timestamp.parse(
        UnsafeRawBufferPointer(rebasing: bytes[Self.timePlace...].prefix(Self.timeByteCount)))
    else { return nil }
    self.init(version: version, createdAt: createdAt)
    // There is one form alone.
    let isSame = line.withBytes { line in
      line.hasSameBytes(as: UnsafeRawBufferPointer(rebasing: bytes[..<Self.byteCount]))
    }
    if !isSame { return nil }
  }

  /// The version of a journal with this first line, of any; nil where it is no header.
  static func anyVersion(of line: UnsafeRawBufferPointer) -> Int64? {
    var scanner = JSONScanner()
    guard case .complete = scanner.scan(line, isFinal: true) else { return nil }
    let value = scanner.value(in: line)
    guard value.string("store") == "credit", value.timestamp("createdAt") != nil else { return nil }
    return value.int64("version")
  }
}
