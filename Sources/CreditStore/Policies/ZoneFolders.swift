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
      throw .invalidRequest("\(quoted(name)) \(problem)")
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
    let hint = likelyZone(name).map { "; did you mean \(quoted($0))?" } ?? ""
    throw Self.unavailable(
      name, "this system has no such zone file in \(folders.joined(separator: ", "))\(hint)")
  }

  /// Returns the zone that an unknown name probably misspells, or one with the same city.
  private func likelyZone(_ name: String) -> String? {
    let short = ["GMT", "UTC"].contains(name.prefix(3)) ? name.dropFirst(3) : name[...]
    if let sign = short.first, sign == "+" || sign == "-" {
      let offset = (short.utf8.count == 2 ? "\(sign)0\(short.dropFirst())" : short) + ":00"
      if TimeZone(offset: String(offset)) != nil { return String(offset) }
    }
    // Other abbreviations are as near as a misspelling.
    if name.utf8.count < 5, name == name.uppercased() { return nil }
    let parts = name.split(separator: "/").map(String.init)
    return folders.lazy.compactMap { self.zone(speltLike: parts, in: $0) }.first
      ?? parts.last.flatMap { city in
        folders.lazy.compactMap { self.zone(ofCity: city, in: $0) }.first
      }
  }

  private func zone(speltLike parts: [String], in folder: String) -> String? {
    var found: [String] = []
    for part in parts {
      let path = ([folder] + found).joined(separator: "/")
      guard let names = try? system.names(in: path) else { return nil }
      guard let meant = names.contains(part) ? part : NearestNames.misspelt(part, among: names)
      else { return nil }
      found.append(meant)
    }
    return found == parts ? nil : found.joined(separator: "/")
  }

  private func zone(ofCity city: String, in folder: String) -> String? {
    let regions = (try? system.names(in: folder)) ?? []
    // The folders in small letters repeat the others in other forms.
    let region = regions.sorted().first { region in
      guard let first = region.utf8.first, first < UInt8(ascii: "a") else { return false }
      return (try? system.names(in: "\(folder)/\(region)"))?.contains(city) ?? false
    }
    return region.map { "\($0)/\(city)" }
  }

  /// - Returns: nil if no file has that path.
  private func read(_ path: String) throws(CreditError) -> [UInt8]? {
    do throws(StoreFault) {
      let file = try FileDescriptor(path, .namedFile, system)
      guard file.opened.kind == .regular else { return nil }
      return try file.contents(limit: ZoneFile.byteLimit)
    } catch {
      if case .system(let reason) = error, reason.isMissing || reason.isWrongKind { return nil }
      throw CreditError(error)
    }
  }

  private static func unavailable(_ name: String, _ reason: String) -> CreditError {
    CreditError(.unavailable, "time zone \(quoted(name)): \(reason)")
  }
}
