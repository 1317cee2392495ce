internal import CreditModel
internal import CreditSystem

/// The catalog file of a policy while it is open.
final class OpenCatalog {
  private let file: FileDescriptor
  /// What it was when it was opened.
  let status: FileStatus

  /// - Throws: `invalid_policy` where there is no such file.
  init(_ path: String, _ system: any SystemCalls) throws(CreditError) {
    let number: Int32
    do {
      number = try system.openFile(path, .namedFile)
    } catch {
      guard error.isMissing else { throw CreditError(.system(error)) }
      throw Self.invalid("names \(quoted(path)), which is not there")
    }
    file = FileDescriptor(system: system, number: number, name: path)
    do {
      status = try file.status()
    } catch {
      throw CreditError(error)
    }
    guard status.kind == .regular else {
      throw Self.invalid("names \(quoted(path)), which is a \(status.kind.rawValue), not a file")
    }
    guard status.byteCount <= PolicyFile.byteLimit else {
      throw Self.invalid("names \(quoted(path)), which is longer than 16 MiB")
    }
  }

  private static func invalid(_ problem: String) -> CreditError {
    CreditError(.invalidPolicy, "catalog \(problem)", [.path("catalog")])
  }

  var isUnchanged: Bool { (try? file.status()) == status }

  func text() throws(CreditError) -> [UInt8] {
    try reporting { () throws(StoreFault) in try file.bytes(0..<status.byteCount) }
  }

  /// The bytes of a range; nil where the file doesn't have them.
  func bytes(_ range: Range<Int>) -> [UInt8]? {
    guard range.upperBound <= status.byteCount, let bytes = try? file.bytes(range),
      bytes.count == range.count
    else { return nil }
    return bytes
  }
}
