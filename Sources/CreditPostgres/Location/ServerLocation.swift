#if Postgres
  internal import CPostgres
  internal import CreditSystem

  /// Where a server is, and how it is connected to: what a URL says, and beyond it libpq's own
  /// environment, service files and defaults.
  struct ServerLocation {
    private typealias Option = (name: String, value: String)

    private let options: [Option]

    init(url: String) throws(UnusableLocation) {
      if URLPassword.isIn(url) { throw .hasPassword }
      var options = try Self.options(of: url)
      if options.contains(where: { $0.name == "password" || $0.name == "sslpassword" }) {
        throw .hasPassword
      }
      options.removeAll { $0.name == "client_encoding" }
      options.append(("client_encoding", "UTF8"))
      options.append(("fallback_application_name", "credit-tools"))
      if Self.isUnverified(options) { options.append(("sslmode", "verify-full")) }
      self.options = options
    }

    /// Gives `body` the options' names and values, both ended by nil.
    func withOptions<Result>(_ body: (OptionList, OptionList) -> Result) -> Result {
      Self.withOptions(options, body)
    }

    typealias OptionList = UnsafePointer<UnsafePointer<CChar>?>

    private static func withOptions<Result>(
      _ options: [Option], _ body: (OptionList, OptionList) -> Result
    ) -> Result {
      withCStrings(options.map(\.name)) { names in
        withCStrings(options.map(\.value)) { values in body(names, values) }
      }
    }

    /// What a URL says.
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

    /// Whether libpq would take any certificate of a host that is not local as nobody said
    /// otherwise. (That its own default, `prefer`, stands in a service file is not seen.)
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

    /// The options with what environment, service files and defaults add, which libpq tells of a
    /// connection only: of one that it refuses to begin for a nonsense.
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
