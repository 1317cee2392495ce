public import CreditBytes
public import CreditModel
public import CreditSystem
internal import Synchronization

/// The folders of the system's zone files. Each file is read once.
public final class ZoneFolders: ZoneSource, @unchecked Sendable {
  private let folders: [String]
  private let system: any SystemCalls
  private let known = Mutex<[String: TimeZone]>([:])

  /// The usual places, in the order in which they are searched.
  private static let usual = [
    "/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo", "/etc/zoneinfo",
  ]

  /// - Parameter own: the only folder that is searched; nil for the usual ones.
  public init(_ own: String?, _ system: any SystemCalls) {
    folders = own.map { [$0] } ?? Self.usual
    self.system = system
  }

  /// - Throws: `invalid_request` for a name that no zone has; `unavailable` if this machine lacks
  ///   the zone, or its file is damaged; `io_error`, `permission_denied`.
  public func zone(named name: String) throws(CreditError) -> TimeZone {
    if let problem = TimeZone.problem(withName: name) {
      throw CreditError(.invalidRequest, "\(quoted(name)) \(problem)")
    }
    if let zone = known.withLock({ $0[name] }) { return zone }
    for folder in folders {
      guard let bytes = try read("\(folder)/\(name)") else { continue }
      do throws(ZoneFile.Fault) {
        let zone = try ZoneFile.read(bytes)
        known.withLock { $0[name] = zone }
        return zone
      } catch {
        throw Self.unavailable(name, "its file in \(folder) \(error.reason)")
      }
    }
    throw Self.unavailable(
      name, "this system has no such zone file in \(folders.joined(separator: ", "))")
  }

  /// - Returns: nil if no file has that path.
  private func read(_ path: String) throws(CreditError) -> [UInt8]? {
    let number: Int32
    do throws(SystemError) {
      number = try system.openFile(path, .namedFile)
    } catch {
      if error.isMissing || error.isWrongKind { return nil }
      throw CreditError(.system(error))
    }
    return try reporting { () throws(StoreFault) in
      let file = try FileDescriptor(system: system, number: number, name: path)
      guard file.opened.kind == .regular else { return nil }
      return try file.contents(limit: ZoneFile.byteLimit)
    }
  }

  private static func unavailable(_ name: String, _ reason: String) -> CreditError {
    CreditError(.unavailable, "time zone \(quoted(name)): \(reason)")
  }
}
