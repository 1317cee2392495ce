internal import CreditBytes
internal import CreditJSON
internal import CreditModel
public import CreditSystem

/// A position in a log, and the log's identity.
public struct LogPosition: Equatable, Sendable {
  /// The most bytes at a log's beginning that it is known by.
  static let headLimit = 4096

  public let identity: FileStatus.Identity
  /// Number of known bytes at the log's beginning, and their hash.
  public let headCount: Int
  public let headHash: UInt64
  /// The log's length when it was read, and its last change, in nanoseconds since 1970.
  public let byteCount: Int
  public let changedNanoseconds: Int64
  /// Offset of the first unread line, in bytes; `line` counts the lines before it.
  ///
  /// Both are 0 for a log that can only be read from its start.
  public var offset: Int
  public var line: Int
  /// State that the lines from there on need from those before.
  public var mark: LogMark

  /// Whether the log is unchanged since.
  func isUnchanged(_ status: FileStatus) -> Bool {
    status.byteCount == byteCount && status.changedNanoseconds == changedNanoseconds
  }
}

/// The first bytes of a log, by which it is known again.
struct LogHead {
  private let bytes: [UInt8]

  init(of file: Int32, _ system: any SystemCalls) throws(SystemError) {
    let bytes = try readBytes(limit: LogPosition.headLimit) { block, offset throws(SystemError) in
      try system.readBytes(file, into: block, at: offset)
    }
    self.bytes = Array(bytes.prefix(LogPosition.headLimit))
  }

  var count: Int { bytes.count }

  var isOfDatabase: Bool { bytes.withBytes { LogDatabase.begins($0) } }

  /// Returns the hash of the first bytes. Equal hashes help no attacker.
  func hash(of count: Int) -> UInt64 {
    var hash = FNV1a()
    bytes.prefix(count).withBytes { hash.append($0) }
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
public struct LogMark: Equatable, Sendable {
  public private(set) var values: [String: String] = [:]

  /// - Parameter values: those that are nil are left out.
  init(_ values: [(name: String, value: String?)] = []) {
    for (name, value) in values { self.values[name] = value }
  }

  public init(values: [String: String]) { self.values = values }

  subscript(name: String) -> String? { values[name] }
}
