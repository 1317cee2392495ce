internal import CreditJSON
public import CreditModel
public import CreditSystem

/// The store's policy, `policy.json`, which people edit.
///
/// Read at the start of every run, and again after it or its catalog has changed.
public final class PolicyFile {
  public static let name = "policy.json"

  public static let byteLimit = JSONScanner.byteLimit

  /// How often the policy may be replaced while it is being read.
  public static let readLimit = 10

  let directory: StoreDirectory
  /// See ``StoreOptions/zoneFolder``.
  private let zoneFolder: String?
  private(set) lazy var zones = ZoneFolders(zoneFolder, directory.system)
  private var known: PolicyInForce?

  public init(in directory: StoreDirectory, zoneFolder: String? = nil) {
    self.directory = directory
    self.zoneFolder = zoneFolder
  }

  /// - Throws: `permission_denied`, `io_error`.
  func exists() throws(CreditError) -> Bool { try status() != nil }

  /// Returns the current policy with its text and its catalog, all of one moment.
  /// - Throws: `invalid_policy`, with the path of the fault in it; `io_error`.
  func inForce() throws(CreditError) -> PolicyInForce {
    if let known, try isCurrent(known) { return known }
    var readCount = 0
    while true {
      readCount += 1
      let file = try open()
      do throws(CreditError) {
        let read = try read(file)
        known = read
        return read
      } catch {
        // An incomplete text or a missing catalog may belong to a policy that has been replaced.
        if readCount == Self.readLimit { throw error }
        if try self.status() == file.status { throw error }
      }
    }
  }

  private func isCurrent(_ known: PolicyInForce) throws(CreditError) -> Bool {
    guard known.isSettled, try status() == known.file.status else { return false }
    return known.catalog?.isCurrent ?? true
  }

  private func status() throws(CreditError) -> FileStatus? {
    try reporting { () throws(StoreFault) in try directory.status(of: Self.name) }
  }

  private func open() throws(CreditError) -> NamedFile {
    do throws(StoreFault) {
      return try NamedFile(directory.open(Self.name, .read), limit: Self.byteLimit)
    } catch {
      guard case .system(let reason) = error, reason.isMissing else { throw CreditError(error) }
      throw CreditError(
        .invalidPolicy, "the store has no \(Self.name); credit-store policy --set puts one there")
    }
  }

  /// Reads the policy through its index, or else whole, and then writes an index.
  private func read(_ file: NamedFile) throws(CreditError) -> PolicyInForce {
    if let index = PriceIndex(.policy, of: file.status, in: directory) {
      var (policy, catalog) = try Self.check(index.rules, in: directory) { self.zones }
      let prices = IndexedPrices(index, of: file, in: directory, next: catalog?.prices) {
        [directory] () throws(CreditError) in
        try Self.check(try file.text(), in: directory, zones: nil).policy.prices.source
      }
      policy.prices = KnownPrices(prices)
      return PolicyInForce(file: file, policy: policy, catalog: catalog, isSettled: true)
    }
    let text = try file.text()
    let isSettled = file.status.isSettled(at: directory.system.currentMilliseconds())
    let (policy, catalog) = try Self.check(text, in: directory) { self.zones }
    if isSettled, file.isUnchanged {
      try? Self.writeIndex(of: text, file.status, in: directory)
    }
    return PolicyInForce(file: file, policy: policy, catalog: catalog, isSettled: isSettled)
  }

  /// Writes the index of a policy that has been checked.
  /// - Throws: if the store can't be written; the next process then reads the whole policy again.
  private static func writeIndex(
    of text: [UInt8], _ status: FileStatus, in directory: StoreDirectory
  ) throws(StoreFault) {
    guard let document = try? JSONDocument(text) else { return }
    try document.withRoot { (value) throws(StoreFault) in
      var rules = text
      let lists = [value.member("models"), value.member("products")].compactMap(\.self)
      let ranges = lists.map { document.range(of: $0) }
      for range in ranges.sorted(by: { $0.lowerBound > $1.lowerBound }) {
        rules.replaceSubrange(range, with: "[]".utf8)
      }
      try PriceIndex.write(
        .policy, CatalogText.entries(value), startingAt: document.range(of: value).lowerBound,
        rules: rules, of: status, in: directory)
    }
  }

  /// Returns the policy of a store that is not made yet.
  static func standardPolicy() throws(CreditError) -> Policy {
    try decode(PolicyText.standard) { value throws(CreditError) in
      try PolicyDecoder.decode(value)
    }
  }

  /// Checks a policy's whole text, and the catalog that it names.
  /// - Parameter directory: the folder of the policy and its catalog.
  private static func check(
    _ text: [UInt8], in directory: StoreDirectory, zones: (() -> any ZoneSource)?
  ) throws(CreditError) -> (policy: Policy, catalog: CatalogFile?) {
    var (catalog, opens) = (CatalogFile?.none, false)
    let policy = try decode(text, of: Self.name) { value throws(CreditError) in
      do throws(CreditError) {
        return try PolicyDecoder.decode(value, zones: zones) { name throws(CreditError) in
          opens = true
          let file = try CatalogFile.open(name, in: directory)
          (catalog, opens) = (file, false)
          return file.prices
        }
      } catch {
        // An error of the catalog names that.
        if error.code != .invalidPolicy || opens { throw error }
        throw CreditError(error.code, "\(Self.name): \(error.message)", error.details)
      }
    }
    return (policy, catalog)
  }

  /// - Parameter name: the name of the text in messages, if it is not JSON; nil if the caller adds
  ///   it.
  static func decode<Value>(
    _ text: [UInt8], of name: String? = nil, _ body: (JSONValue) throws(CreditError) -> Value
  ) throws(CreditError) -> Value {
    let place = name.map { $0 + ": " } ?? ""
    let document: JSONDocument
    do {
      document = try JSONDocument(text)
    } catch {
      if text.allSatisfy(\.isJSONSpace) {
        throw CreditError(
          .invalidPolicy, "\(place)the policy is empty; the shortest policy is {}",
          [.line(error.line), .offset(error.offset)])
      }
      throw CreditError(
        .invalidPolicy,
        place + error.message
          + text.withBytes { error.advice(before: Bytes(rebasing: $0[error.offset...])) },
        [.line(error.line), .offset(error.offset)])
    }
    if let name = document.duplicateName {
      throw CreditError(
        .invalidPolicy, "\(place)member \(quoted(name)) appears twice in one object")
    }
    return try document.withRoot(body)
  }
}

struct PolicyInForce {
  /// As it is in the store, with the store's names of files.
  let file: NamedFile
  let policy: Policy
  let catalog: CatalogFile?
  /// Whether any later change of the file is visible in its status.
  let isSettled: Bool
}

/// The secrets that sign a payment provider's events, one a line. Only its owner
/// may read the file. They are never in a policy, an export or a message.
public enum EventSecrets {
  private static let byteLimit = 1 << 16

  /// Reads the secrets.
  /// - Parameters:
  ///   - name: the file's name in the folder.
  ///   - place: the member of the policy that names it.
  /// - Throws: `invalid_policy` if the file is missing or others may read it; `permission_denied`,
  ///   `io_error`.
  public static func load(
    _ name: String, in folder: String, at place: String, _ system: any SystemCalls
  ) throws(CreditError) -> [UInt8] {
    let file: FileDescriptor
    do throws(StoreFault) {
      file = try FileDescriptor("\(folder)/\(name)", .namedFile, system)
    } catch {
      guard case .system(let reason) = error, reason.isMissing || reason.isWrongKind else {
        throw CreditError(error)
      }
      throw invalid(place, folder, reason.isMissing ? "that is not there" : "that is not a file")
    }
    guard file.opened.kind == .regular else { throw invalid(place, folder, "that is not a file") }
    guard file.opened.access.mode & 0o077 == 0 else {
      throw invalid(place, folder, "that other users may read: run chmod 600 on it")
    }
    return try reporting { () throws(StoreFault) in
      try file.contents(limit: byteLimit)
    }
  }

  /// Omits the name, as a user may have written the secret instead.
  private static func invalid(_ place: String, _ folder: String, _ problem: String) -> CreditError {
    CreditError(
      .invalidPolicy, "\(place) names a file of \(quoted(folder)) \(problem)", [.path(place)])
  }
}

/// The root certificate of the App Store's signatures that the policy trusts.
public enum RootCertificate {
  /// Reads and checks the certificate that a policy names.
  /// - Parameter name: its path, relative to the policy's folder unless it is absolute.
  /// - Returns: the certificate in DER.
  /// - Throws: `invalid_policy`, `permission_denied`, `io_error`.
  public static func load(
    _ name: String, in policyFolder: String, _ system: any SystemCalls
  ) throws(CreditError) -> [UInt8] {
    let path = name.hasPrefix("/") ? name : "\(policyFolder)/\(name)"
    return try decode(NamedFile(path, of: .rootCertificate, system).text(), path)
  }

  /// Returns a file's single certificate in DER.
  /// - Throws: `invalid_policy`.
  @discardableResult
  static func decode(_ bytes: [UInt8], _ path: String) throws(CreditError) -> [UInt8] {
    guard let certificate = CertificateText.decode(bytes), Certificate(certificate) != nil else {
      throw FileMember.rootCertificate.invalid(
        "is not one certificate in DER or PEM: \(quoted(path))")
    }
    return certificate
  }
}
