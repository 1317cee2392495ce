package import CreditModel

/// A store as one process uses it, wherever it is kept: on this machine's disk (``LocalStore``), or
/// in a database on a server. What the tools ask of either is here.
package protocol Store: AnyObject {
  var location: StoreLocation { get }

  /// The time by the clock that the store's records go by. Of a server it is known once something
  /// has been asked of that.
  var systemTime: Timestamp { get }

  /// Whether the store is there.
  /// - Throws: `no_store` where a store that somebody named is not; `permission_denied`,
  ///   `io_error`, `unavailable`.
  func exists() throws(CreditError) -> Bool

  /// The error of what needs a store.
  var noStore: CreditError { get }

  // MARK: Requests and readings

  /// What serves the requests that write.
  /// - Parameter makeID: makes a new, unique id for something that happens at a time.
  func gate(makeID: @escaping (Timestamp) -> Name) -> any CreditGate

  /// The books for one who only reads them; empty ones where the default store is not made yet.
  /// - Throws: `no_store`, `permission_denied`, `io_error`, `corrupt_store`, `unavailable`.
  func books() throws(CreditError) -> any LedgerReading

  /// Registered accounts whose names begin with a text.
  /// - Parameter limit: the most that are wanted.
  func accounts(beginningWith start: String, limit: Int) throws(CreditError) -> [Name]

  // MARK: The policy

  /// The rules as they are. Where the default store has not been made yet they are those that it
  /// is made with.
  /// - Throws: `no_store`, `invalid_policy`, `io_error`, `permission_denied`, `unavailable`.
  func policy() throws(CreditError) -> Policy

  /// The rules to read a batch of requests by: those as they are, or, where the gate will find
  /// that they have changed and goes by the new ones, those that are known.
  func policyOfBatch() throws(CreditError) -> Policy

  /// Where a file lies that the policy names without a folder, once ``policy()`` has been asked.
  var policyFolder: String { get }

  /// The text of the policy, as its author wrote it.
  func policyText() throws(CreditError) -> [UInt8]

  /// The texts of the policy and of the catalog that it names, both checked.
  func priceTexts() throws(CreditError) -> [[UInt8]]

  /// The policy in force and the files that it names, each under a plain name: what another store
  /// can be made of.
  func policyWithFiles() throws(CreditError) -> (text: [UInt8], files: [KeptFile])

  /// Reads and checks a policy that is to be the store's, and the files that it names.
  /// - Throws: `invalid_policy`, `io_error`, `permission_denied`.
  func policyDraft(_ path: String) throws(CreditError) -> PolicyDraft

  /// Checks a policy that is to be the store's. The files that it names are in the store.
  /// - Parameter enclosed: the files that came with it; then it names no file elsewhere.
  /// - Throws: `invalid_policy`, `io_error`, `permission_denied`.
  func policyDraft(text: [UInt8], enclosed: [String: [UInt8]]?) throws(CreditError) -> PolicyDraft

  /// Replaces the policy, in one step.
  func setPolicy(_ policy: PolicyDraft) throws(CreditError)

  // MARK: The store as a whole

  /// Makes the store.
  /// - Parameters:
  ///   - policy: the store's; nil for the standard one.
  ///   - time: when; nil for now.
  /// - Returns: false where there is a store already, which stays as it is.
  /// - Throws: `cannot_create`, also where another policy than the given one is there.
  func create(_ policy: PolicyDraft?, at time: Timestamp?) throws(CreditError) -> Bool

  /// What the store is now.
  func info() throws(CreditError) -> StoreInfo

  /// What a machine says of the folder that the store is in; nil for a store on a server.
  func health() throws(CreditError) -> StoreHealth?

  /// Recomputes everything and compares.
  /// - Parameter progress: is called with how much is done, and of how much.
  func verify(progress: (Int, Int) -> Void) throws(CreditError) -> StoreSummary

  /// Rebuilds what can be rebuilt of the records alone.
  func rebuild(progress: (Int, Int) -> Void) throws(CreditError)

  /// Does the same and goes on without the records that cannot be read.
  func rebuild(droppingDamagedInto path: String, progress: (Int, Int) -> Void)
    throws(CreditError) -> DroppedRecords?

  /// Makes the roles of a server, and gives them their rights on the store.
  /// - Throws: `permission_denied`.
  func makeRoles() throws(CreditError)

  /// Takes in the records of other books that it lacks, under their own ids.
  /// - Parameters:
  ///   - progress: is called with how many records have been looked at, and of how many.
  ///   - conflict: is called with the error of each account of which nothing is taken.
  /// - Returns: how many records and accounts have moved.
  func receive(
    _ books: any LedgerReading, progress: (Int, Int) -> Void, conflict: (CreditError) -> Void
  ) throws(CreditError) -> StoreSummary

  /// Begins to make the store of an export.
  /// - Throws: `cannot_create` where the store has records already.
  func importing() throws(CreditError) -> any StoreImporting
}

/// A store in the making, of what ``StoreExport`` wrote: all of it, or nothing.
package protocol StoreImporting: AnyObject {
  /// Takes in more of the text.
  /// - Throws: `invalid_json`, `invalid_request` or `invalid_policy` with the line,
  ///   `cannot_create`, `store_locked`, `io_error`; the store is as before then, or empty.
  func append(_ bytes: UnsafeRawBufferPointer) throws(CreditError)

  /// Says that there is no more, and puts the records in place.
  func finish() throws(CreditError) -> StoreSummary

  /// Removes what was gathered, where the import has failed.
  func abandon()
}

extension Store {
  package func policyOfBatch() throws(CreditError) -> Policy { try policy() }
}

// What only a folder has.
extension Store {
  package func health() throws(CreditError) -> StoreHealth? { nil }

  package func rebuild(droppingDamagedInto path: String, progress: (Int, Int) -> Void)
    throws(CreditError) -> DroppedRecords?
  {
    throw CreditError(
      .unavailable, "only a store in a directory is rebuilt without what is damaged")
  }
}

// What only a server does.
extension Store {
  package func makeRoles() throws(CreditError) {}

  package func receive(
    _ books: any LedgerReading, progress: (Int, Int) -> Void, conflict: (CreditError) -> Void
  ) throws(CreditError) -> StoreSummary {
    throw CreditError(.unavailable, "only a store on a server takes in what is pushed")
  }
}

extension Store {
  /// Refuses what needs a store, where the default one has not been made yet either.
  /// - Throws: `no_store`, `permission_denied`, `io_error`, `unavailable`.
  package func requireExists() throws(CreditError) {
    guard try exists() else { throw noStore }
  }

  /// Checks a policy that is to be the store's, and names files that are in it already.
  package func policyDraft(text: [UInt8]) throws(CreditError) -> PolicyDraft {
    try policyDraft(text: text, enclosed: nil)
  }
}
