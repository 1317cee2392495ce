public import CreditBytes
public import CreditModel
public import CreditSystem

/// The folders of the system's zone files.
public struct ZoneFolders {
  private let folders: [String]
  private let system: any SystemCalls

  /// The usual places, in the order in which they are searched.
  private static let usual = [
    "/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo", "/etc/zoneinfo",
  ]

  /// - Parameter own: the only folder that is searched; nil for the usual ones.
  public init(_ own: String?, _ system: any SystemCalls) {
    folders = own.map { [$0] } ?? Self.usual
    self.system = system
  }

  /// Returns a name's fault, to follow the name in a message; nil if it can be a zone's.
  ///
  /// A name never leads out of the folder.
  public static func problem(with name: String) -> String? {
    let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let isFine = parts.allSatisfy { part in
      guard let first = part.first, first != UInt8(ascii: ".") else { return false }
      return part.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"),
          UInt8(ascii: "-"), UInt8(ascii: "."):
          true
        default: false
        }
      }
    }
    return isFine && name.utf8.count <= 255 ? nil : "is not the name of a time zone"
  }

  /// - Throws: `invalid_request` for a name that no zone has; `unavailable` if this machine lacks
  ///   the zone, or its file is damaged; `io_error`, `permission_denied`.
  public func zone(named name: String) throws(CreditError) -> TimeZone {
    if let problem = Self.problem(with: name) {
      throw CreditError(.invalidRequest, "\(quoted(name)) \(problem), such as Europe/Berlin")
    }
    for folder in folders {
      guard let bytes = try read("\(folder)/\(name)") else { continue }
      do throws(ZoneFile.Fault) {
        return try ZoneFile.read(bytes)
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
