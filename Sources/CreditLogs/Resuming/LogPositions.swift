internal import CreditJSON
internal import CreditModel
public import CreditSystem

/// Position in each log of a format, which `--resume` keeps between runs.
public struct LogPositions: Sendable {
  private static let version: Int64 = 1
  /// The most bytes of its text.
  public static let byteLimit = 64 << 20

  private let format: String
  /// The member of the log that named the accounts. Nil if the command line named them.
  private let accountMember: String?
  private var positions: [FileStatus.Identity: LogPosition] = [:]
  private var order: [FileStatus.Identity] = []
  /// The last total of each thread, in the form of the format.
  public var totals: [String: String] = [:]

  public init(format: String, accountMember: String?) {
    self.format = format
    self.accountMember = accountMember
  }

  subscript(identity: FileStatus.Identity) -> LogPosition? {
    get { positions[identity] }
    set {
      if let newValue, positions.updateValue(newValue, forKey: identity) == nil {
        order.append(identity)
      }
    }
  }

  var count: Int { positions.count }

  /// Forgets all but some: a forgotten log is read from its start.
  mutating func keep(_ identities: Set<FileStatus.Identity>) {
    order.removeAll { !identities.contains($0) }
    positions = positions.filter { identities.contains($0.key) }
  }

  // MARK: Text

  /// Reads the form of `text`. Runs that took accounts from another source do not count.
  /// - Throws: the fault, a phrase for people.
  public mutating func read(_ text: [UInt8]) throws(Unreadable) {
    if text.allSatisfy({ $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: " ") }) { return }
    guard let document = try? JSONDocument(text, byteLimit: Self.byteLimit) else {
      throw Unreadable(reason: "it is not JSON")
    }
    try document.withRoot { (root) throws(Unreadable) in
      guard let version = root.member("version")?.int64, let name = root.member("format")?.string
      else { throw Unreadable(reason: "it has neither version nor format") }
      guard version == Self.version else { throw Unreadable(reason: "its version is \(version)") }
      guard name == format else { throw Unreadable(reason: "its format is \(quoted(name))") }
      guard root.member("accountFrom")?.string == accountMember else { return }
      guard let totals = Self.texts(root.member("threads")) else {
        throw Unreadable(reason: "an entry of threads is damaged")
      }
      self.totals = totals
      for log in root.member("logs").map({ Array($0.elements) }) ?? [] {
        guard let position = Self.position(log) else {
          throw Unreadable(reason: "an entry of logs is damaged")
        }
        self[position.identity] = position
      }
    }
  }

  /// The reason why a text does not hold positions.
  public struct Unreadable: Error {
    public let reason: String
  }

  /// Reads the members that are all texts; nil for others.
  private static func texts(_ object: JSONValue?) -> [String: String]? {
    var texts: [String: String] = [:]
    guard let object else { return texts }
    for (name, value) in object.members {
      guard let name = name.string, let value = value.string else { return nil }
      texts[name] = value
    }
    return texts
  }

  private static func position(_ log: JSONValue) -> LogPosition? {
    func number(_ name: StaticString) -> Int64? {
      log.member(name)?.int64.flatMap { $0 >= 0 ? $0 : nil }
    }
    guard let device = number("device"), let inode = number("inode"),
      let head = number("head"), head <= LogPosition.headLimit,
      let hash = log.member("hash")?.string.flatMap({ UInt64($0, radix: 16) }),
      let size = number("size"), let changed = log.member("changed")?.int64,
      let offset = number("offset"), let line = number("line"), let mark = texts(log.member("mark"))
    else { return nil }
    return LogPosition(
      identity: FileStatus.Identity(device: UInt64(device), inode: UInt64(inode)),
      headCount: Int(head), headHash: hash, byteCount: Int(size), changedNanoseconds: changed,
      offset: Int(offset), line: Int(line), mark: mark)
  }

  /// One JSON object, with a line for each log.
  public var text: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("version", Self.version, Whole.self)
    writer.member("format", format)
    if let accountMember { writer.member("accountFrom", accountMember) }
    Self.write(totals, named: "threads", to: &writer)
    writer.key("logs")
    var text = writer.withBytes { Array($0) } + Array("[".utf8)
    for (number, identity) in order.enumerated() {
      guard let position = positions[identity] else { continue }
      text += Array((number == 0 ? "\n" : ",\n").utf8) + Self.text(of: position)
    }
    return text + Array("\n]}\n".utf8)
  }

  private static func text(of position: LogPosition) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("device", Int64(bitPattern: position.identity.device), Whole.self)
    writer.member("inode", Int64(bitPattern: position.identity.inode), Whole.self)
    writer.member("head", Int64(position.headCount), Whole.self)
    writer.member("hash", String(position.headHash, radix: 16))
    writer.member("size", Int64(position.byteCount), Whole.self)
    writer.member("changed", position.changedNanoseconds, Whole.self)
    writer.member("offset", Int64(position.offset), Whole.self)
    writer.member("line", Int64(position.line), Whole.self)
    write(position.mark, named: "mark", to: &writer)
    writer.endObject()
    return writer.withBytes { Array($0) }
  }

  /// Writes texts by their names, if there are any.
  private static func write(
    _ texts: [String: String], named member: StaticString, to writer: inout JSONWriter
  ) {
    if texts.isEmpty { return }
    writer.key(member)
    writer.beginObject()
    for name in texts.keys.sorted() {
      name.withUTF8Bytes { writer.key(utf8: $0) }
      writer.string(texts[name] ?? "")
    }
    writer.endObject()
  }
}

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

  func isUnchanged(_ status: FileStatus) -> Bool {
    status.byteCount == byteCount && status.changedNanoseconds == changedNanoseconds
  }
}

/// The first bytes of a log, by which it is known again.
struct LogHead {
  let bytes: [UInt8]

  init(of file: Int32, _ system: any SystemCalls) throws(SystemError) {
    let bytes = try readBytes(limit: LogPosition.headLimit) { block, offset throws(SystemError) in
      try system.readBytes(file, into: block, at: offset)
    }
    self.bytes = Array(bytes.prefix(LogPosition.headLimit))
  }

  var count: Int { bytes.count }

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
public typealias LogMark = [String: String]
