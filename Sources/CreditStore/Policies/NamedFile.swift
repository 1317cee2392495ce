internal import CreditJSON
internal import CreditModel
internal import CreditSystem

/// A member of the policy that names a file.
package enum FileMember: String {
  case catalog
  case rootCertificate = "appStore.rootCertificate"

  static let all: [FileMember] = [.catalog, .rootCertificate]

  /// The most bytes of such a file.
  var byteLimit: Int {
    switch self {
    case .catalog: PolicyFile.byteLimit
    case .rootCertificate: 1 << 20
    }
  }

  /// The member's value in a policy.
  func value(in policy: JSONValue) -> JSONValue? {
    switch self {
    case .catalog: policy.member("catalog")
    case .rootCertificate: policy.member("appStore")?.member("rootCertificate")
    }
  }

  /// What is wrong with the member, as the end of a sentence that it begins.
  func invalid(_ problem: String) -> CreditError {
    CreditError(.invalidPolicy, "\(rawValue) \(problem)", [.path(rawValue)])
  }
}

/// A policy, or a file that one names, while it is open: a plain one, which never keeps its reader
/// waiting.
final class NamedFile {
  private let file: FileDescriptor
  /// What it was when it was opened.
  let status: FileStatus

  /// A file of the store's own.
  /// - Throws: ``StoreFault/system(_:)``, also where it has more than `limit` bytes.
  init(_ file: consuming FileDescriptor, limit: Int) throws(StoreFault) {
    status = try file.status()
    guard status.byteCount <= limit else { throw .system(.tooLarge(file.name)) }
    self.file = file
  }

  /// - Throws: `invalid_policy` where there is no such file, or it is too long;
  ///   `permission_denied`, `io_error`.
  init(_ path: String, of member: FileMember, _ system: any SystemCalls) throws(CreditError) {
    let number: Int32
    do {
      number = try system.openFile(path, .namedFile)
    } catch {
      guard error.isMissing || error.isWrongKind else { throw CreditError(.system(error)) }
      throw member.invalid(
        "names \(quoted(path)), which is \(error.isMissing ? "not there" : "not a file")"
          + (KeptFile.isKept(path) && error.isMissing
            ? "; credit-store policy --set, with the file that the policy came with, mends that"
            : ""))
    }
    file = FileDescriptor(system: system, number: number, name: path)
    do {
      status = try file.status()
    } catch {
      throw CreditError(error)
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

  /// The bytes of a range; nil where the file does not have them.
  func bytes(_ range: Range<Int>) -> [UInt8]? {
    guard range.upperBound <= status.byteCount, let bytes = try? file.bytes(range),
      bytes.count == range.count
    else { return nil }
    return bytes
  }
}

extension FileStatus {
  /// Whether any later change of the file will show. One that was changed a moment ago may change
  /// once more within the same tick of the clock that marks its changes, a few milliseconds.
  func isSettled(at milliseconds: Int64) -> Bool {
    milliseconds - changedNanoseconds / 1_000_000 >= 20
  }
}
