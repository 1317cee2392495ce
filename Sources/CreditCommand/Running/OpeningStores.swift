internal import CreditModel
internal import CreditStore

#if Postgres
  internal import CreditPostgres
  internal import CreditServer
#endif

extension Host {
  /// Returns the store at a location, without opening it.
  /// - Throws: `unavailable` for a server's URL in a build without servers.
  func open(_ location: StoreLocation, _ options: StoreOptions) throws(CreditError) -> any Store {
    if !location.isURL { return LocalStore(location, options: options, system: system) }
    #if Postgres
      var options = options
      options.cacheFolder = folder("XDG_CACHE_HOME") ?? folder("HOME").map { $0 + "/.cache" }
      do {
        let connector = try PostgresConnector(url: location.address)
        return ServerStore(location, connector, options: options, system: system)
      } catch {
        throw CreditError(.unavailable, error.reason)
      }
    #else
      throw CreditError(
        .unavailable,
        "this build keeps stores in local directories only; one with the trait Postgres "
          + "(swift build --traits Postgres) keeps them on servers, too")
    #endif
  }

  /// Returns the absolute path in a variable of the environment; nil without one.
  func folder(_ variable: String) -> String? {
    guard let path = try? environment(variable), path.utf8.first == UInt8(ascii: "/") else {
      return nil
    }
    return path
  }
}

extension StoreLocation {
  private static let schemes = ["postgresql", "postgres"]

  /// Refuses a URL of no store, and a path that was probably meant as a URL or as a path at home.
  /// - Parameter source: its source, for the message.
  func check(of source: String) throws(UsageError) {
    let colon = address.utf8.firstIndex(of: UInt8(ascii: ":"))
    let scheme = String(address[..<(colon ?? address.startIndex)])
    if !isURL {
      if colon != nil, Self.schemes.contains(scheme) {
        throw UsageError(
          "\(source) begins with \(scheme): but not with \(scheme)://, as the URL of a store on a "
            + "server does; a folder of that name is ./\(scheme):…")
      }
      if let problem = TextForm.unexpandedHome(address) { throw UsageError("\(source) \(problem)") }
      guard colon != nil || Self.schemes.contains(where: address.hasPrefix) else { return }
      let first = String(address.prefix { $0 != "/" })
      let hasPort = !scheme.isEmpty && Int64(first.dropFirst(scheme.count + 1)) != nil
      let isURL = Self.schemes.contains { address.hasPrefix("\($0)//") }
      if hasPort || isURL || scheme == "sqlite" {
        throw UsageError(
          "\(source): \(quoted(address)) is almost a URL: a store on a server is postgresql://…, "
            + "and a folder of that name is \(plainOrQuoted("./\(address)"))")
      }
      return
    }
    guard Self.schemes.contains(scheme) else {
      throw UsageError(
        "\(source): a store is a folder, by its path, or is on a server, by postgresql://…; "
          + "\(quoted(path)) is neither" + NearestNames.question(scheme, among: Self.schemes))
    }
    #if Postgres
      do {
        _ = try PostgresConnector(url: address)
      } catch {
        throw UsageError("\(source): \(error.reason)")
      }
    #endif
  }
}
