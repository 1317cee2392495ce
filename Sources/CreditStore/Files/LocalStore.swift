internal import CreditJSON
package import CreditModel
package import CreditSystem

/// A store on this machine's disk, as one process uses it: where it is, whether it is there, and
/// its rules. ``LocalCreditGate`` writes to its journal, and ``StoreReader`` reads it.
package final class LocalStore {
  package let location: StoreLocation
  let directory: StoreDirectory
  let options: StoreOptions
  let policyFile: PolicyFile
  private var standardPolicy: Policy?

  package var system: any SystemCalls { directory.system }

  /// For files that go with this process.
  var temporaryDirectory: StoreDirectory {
    StoreDirectory(path: options.temporaryFolder, system: system)
  }

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
    directory = StoreDirectory(
      path: location.path, system: system, isReadOnly: options.isReadOnly)
    policyFile = PolicyFile(in: directory)
  }

  /// Whether the store is there: it is made as soon as it has a journal.
  /// - Throws: `no_store` where a store that somebody named is not; `permission_denied`,
  ///   `io_error`.
  package func exists() throws(CreditError) -> Bool {
    let hasJournal = try hasJournal()
    if !hasJournal && location.isNamed { throw noStore }
    return hasJournal
  }

  func hasJournal() throws(CreditError) -> Bool {
    try reporting { () throws(StoreFault) in
      try directory.status(of: JournalFile.name) != nil
    }
  }

  /// Refuses what needs a store, where the default one has not been made yet either.
  /// - Throws: `no_store`, `permission_denied`, `io_error`.
  package func requireExists() throws(CreditError) {
    guard try exists() else { throw noStore }
  }

  /// The error of what needs a store.
  var noStore: CreditError {
    CreditError(
      .noStore, "there is no store at \(quoted(location.path)); credit-store init makes one",
      [.path(location.path)])
  }

  /// The books for one who only reads them; empty ones where the default store is not made yet.
  /// - Throws: `no_store`, `permission_denied`, `io_error`, `corrupt_store`.
  package func books() throws(CreditError) -> any LedgerReading {
    try exists() ? try StoreReader(self) : EmptyLedger()
  }

  /// The rules as they stand. Where the default store has not been made yet they are those that it
  /// is made with.
  /// - Throws: `no_store`, `invalid_policy`, `io_error`, `permission_denied`.
  package func policy() throws(CreditError) -> Policy {
    if try hasPolicy() { return try policyFile.load() }
    if let standardPolicy { return standardPolicy }
    let policy = StandardPrices.policy()
    standardPolicy = policy
    return policy
  }

  /// Whether the policy in the folder holds, rather than the standard one.
  func hasPolicy() throws(CreditError) -> Bool {
    if try exists() { return true }
    return try policyFile.exists()
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
  package func rebuild(progress: (Int, Int) -> Void = { _, _ in }) throws(CreditError) {
    try requireExists()
    try WriteSession(self).rebuild(progress)
  }
}
