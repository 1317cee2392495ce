internal import CreditJSON
package import CreditModel
package import CreditSystem

/// A store on this machine's disk, as one process uses it.
package final class LocalStore {
  package let location: StoreLocation
  let directory: StoreDirectory
  let options: StoreOptions
  private let policyFile: PolicyFile
  private var standardPolicy: Policy?

  package var system: any SystemCalls { directory.system }

  /// Opens nothing yet.
  /// - Throws: `unavailable` for the URL of a server.
  package init(_ location: StoreLocation, options: StoreOptions, system: any SystemCalls)
    throws(CreditError)
  {
    if location.isURL {
      throw CreditError(
        .unavailable, "this build keeps stores in local directories only, not on servers")
    }
    self.location = location
    self.options = options
    directory = StoreDirectory(path: location.path, system: system)
    policyFile = PolicyFile(in: directory)
  }

  /// Whether the store is there: it is made as soon as it has a journal.
  /// - Throws: `no_store` where a store that somebody named is not; `permission_denied`, `io_error`.
  package func exists() throws(CreditError) -> Bool {
    let status = try reporting { () throws(StoreFault) in
      try directory.status(of: JournalFile.name)
    }
    if status != nil { return true }
    guard location.isNamed else { return false }
    throw CreditError(
      .noStore,
      "there is no store at \(quoted(location.path)); credit-store init makes one",
      [.path(location.path)])
  }

  /// The books for one who only reads them; empty ones where the default store is not made yet.
  /// - Throws: `no_store`, `permission_denied`, `io_error`, `corrupt_store`.
  package func books() throws(CreditError) -> any LedgerReading {
    try exists() ? try StoreReader(self) : EmptyLedger()
  }

  /// The rules as they stand; the standard ones where the default store is not made yet.
  /// - Throws: `no_store`, `invalid_policy`, `io_error`, `permission_denied`.
  package func policy() throws(CreditError) -> Policy {
    if try exists() { return try policyFile.load() }
    if let standardPolicy { return standardPolicy }
    let policy = try PolicyFile.standard()
    standardPolicy = policy
    return policy
  }

  /// The text of the policy.
  /// - Throws: `no_store`, `invalid_policy`, `io_error`.
  package func policyText() throws(CreditError) -> [UInt8] {
    try exists() ? try policyFile.text() : Array(PolicyText.standard.utf8)
  }

  /// Makes the store, or completes one whose making was interrupted.
  /// - Parameters:
  ///   - policy: the text of its policy, checked here.
  ///   - time: when, for the journal's header.
  /// - Returns: false where there was one already, which is left as it is.
  /// - Throws: `invalid_policy`, `cannot_create`, `permission_denied`, `store_locked`.
  package func create(policy: [UInt8], at time: Timestamp) throws(CreditError) -> Bool {
    _ = try PolicyFile.check(policy, in: directory)
    return try create(PolicyDraft(checked: policy), at: time)
  }

  /// Makes the store, or completes one whose making was interrupted.
  /// - Parameter time: when, for the journal's header.
  /// - Returns: false where there was one already, which is left as it is.
  /// - Throws: `cannot_create`, `permission_denied`, `store_locked`.
  package func create(_ policy: PolicyDraft, at time: Timestamp) throws(CreditError) -> Bool {
    let network = try creating { () throws(StoreFault) in
      try directory.create()
      return try directory.networkFileSystem()
    }
    if let network {
      throw CreditError(
        .cannotCreate,
        "\(quoted(location.path)) is on \(network), a network file system, whose locks can't be "
          + "relied on; a store needs a local disk")
    }
    return try creating { () throws(StoreFault) in
      try withWriteLock { () throws(StoreFault) in
        let journal = try directory.status(of: JournalFile.name)
        if let journal, journal.byteCount > 0 { return false }
        try policy.install(in: directory)
        if journal == nil { try JournalFile.create(in: directory) }
        try JournalFile(in: directory, .update).writeHeader(at: time, in: directory)
        return true
      }
    }
  }

  private func creating<Result>(_ body: () throws(StoreFault) -> Result) throws(CreditError)
    -> Result
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

  /// Reads and checks a policy that is to be the store's, and the catalog beside it.
  /// - Throws: `invalid_policy`, `io_error`, `permission_denied`.
  package func policyDraft(_ path: String) throws(CreditError) -> PolicyDraft {
    try PolicyDraft(reading: path, for: directory)
  }

  /// Replaces the policy, in one step.
  /// - Throws: `no_store`, `io_error`, `permission_denied`, `store_locked`.
  package func setPolicy(_ policy: PolicyDraft) throws(CreditError) {
    guard try exists() else {
      throw CreditError(.noStore, "there is no store yet; credit-store init --policy makes one")
    }
    try reporting { () throws(StoreFault) in
      try withWriteLock { () throws(StoreFault) in try policy.install(in: directory) }
    }
  }

  /// Runs `body` under the exclusive lock, whose file is made where there is none.
  func withWriteLock<Result, Failure: StoreError>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let lock: StoreLock
    do throws(StoreFault) {
      lock = try StoreLock(in: directory, .updateOrCreate)
    } catch {
      throw Failure(error)
    }
    return try lock.withLock(.exclusive, waitMilliseconds: options.waitMilliseconds, body)
  }

  /// Makes the index anew from the journal, and brings a journal whose sync had failed to disk.
  /// - Throws: `no_store`, `corrupt_store`, `io_error`, `permission_denied`, `store_locked`.
  package func rebuild() throws(CreditError) {
    guard try exists() else {
      throw CreditError(.noStore, "there is no store yet; credit-store init makes one")
    }
    try WriteSession(self).rebuild()
  }
}

extension JournalFile {
  /// Writes the first line of a journal that has none: a new one, or one whose making was
  /// interrupted, perhaps before its name was on disk. Under the exclusive lock.
  func writeHeader(at time: Timestamp, in directory: StoreDirectory) throws(StoreFault) {
    try directory.sync()
    let line = JournalHeader.line(at: time)
    try line.withBytes { (bytes) throws(StoreFault) in try append(bytes, sync: true) }
  }
}
