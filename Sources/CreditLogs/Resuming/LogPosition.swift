internal import CreditJSON
package import CreditSystem

/// A position in a log, and the log's identity.
package struct LogPosition: Equatable, Sendable {
  /// The most bytes at a log's beginning that it is known by.
  static let headLimit = 4096

  package let identity: FileStatus.Identity
  /// Number of known bytes at the log's beginning, and their hash.
  package let headCount: Int
  package let headHash: UInt64
  /// The log's length when it was read, and its last change, in nanoseconds since 1970.
  package let byteCount: Int
  package let changedNanoseconds: Int64
  /// Offset of the first unread line, in bytes; `line` counts the lines before it.
  ///
  /// Both are 0 for a log that can only be read from its start.
  package var offset: Int
  package var line: Int
  /// State that the lines from there on need from those before.
  package var mark: LogMark

  package init(
    identity: FileStatus.Identity, headCount: Int, headHash: UInt64, byteCount: Int,
    changedNanoseconds: Int64, offset: Int, line: Int, mark: LogMark
  ) {
    self.identity = identity
    self.headCount = headCount
    self.headHash = headHash
    self.byteCount = byteCount
    self.changedNanoseconds = changedNanoseconds
    self.offset = offset
    self.line = line
    self.mark = mark
  }

  /// Whether the log is unchanged since.
  func isUnchanged(_ status: FileStatus) -> Bool {
    status.byteCount == byteCount && status.changedNanoseconds == changedNanoseconds
  }
}

/// The first bytes of a log, by which it is known again.
struct LogHead {
  private let bytes: [UInt8]

  init(of file: Int32, _ system: any SystemCalls) throws(SystemError) {
    var bytes = [UInt8](repeating: 0, count: LogPosition.headLimit)
    var count = 0
    while count < bytes.count {
      var span = bytes.mutableSpan
      let read = try span.withUnsafeMutableBytes { buffer throws(SystemError) in
        try system.readBytes(
          file, into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]), at: count)
      }
      if read == 0 { break }
      count += read
    }
    self.bytes = Array(bytes.prefix(count))
  }

  var count: Int { bytes.count }

  /// Returns the hash of the first bytes. Equal hashes help no attacker.
  func hash(of count: Int) -> UInt64 {
    var hash = FNV1a()
    bytes.prefix(count).withUnsafeBytes { hash.append($0) }
    return hash.value
  }

  /// Returns true if the log with these first bytes is the position's.
  ///
  /// It must also be no shorter than it was read.
  func continues(_ position: LogPosition, _ status: FileStatus) -> Bool {
    count >= position.headCount && hash(of: position.headCount) == position.headHash
      && status.byteCount >= position.offset
  }
}

/// State that later records of a text need of previous ones: names and texts of the format's own.
package struct LogMark: Equatable, Sendable {
  package private(set) var values: [String: String] = [:]

  /// - Parameter values: those that are nil are left out.
  init(_ values: [(name: String, value: String?)] = []) {
    for (name, value) in values { self.values[name] = value }
  }

  package init(values: [String: String]) { self.values = values }

  subscript(name: String) -> String? { values[name] }
}
