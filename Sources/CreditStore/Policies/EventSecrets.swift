package import CreditModel
package import CreditSystem

/// The secrets that a payment provider signs its events with: one a line of a file, which only its
/// owner may read. They are never in a policy, an export or a message.
package enum EventSecrets {
  /// The most bytes of such a file.
  private static let byteLimit = 1 << 16

  /// Reads them.
  /// - Parameters:
  ///   - name: the file's name in the folder.
  ///   - place: the member of the policy that names it.
  /// - Throws: `invalid_policy` where there is no such file or others may read it;
  ///   `permission_denied`, `io_error`.
  package static func load(
    _ name: String, in folder: String, at place: String, _ system: any SystemCalls
  ) throws(CreditError) -> [UInt8] {
    let path = "\(folder)/\(name)"
    let number: Int32
    do throws(SystemError) {
      number = try system.openFile(path, .namedFile)
    } catch {
      guard error.isMissing || error.isWrongKind else { throw CreditError(.system(error)) }
      throw invalid(
        place, folder, error.isMissing ? "that is not there" : "that is not a file")
    }
    let file = FileDescriptor(system: system, number: number, name: path)
    let status = try reporting { () throws(StoreFault) in try file.status() }
    guard status.kind == .regular else { throw invalid(place, folder, "that is not a file") }
    guard status.access.mode & 0o077 == 0 else {
      throw invalid(place, folder, "that others than its owner may read: chmod 600 mends that")
    }
    return try reporting { () throws(StoreFault) in
      try file.contents(status, limit: byteLimit)
    }
  }

  /// The name may be a secret in the place of one, so it is not repeated.
  private static func invalid(_ place: String, _ folder: String, _ problem: String) -> CreditError {
    CreditError(
      .invalidPolicy, "\(place) names a file of \(quoted(folder)) \(problem)", [.path(place)])
  }
}
