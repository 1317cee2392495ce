/// Finds hosts that are this machine, so that no attacker can be in between.
enum HostLocality {
  /// - Parameters:
  ///   - hosts: names, addresses and folders of sockets, with commas between; empty for libpq's
  ///     default, which is a folder.
  ///   - addresses: of the same hosts if known: they are used for connecting, but may lead on to
  ///     another machine, whose certificate has the host's name.
  static func areLocal(hosts: String, addresses: String) -> Bool {
    let names = hosts.split(separator: ",", omittingEmptySubsequences: false)
    let addresses = addresses.split(separator: ",", omittingEmptySubsequences: false)
    return (0..<max(names.count, addresses.count)).allSatisfy { index in
      let name = index < names.count ? names[index] : ""
      let address = index < addresses.count ? addresses[index] : ""
      return isLocal(name) && isLocal(address)
    }
  }

  private static func isLocal(_ host: Substring) -> Bool {
    host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost"
      || host == "::1" || isLoopback(host)
  }

  /// Whether a host is 127.0.0.0/8, in the usual form.
  private static func isLoopback(_ host: Substring) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy { part in
        part.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt8(part) != nil
      }
  }
}
