public import CreditJSON
public import CreditModel
internal import CreditSystem

/// A checked policy with its files, to be put into a store.
public struct PolicyDraft {
  /// As its author wrote it.
  public let text: [UInt8]
  public let files: [KeptFile]
  /// Prices of its models and its catalog's models that are probably mistakes.
  public let improbablePrices: ImprobablePrices
  /// Other entries that are probably mistakes.
  public let remarks: [String]
  /// The sources of its events, whose files of secrets are not checked.
  public let payments: [PaymentSource]
  /// The days on which the prices of these models were looked up.
  public let priceDates: PriceDates
  /// The time zone that it names, which this machine may lack.
  public let zone: PolicyZone?

  /// Checks a policy and the files that it names.
  ///
  /// A name without a folder is searched beside the policy, and then in the store, first among the
  /// files of the policy in force.
  /// - Parameters:
  ///   - name: the policy's name in messages; nil if the caller adds it.
  ///   - folder: the policy's folder, if it has one.
  ///   - enclosed: files that came with the policy, by their names; nil if a policy may name any
  ///     file.
  ///   - present: the policy in force.
  /// - Throws: `invalid_policy`, `io_error`, `permission_denied`.
  init(
    _ text: [UInt8], of name: String?, from folder: StoreDirectory?,
    enclosed: [String: [UInt8]]? = nil, for present: PolicyFile
  ) throws(CreditError) {
    var files: [KeptFile] = []
    var catalog: [UInt8]?
    let search = FileSearch(folder: folder, enclosed: enclosed, directory: present.directory)
    let policy = try PolicyFile.decode(text, of: name) { value throws(CreditError) in
      try PolicyDecoder.decode(value, zones: { present.zones }) { name throws(CreditError) in
        let found = try search.find(name, .catalog)
        if found.shouldKeep { files.append(found.file) }
        catalog = found.file.bytes
        return try CatalogFile.check(found.file.bytes, of: found.path)
      }
    }
    if let name = policy.appStore?.rootCertificate {
      let found = try search.find(name, .rootCertificate)
      if found.shouldKeep { files.append(found.file) }
      try RootCertificate.decode(found.file.bytes, found.path)
    }
    let now = Timestamp(milliseconds: present.directory.system.currentMilliseconds())
    var prices = ImprobablePrices(at: policy.priceRules.usdMicrosPerCredit, now: now)
    var dates = PriceDates()
    for text in [text, catalog ?? []] {
      try? JSONDocument(text).withRoot { list in
        prices.add(modelsOf: list)
        dates.add(modelsOf: list)
      }
    }
    self.text = text
    self.files = files
    improbablePrices = prices
    remarks = policy.remarks + OddProducts(policy).sentences
    payments = policy.payments
    priceDates = dates
    zone = if case .wall(let zone) = policy.clock { zone } else { nil }
  }

  /// Checks that this machine has the policy's time zone.
  ///
  /// A store from another machine is used and read without it as long as no window begins.
  /// - Throws: `invalid_policy`; `io_error`, `permission_denied`.
  public func checkZone() throws(CreditError) {
    do {
      _ = try zone?.zone()
    } catch {
      guard error.code == .unavailable else { throw error }
      throw CreditError(.invalidPolicy, "timeZone: \(error.message)", [.path("timeZone")])
    }
  }

  /// Puts the policy and its files in place in one step: the rename of `policy.json`. Requires the
  /// exclusive lock.
  public func install(in directory: StoreDirectory) throws(StoreFault) {
    let before = try Self.keptNames(in: directory)
    let names = try files.map { (file) throws(StoreFault) in
      (member: file.member, name: try file.keep(in: directory))
    }
    let text = PolicyNames.replacing(names, in: text)
    try directory.replaceFile(PolicyFile.name, with: text)
    guard let before, let now = PolicyNames.names(in: text) else { return }
    // Files that cannot be removed now are removed after the next change.
    try? KeptFile.removeAll(in: directory, but: before + now.map(\.name))
  }

  /// Returns the names of the files of the policy in force; nil if that cannot be read.
  private static func keptNames(in directory: StoreDirectory) throws(StoreFault) -> [String]? {
    guard try directory.status(of: PolicyFile.name) != nil else { return [] }
    let text = try? directory.readFile(PolicyFile.name, limit: PolicyFile.byteLimit)
    return text.flatMap(PolicyNames.names)?.map(\.name)
  }

  /// Whether this policy is in force with the same files.
  func isInstalled(in directory: StoreDirectory) throws(StoreFault) -> Bool {
    guard try directory.status(of: PolicyFile.name) != nil else { return false }
    let present = try directory.readFile(PolicyFile.name, limit: PolicyFile.byteLimit)
    guard PolicyNames.originalText(present) == text, let names = PolicyNames.names(in: present)
    else { return false }
    return files.allSatisfy { file in
      let name = names.first { $0.member == file.member }?.name
      return name.flatMap { try? directory.readFile($0, limit: file.member.byteLimit) }
        == file.bytes
    }
  }
}

private struct FileSearch {
  let folder: StoreDirectory?
  let enclosed: [String: [UInt8]]?
  let directory: StoreDirectory

  struct Found {
    let file: KeptFile
    let path: String
    /// Whether it goes into the store with the policy; else it stays in its place.
    let shouldKeep: Bool
  }

  /// - Throws: `invalid_policy`, also if the store uses the name itself; `io_error`,
  ///   `permission_denied`.
  func find(_ name: String, _ member: FileMember) throws(CreditError) -> Found {
    if name.utf8.contains(UInt8(ascii: "/")) {
      if enclosed != nil { throw member.invalid("is not a plain file name") }
      let path = name.hasPrefix("/") ? name : directory.path(of: name)
      return try read(path, as: name, member, shouldKeep: false)
    }
    if StoreDirectory.isOwnName(name) {
      throw member.invalid("is the name of one of the store's own files")
    }
    guard name.utf8.count <= KeptFile.nameLimit else {
      throw member.invalid("is longer than \(KeptFile.nameLimit) bytes")
    }
    if let bytes = enclosed?[name] {
      return Found(
        file: KeptFile(member: member, name: name, bytes: bytes), path: name, shouldKeep: true)
    }
    let (beside, present) = try reporting { () throws(StoreFault) in
      (try folder?.status(of: name), try directory.status(of: name))
    }
    if let folder, let beside, beside.identity != present?.identity {
      return try read(folder.path(of: name), as: name, member, shouldKeep: true)
    }
    if beside == nil, let kept = try nameInForce(name, member) {
      return try read(directory.path(of: kept), as: name, member, shouldKeep: true)
    }
    if present != nil {
      let isKept = KeptFile.originalName(of: name) != nil
      return try read(directory.path(of: name), as: name, member, shouldKeep: isKept)
    }
    throw member.invalid(
      "names \(quoted(name)), which is neither beside the policy nor in the store")
  }

  private func nameInForce(_ name: String, _ member: FileMember) throws(CreditError) -> String? {
    let text = try reporting { () throws(StoreFault) -> [UInt8]? in
      guard try directory.status(of: PolicyFile.name) != nil else { return nil }
      return try directory.readFile(PolicyFile.name, limit: PolicyFile.byteLimit)
    }
    let names = text.flatMap(PolicyNames.names(in:)) ?? []
    return names.first { $0.member == member && KeptFile.originalName(of: $0.name) == name }?.name
  }

  private func read(
    _ path: String, as name: String, _ member: FileMember, shouldKeep: Bool
  ) throws(CreditError) -> Found {
    let bytes = try NamedFile(path, of: member, directory.system).text()
    let file = KeptFile(member: member, name: KeptFile.originalName(of: name) ?? name, bytes: bytes)
    return Found(file: file, path: path, shouldKeep: shouldKeep)
  }
}

extension StoreDirectory {
  /// The file with the totals of threads that credit-run keeps beside a store.
  public static let threadsName = "threads.json"

  public static func isOwnName(_ name: String) -> Bool {
    let names = [
      PolicyFile.name, PriceIndex.Kind.policy.name, IndexFile.name, PriceIndex.Kind.catalog.name,
      StoreLock.name, threadsName,
      temporaryName,
    ]
    return names.contains(name) || name.hasPrefix("journal.") || name.hasSuffix(".new")
  }
}

// The policy of a store is in its folder; a default store that is not made yet has the standard
// one.
extension LocalStore {
  public func policyText() throws(CreditError) -> [UInt8] {
    try hasPolicy() ? try policies.text() : PolicyText.standard
  }

  public func priceTexts() throws(CreditError) -> [[UInt8]] {
    try hasPolicy() ? try policies.priceTexts() : [PolicyText.standard]
  }

  public func policyWithFiles() throws(CreditError) -> (text: [UInt8], files: [KeptFile]) {
    try hasPolicy() ? try policies.withFiles() : (try policyText(), [])
  }

  public func policyDraft(_ path: String) throws(CreditError) -> PolicyDraft {
    try policies.draft(path)
  }

  public func policyDraft(text: [UInt8], enclosed: [String: [UInt8]]?)
    throws(CreditError) -> PolicyDraft
  {
    try policies.draft(text, enclosed: enclosed)
  }

  /// - Throws: `no_store`, `io_error`, `permission_denied`, `store_locked`.
  public func setPolicy(_ policy: PolicyDraft) throws(CreditError) {
    try requireExists()
    try reporting { () throws(StoreFault) in
      try withWriteLock { (_) throws(StoreFault) in try policy.install(in: directory) }
    }
  }
}

enum PolicyNames {
  /// Returns the names in the text; nil if it is not JSON.
  static func names(in text: [UInt8]) -> [(member: FileMember, name: String)]? {
    (try? JSONDocument(text))?.withRoot { policy in
      FileMember.allCases.compactMap { member in
        member.value(in: policy)?.string.map { (member, $0) }
      }
    }
  }

  /// Replaces names in the text, without other changes.
  static func replacing(_ names: [(member: FileMember, name: String)], in text: [UInt8])
    -> [UInt8]
  {
    guard !names.isEmpty, let document = try? JSONDocument(text) else { return text }
    var places = document.withRoot { policy in
      names.compactMap { member, name in
        member.value(in: policy).map { (range: document.range(of: $0), name: name) }
      }
    }
    places.sort { $0.range.lowerBound > $1.range.lowerBound }
    var text = text
    for (range, name) in places {
      var writer = JSONWriter(capacity: 256)
      writer.string(name)
      text.replaceSubrange(range, with: writer.withBytes { [UInt8]($0) })
    }
    return text
  }

  /// Returns the text as its author wrote it, with the author's names of files.
  static func originalText(_ text: [UInt8]) -> [UInt8] {
    let names = names(in: text) ?? []
    return replacing(
      names.compactMap { member, name in KeptFile.originalName(of: name).map { (member, $0) } },
      in: text)
  }
}
