internal import CreditJSON
public import CreditModel
internal import CreditSystem

extension LocalStore {
  /// Makes the store, or completes one whose creation was interrupted.
  ///
  /// A policy that is already in the folder is checked, and becomes the store's. No foreign file
  /// there is replaced.
  /// - Throws: `cannot_create`, also if the folder has another policy than the given one;
  ///   `invalid_policy`, `corrupt_store`, `permission_denied`, `store_locked`.
  public func create(_ policy: PolicyDraft? = nil, at time: Timestamp?) throws(CreditError) -> Bool
  {
    try makeFolder()
    // A refusal leaves no file.
    if try !hasJournal() { try checkPresent(policy) }
    let lock = try creating { () throws(StoreFault) in
      try StoreLock(in: directory, .updateOrCreate)
    }
    return try lock.withLock(.exclusive, waitMilliseconds: options.waitMilliseconds) {
      () throws(CreditError) in
      if try creating({ () throws(StoreFault) in try hasHeader() }) {
        try checkIsInForce(
          policy, elseSay: "another policy; credit-store policy --set changes that")
        return false
      }
      if try !checkPresent(policy) {
        let first = if let policy { policy } else { try policyDraft(text: PolicyText.standard) }
        try creating { () throws(StoreFault) in try first.install(in: directory) }
      }
      try creating { () throws(StoreFault) in
        if try directory.status(of: JournalFile.name) == nil {
          // An existing index belongs to a removed journal.
          try directory.removeFile(IndexFile.name)
          try JournalFile.create(in: directory)
        }
        let journal = try JournalFile(in: directory, .update)
        try journal.writeHeader(at: time ?? systemTime, in: directory)
      }
      return true
    }
  }

  private static let otherPolicy =
    "a \(PolicyFile.name) that differs; without --policy the store uses that file"

  func makeFolder() throws(CreditError) {
    let network = try creating { () throws(StoreFault) in
      try directory.create()
      return try directory.networkFileSystem()
    }
    guard let network else { return }
    throw cannotCreate(
      "\(quoted(location.path)) is on \(network), a network file system, whose locks can't be "
        + "relied on; a store needs a local disk")
  }

  /// Whether the journal has its header. Removes a header that is incomplete.
  private func hasHeader() throws(StoreFault) -> Bool {
    guard let status = try directory.status(of: JournalFile.name) else { return false }
    let journal = try JournalFile(in: directory, .read)
    try journal.refresh()
    if try journal.createdAt() != nil { return true }
    // Records in the index are never cut off: this throws first.
    _ = try VerifierIndex(of: journal, in: directory)
    if status.byteCount > 0 { try JournalFile(in: directory, .update).recover() }
    return false
  }

  /// Refuses a foreign file with one of the store's names.
  /// - Parameter beginning: how a store's file of that name begins; empty if it has to be empty.
  private func check(_ name: String, beginsWith beginning: [UInt8]) throws(CreditError) {
    let bytes = try creating { () throws(StoreFault) -> [UInt8] in
      guard try directory.status(of: name) != nil else { return [] }
      return try directory.open(name, .read).bytes(0..<max(1, beginning.count))
    }
    if bytes.isEmpty || !beginning.isEmpty && bytes == beginning { return }
    throw cannotCreate(
      "\(name) in \(quoted(location.path)) is not a store's, and a store needs that name")
  }

  /// Checks the folder, and the policy in it.
  /// - Returns: true if it has a policy.
  @discardableResult
  func checkPresent(_ policy: PolicyDraft?) throws(CreditError) -> Bool {
    try check(IndexFile.name, beginsWith: IndexLayout.beginning)
    for index in [PriceIndex.Kind.catalog, .policy] {
      try check(index.name, beginsWith: index.beginning)
    }
    try check(StoreLock.name, beginsWith: [])
    guard try policies.file.exists() else { return false }
    try checkIsInForce(policy, elseSay: Self.otherPolicy)
    // A given policy has been checked.
    if policy != nil { return true }
    let text = try reporting { () throws(StoreFault) in
      try directory.readFile(PolicyFile.name, limit: PolicyFile.byteLimit)
    }
    do {
      try PolicyDraft(text, of: nil, from: directory, for: policies.file).checkZone()
    } catch {
      throw error.inFile(directory.path(of: PolicyFile.name))
    }
    return true
  }

  private func checkIsInForce(_ policy: PolicyDraft?, elseSay problem: String) throws(CreditError) {
    guard let policy else { return }
    let isInForce = try reporting { () throws(StoreFault) in
      try policy.isInstalled(in: directory)
    }
    if !isInForce { throw cannotCreate("\(quoted(location.path)) has \(problem)") }
  }

  private func cannotCreate(_ problem: String) -> CreditError {
    CreditError(.cannotCreate, problem, [.path(location.path)])
  }

  /// Runs steps of the creation, whose failures mean that the store cannot be made.
  private func creating<Result: ~Copyable>(_ body: () throws(StoreFault) -> Result)
    throws(CreditError) -> Result
  {
    do {
      return try body()
    } catch {
      if case .system(let reason) = error, !reason.isForbidden {
        throw CreditError(.cannotCreate, "\(reason)", [.path(location.path), .outcome("none")])
      }
      throw CreditError(error)
    }
  }
}
