internal import CreditModel
internal import CreditSystem

/// A file that came with a policy and that the store keeps: a catalog, or a certificate.
///
/// The store's name for it has a hash of its content, `policy-0123456789abcdef-prices.json`. So the
/// files of the policy in force never change, and the rename of `policy.json` decides for both. The
/// previous policy's files stay until the next change, for readers that have just read it.
public struct KeptFile {
  public let member: FileMember
  /// The name that its author gave it.
  public let name: String
  public let bytes: [UInt8]

  /// The most bytes of such a name: the system allows 255 for the longer name in the store.
  static let nameLimit = 200

  private static let prefix = "policy-"
  private static let digitCount = 16

  /// The most files of one name and hash.
  private static let copyLimit: UInt64 = 16

  // MARK: Names

  /// Returns the name that the file's author gave it; nil if the name has another form.
  static func originalName(of name: String) -> String? {
    parts(of: name).map { String(decoding: $0.name, as: UTF8.self) }
  }

  static func isKept(_ path: String) -> Bool {
    path.utf8.split(separator: UInt8(ascii: "/")).last.map { parts(of: String($0) ?? "") != nil }
      ?? false
  }

  private static func parts(of name: String) -> (hash: UInt64, name: Substring.UTF8View)? {
    let utf8 = name.utf8
    guard utf8.starts(with: prefix.utf8) else { return nil }
    let rest = utf8.dropFirst(prefix.utf8.count)
    let (digits, tail) = (rest.prefix(digitCount), rest.dropFirst(digitCount))
    guard digits.count == digitCount, digits.allSatisfy({ Hexadecimal.value(of: $0) != nil }),
      tail.first == UInt8(ascii: "-"), tail.count > 1
    else { return nil }
    let hash = digits.reduce(0) { $0 << 4 | UInt64(Hexadecimal.value(of: $1) ?? 0) }
    return (hash, tail.dropFirst())
  }

  private static func storeName(_ hash: UInt64, _ name: String) -> String {
    let digits = String(hash, radix: 16)
    let zeros = String(repeating: "0", count: digitCount - digits.utf8.count)
    return "\(prefix)\(zeros)\(digits)-\(name)"
  }

  /// Returns a hash of name and content. It need not be secret: files of the same hash are
  /// compared.
  private static func hash(_ name: some Sequence<UInt8>, _ bytes: [UInt8]) -> UInt64 {
    var hash = SipHash13(key: (0, 0))
    let start = Array(name) + [0]
    start.withBytes { hash.append($0) }
    bytes.withBytes { hash.append($0) }
    return hash.finalize()
  }

  // MARK: Files

  /// Writes the file into the store and syncs it, unless it exists. Requires the exclusive lock.
  /// - Returns: its name in the store.
  func keep(in directory: StoreDirectory) throws(StoreFault) -> String {
    let hash = Self.hash(name.utf8, bytes)
    for copy in 0..<Self.copyLimit {
      let storeName = Self.storeName(hash &+ copy, name)
      guard let found = try directory.status(of: storeName) else {
        try directory.replaceFile(storeName, with: bytes)
        return storeName
      }
      // A user may have edited the existing file, or given the name to something else.
      guard found.kind == .regular,
        (try? directory.readFile(storeName, limit: bytes.count)) == bytes
      else { continue }
      // A killed process may have left it before its name was on disk.
      try directory.sync()
      return storeName
    }
    throw .unexpectedFile(name: Self.storeName(hash, name), kind: .other)
  }

  /// Removes the files of earlier policies, except those that a user has changed. Requires the
  /// exclusive lock.
  static func removeAll(in directory: StoreDirectory, but kept: [String]) throws(StoreFault) {
    for name in try directory.names() where !kept.contains(name) {
      guard let parts = parts(of: name),
        let bytes = try? directory.readFile(name, limit: PolicyFile.byteLimit),
        parts.hash &- hash(parts.name, bytes) < copyLimit
      else { continue }
      try directory.removeFile(name)
    }
  }
}

/// A member of the policy that names a file.
public enum FileMember: String, CaseIterable, Sendable {
  case catalog
  case rootCertificate = "appStore.rootCertificate"

  var byteLimit: Int {
    switch self {
    case .catalog: PolicyFile.byteLimit
    case .rootCertificate: 1 << 20
    }
  }

  func value(in policy: JSONValue) -> JSONValue? {
    switch self {
    case .catalog: policy.member("catalog")
    case .rootCertificate: policy.member("appStore")?.member("rootCertificate")
    }
  }

  /// Returns an error about the member by the rest of the sentence.
  func invalid(_ problem: String) -> CreditError {
    CreditError(.invalidPolicy, "\(rawValue) \(problem)", [.path(rawValue)])
  }
}

/// An open policy, or a file that one names. It is a plain file, so that reading never waits.
final class NamedFile {
  private let file: FileDescriptor
  var status: FileStatus { file.opened }

  /// A file of the store's own.
  /// - Throws: ``StoreFault/system(_:)``, also if it has more than `limit` bytes.
  init(_ file: consuming FileDescriptor, limit: Int) throws(StoreFault) {
    guard file.opened.byteCount <= limit else { throw .system(.tooLarge(file.name)) }
    self.file = file
  }

  /// - Throws: `invalid_policy` if the file is missing or too long; `permission_denied`,
  ///   `io_error`.
  init(_ path: String, of member: FileMember, _ system: any SystemCalls) throws(CreditError) {
    do throws(StoreFault) {
      file = try FileDescriptor(path, .namedFile, system)
    } catch {
      guard case .system(let reason) = error, reason.isMissing || reason.isWrongKind else {
        throw CreditError(error)
      }
      throw member.invalid(
        "names \(quoted(path)), which is \(reason.isMissing ? "not there" : "not a file")"
          + (KeptFile.isKept(path) && reason.isMissing
            ? "; credit-store policy --set, with the file that the policy came with, mends that"
            : ""))
    }
    guard status.kind == .regular else {
      throw member.invalid("names \(quoted(path)), which is a \(status.kind.rawValue), not a file")
    }
    guard status.byteCount <= member.byteLimit else {
      throw member.invalid(
        "names \(quoted(path)), which is longer than \(member.byteLimit >> 20) MiB")
    }
  }

  var isUnchanged: Bool { (try? file.status()) == status }

  /// - Throws: `io_error`.
  func text() throws(CreditError) -> [UInt8] {
    try reporting { () throws(StoreFault) in try file.bytes(0..<status.byteCount) }
  }

  /// Returns the bytes of a range; nil if the file does not have them.
  func bytes(_ range: Range<Int>) -> [UInt8]? {
    guard range.upperBound <= status.byteCount, let bytes = try? file.bytes(range),
      bytes.count == range.count
    else { return nil }
    return bytes
  }
}

extension FileStatus {
  /// Whether any later change of the file will be visible in its status. A file that changed a
  /// moment ago may change again within the same tick of the clock, a few milliseconds.
  func isSettled(at milliseconds: Int64) -> Bool {
    milliseconds - changedNanoseconds / 1_000_000 >= 20
  }
}
