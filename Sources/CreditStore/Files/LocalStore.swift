internal import CreditJSON
package import CreditModel
package import CreditSystem

/// A store on this machine's disk, as one process uses it: where it is, whether it is there, and
/// its rules. ``LocalCreditGate`` writes to its journal, and ``StoreReader`` reads it.
package final class LocalStore: Store {
  package let location: StoreLocation
  let directory: StoreDirectory
  let options: StoreOptions
  let policies: PolicyFolder
  private var standardPolicy: Policy?

  package var system: any SystemCalls { directory.system }

  /// For files that go with this process.
  var temporaryDirectory: StoreDirectory {
    StoreDirectory(path: options.temporaryFolder, system: system)
  }

  /// Opens nothing yet.
  package init(_ location: StoreLocation, options: StoreOptions, system: any SystemCalls) {
    self.location = location
    self.options = options
    directory = StoreDirectory(
      path: location.path, system: system, isReadOnly: options.isReadOnly)
    policies = PolicyFolder(directory)
  }

  /// Whether the store is there: it is made as soon as it has a journal.
  /// - Throws: `no_store` where a store that somebody named is not; `corrupt_store` where its
  ///   journal is missing; `permission_denied`, `io_error`.
  package func exists() throws(CreditError) -> Bool {
    if try hasJournal() { return true }
    try checkThatNoneIsMissing()
    if location.isNamed { throw noStore }
    return false
  }

  /// An index with records is that of a journal. Another process may make both meanwhile.
  private func checkThatNoneIsMissing() throws(CreditError) {
    guard let index = try? IndexFile(readingIn: directory), index.recordCount > 0,
      try !hasJournal()
    else { return }
    throw CreditError(
      .corruptStore,
      "\(JournalFile.name) is missing, and the index knows \(index.recordCount) records of it: "
        + "restore the store from a backup; without one, credit-store init begins an empty journal",
      [.lost(index.recordCount)])
  }

  func hasJournal() throws(CreditError) -> Bool {
    try reporting { () throws(StoreFault) in
      try directory.status(of: JournalFile.name) != nil
    }
  }

  package var noStore: CreditError {
    CreditError(
      .noStore, "there is no store at \(quoted(location.path)); credit-store init makes one",
      [.path(location.path)])
  }

  package var systemTime: Timestamp { Timestamp(milliseconds: system.currentMilliseconds()) }

  package var policyFolder: String { location.path }

  package func gate(makeID: @escaping (Timestamp) -> Name) -> any CreditGate {
    LocalCreditGate(self, makeID: makeID)
  }

  package func books() throws(CreditError) -> any LedgerReading {
    try exists() ? try StoreReader(self) : EmptyLedger()
  }

  package func policy() throws(CreditError) -> Policy {
    if try hasPolicy() { return try policies.policy() }
    if let standardPolicy { return standardPolicy }
    let policy = try PolicyFile.standardPolicy()
    standardPolicy = policy
    return policy
  }

  /// Whether the policy in the folder holds, rather than the standard one.
  func hasPolicy() throws(CreditError) -> Bool {
    if try exists() { return true }
    return try policies.file.exists()
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

  /// Rebuilds the index from the journal, and brings a journal whose sync had failed to disk.
  /// - Throws: `no_store`, `corrupt_store`, `io_error`, `permission_denied`, `store_locked`.
  package func rebuild(progress: (Int, Int) -> Void = { _, _ in }) throws(CreditError) {
    try requireExists()
    try WriteSession(self).rebuild(progress)
  }
}
