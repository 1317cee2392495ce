#if Postgres
  internal import CPostgres
  internal import CreditStore
  internal import CreditSystem

  /// Address of a server, and the way to connect to it.
  ///
  /// Both are from a URL, and beyond it from libpq's own environment, service files and defaults.
  struct ServerLocation {
    fileprivate typealias Option = (name: String, value: String)

    /// The hosts in the order in which they are tried; one at least.
    let hosts: [ServerHost]
    /// Seconds that a host may take to answer: `connect_timeout`.
    ///
    /// If that is absent or 0, it is the usual time.
    let timeoutSeconds: Int64

    private static let usualTimeoutSeconds: Int64 = 5

    init(url: String) throws(UnusableLocation) {
      var options = try Self.options(of: url)
      // libpq repeats a supposed host or port in messages.
      if URLPassword.isIn(url),
        !options.contains(where: { $0.name == "password" || $0.name == "sslpassword" })
      {
        throw .passwordMisread
      }
      options.removeAll { $0.name == "client_encoding" }
      options.append(("client_encoding", "UTF8"))
      options.append(("fallback_application_name", "credit-tools"))
      if Self.isUnverified(options) { options.append(("sslmode", "verify-full")) }
      let all = Self.completed(options)
      func value(_ name: String) -> String { all.first { $0.name == name }?.value ?? "" }
      let timeout = Int64(value("connect_timeout")) ?? 0
      timeoutSeconds = timeout > 0 ? timeout : Self.usualTimeoutSeconds
      hosts = Self.hosts(
        options, names: value("host"), addresses: value("hostaddr"), ports: value("port"),
        sessions: value("target_session_attrs"))
    }

    /// Returns the options of each host, if there are several. One that prefers a standby takes any
    /// host if none is a standby.
    private static func hosts(
      _ options: [Option], names: String, addresses: String, ports: String, sessions: String
    ) -> [ServerHost] {
      func list(_ text: String) -> [String] {
        text.isEmpty
          ? [] : text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      }
      let (names, addresses, ports) = (list(names), list(addresses), list(ports))
      let count = max(names.count, addresses.count)
      guard count > 1, names.isEmpty || names.count == count,
        addresses.isEmpty || addresses.count == count
      else { return [ServerHost(name: names.first ?? "the server", options: options)] }
      let rest = options.filter { !["host", "hostaddr", "port"].contains($0.name) }
      func hosts(_ more: [Option]) -> [ServerHost] {
        (0..<count).map { index in
          var own = rest.filter { option in !more.contains { $0.name == option.name } } + more
          if !names.isEmpty { own.append(("host", names[index])) }
          if !addresses.isEmpty { own.append(("hostaddr", addresses[index])) }
          let port = ports.count == count ? ports[index] : ports.first ?? ""
          if !port.isEmpty { own.append(("port", port)) }
          return ServerHost(name: names.isEmpty ? addresses[index] : names[index], options: own)
        }
      }
      if sessions != "prefer-standby" { return hosts([]) }
      return hosts([("target_session_attrs", "standby")]) + hosts([("target_session_attrs", "any")])
    }

    typealias OptionList = UnsafePointer<UnsafePointer<CChar>?>

    fileprivate static func withOptions<Result>(
      _ options: [Option], _ body: (OptionList, OptionList) -> Result
    ) -> Result {
      withCStrings(options.map(\.name)) { names in
        withCStrings(options.map(\.value)) { values in body(names, values) }
      }
    }

    private static func options(of url: String) throws(UnusableLocation) -> [Option] {
      var message: UnsafeMutablePointer<CChar>?
      let parsed = PQconninfoParse(url, &message)
      defer { PQconninfoFree(parsed) }
      guard let parsed else {
        defer { PQfreemem(message) }
        throw UnusableLocation(libraryMessage: messageOfLibrary(message))
      }
      return said(parsed)
    }

    private static func said(
      _ list: UnsafeMutablePointer<PQconninfoOption>
    ) -> [Option] {
      var options: [Option] = []
      var option = list
      while let name = option.pointee.keyword {
        if let value = option.pointee.val {
          options.append((String(cString: name), String(cString: value)))
        }
        option += 1
      }
      return options
    }

    // MARK: Certificates

    /// Whether libpq would accept any certificate of a remote host by default. (Its own default,
    /// `prefer`, in a service file is not detected.)
    private static func isUnverified(_ options: [Option]) -> Bool {
      if options.contains(where: { $0.name == "sslmode" }) { return false }
      if isSet("PGSSLMODE") || isSet("PGREQUIRESSL") { return false }
      let all = completed(options)
      func value(_ name: String) -> String { all.first { $0.name == name }?.value ?? "" }
      return value("sslmode") == "prefer"
        && !HostLocality.areLocal(hosts: value("host"), addresses: value("hostaddr"))
    }

    private static func isSet(_ variable: String) -> Bool {
      (try? ThisProcess.variable(variable)) != .some(nil)
    }

    /// Returns the options with those of environment, service files and defaults. libpq only
    /// reports them for a connection: one that it refuses to begin for an invalid option.
    private static func completed(
      _ options: [Option]
    ) -> [Option] {
      let nonsense = options.filter { $0.name != "gssencmode" } + [("gssencmode", "nonsense")]
      let connection = withOptions(nonsense) { PQconnectStartParams($0, $1, 0) }
      defer { PQfinish(connection) }
      guard let list = PQconninfo(connection) else { return [] }
      defer { PQconninfoFree(list) }
      return said(list)
    }
  }

  struct ServerHost {
    let name: String
    fileprivate let options: [ServerLocation.Option]

    /// Gives `body` the options' names and values, both ended by nil.
    func withOptions<Result>(
      _ body: (ServerLocation.OptionList, ServerLocation.OptionList) -> Result
    ) -> Result {
      ServerLocation.withOptions(options, body)
    }
  }

  /// Gives `body` the texts as C has them, ended by nil.
  private func withCStrings<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
  ) -> Result {
    var bytes: [CChar] = []
    var starts: [Int] = []
    for text in texts {
      starts.append(bytes.count)
      bytes += text.utf8CString
    }
    return bytes.withUnsafeBufferPointer { bytes in
      let pointers = starts.map { start in bytes.baseAddress.map { $0 + start } } + [nil]
      return pointers.withUnsafeBufferPointer { list in
        // It has one element at least.
        guard let first = list.baseAddress else { preconditionFailure("no list") }
        return body(first)
      }
    }
  }
#endif

/// The reason why a URL is not that of a server store.
///
/// It never quotes the URL, which may have a password.
public struct UnusableLocation: Error, Equatable {
  public let reason: String

  static let passwordMisread = UnusableLocation(
    reason: "not the address of a server: in a user's name and password, write /:@?#% as codes "
      + "such as %40 for @")

  private init(reason: String) { self.reason = reason }

  /// - Parameter libraryMessage: libpq's message about the URL: its quotations are left out.
  init(libraryMessage: String) {
    var rest = libraryMessage[...]
    while let last = rest.utf8.lastIndex(of: UInt8(ascii: ":")) { rest = rest[..<last] }
    reason = "not the address of a server: \(rest)"
  }
}

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
