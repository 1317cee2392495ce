public import CreditModel

/// A store as one process uses it: on this machine's disk (``LocalStore``), or in a server's
/// database.
public protocol Store: AnyObject {
  var location: StoreLocation { get }

  /// The time by the clock that the store's records use. A server's clock is read with its first
  /// request.
  var systemTime: Timestamp { get }

  /// Whether the store exists.
  /// - Throws: `no_store` if a store was named and does not exist; `permission_denied`, `io_error`,
  ///   `unavailable`.
  func exists() throws(CreditError) -> Bool

  /// The error of a command that needs a store.
  var noStore: CreditError { get }

  // MARK: Requests and readings

  /// Returns the gate for requests that write.
  /// - Parameter makeID: makes a new, unique id for an event at a time.
  func gate(makeID: @escaping (Timestamp) -> Name) -> any CreditGate

  /// Returns the books for reading; empty ones if the default store is not made yet.
  /// - Throws: `no_store`, `permission_denied`, `io_error`, `corrupt_store`, `unavailable`.
  func books() throws(CreditError) -> any LedgerReading

  /// Returns registered accounts whose names begin with a text.
  /// - Parameter limit: the most accounts to return.
  func accounts(beginningWith start: String, limit: Int) throws(CreditError) -> [Name]

  // MARK: The policy

  /// Returns the policy. If the default store is not made yet, that is the policy it will be made
  /// with.
  /// - Throws: `no_store`, `invalid_policy`, `io_error`, `permission_denied`, `unavailable`.
  func policy() throws(CreditError) -> Policy

  /// Returns the policy to read a batch of requests by. It may be a cached one if the gate detects
  /// changes and applies the new policy itself.
  func policyOfBatch() throws(CreditError) -> Policy

  /// Folder for the policy's file names that have no folder, once ``policy()`` was called.
  var policyFolder: String { get }

  /// Returns the text of the policy, as its author wrote it.
  func policyText() throws(CreditError) -> [UInt8]

  /// Returns the texts of the policy and of its catalog, both checked.
  func priceTexts() throws(CreditError) -> [[UInt8]]

  /// Returns the policy in force and its files under plain names: enough to make another store.
  func policyWithFiles() throws(CreditError) -> (text: [UInt8], files: [KeptFile])

  /// Reads and checks the policy in force with its files, without any copy of it.
  /// - Throws: `invalid_policy`, also if copies differ from it; `io_error`, `permission_denied`,
  ///   `unavailable`.
  func policyAsKept() throws(CreditError) -> PolicyDraft

  /// Reads and checks a new policy, and its files.
  /// - Throws: `invalid_policy`, `io_error`, `permission_denied`.
  func policyDraft(_ path: String) throws(CreditError) -> PolicyDraft

  /// Checks a new policy whose files are in the store.
  /// - Parameter enclosed: the files that came with it; then it may name no other file.
  /// - Throws: `invalid_policy`, `io_error`, `permission_denied`.
  func policyDraft(text: [UInt8], enclosed: [String: [UInt8]]?) throws(CreditError) -> PolicyDraft

  /// Replaces the policy in one step.
  func setPolicy(_ policy: PolicyDraft) throws(CreditError)

  // MARK: The store as a whole

  /// Makes the store.
  /// - Parameters:
  ///   - policy: the store's; nil for the standard one.
  ///   - time: its creation time; nil for the current time.
  /// - Returns: false if there is a store already, which stays as it is.
  /// - Throws: `cannot_create`, also if another policy is there.
  func create(_ policy: PolicyDraft?, at time: Timestamp?) throws(CreditError) -> Bool

  func info() throws(CreditError) -> StoreInfo

  /// Returns the state of the store's folder; nil for a store on a server.
  func health() throws(CreditError) -> StoreHealth?

  /// Returns foreign triggers, rules and policies on the tables of a server; nil for a folder.
  func tableAdditions() throws(CreditError) -> [String]?

  /// Recomputes everything and compares.
  /// - Parameter progress: called with the amount done and the total.
  func verify(progress: (Int, Int) -> Void) throws(CreditError) -> StoreSummary

  /// Calls `body` with the text that seals are of, up to one moment, in pieces: each with whether
  /// it is the line before all records, in which a journal's version may rise.
  /// - Parameters:
  ///   - revision: 0 for the text as it is; 1 for the text before its header was last changed, and
  ///     so on.
  ///   - checks: true to refuse a damaged text, or one that lacks acknowledged records.
  /// - Returns: false if it never had that form; `body` is not called then.
  /// - Throws: `no_store`, `corrupt_store`, `io_error`, `permission_denied`, `unavailable`.
  func readSealed(
    revision: Int, checks: Bool, _ body: (Bytes, Bool) throws(CreditError) -> Void
  ) throws(CreditError) -> Bool

  /// Rebuilds the parts that follow from the records.
  func rebuild(progress: (Int, Int) -> Void) throws(CreditError)

  /// Rebuilds these parts, and drops records that cannot be read.
  func rebuild(droppingDamagedInto path: String, progress: (Int, Int) -> Void)
    throws(CreditError) -> DroppedRecords?

  /// Makes the roles of a server, and grants them their rights on the store.
  /// - Throws: `permission_denied`.
  func makeRoles() throws(CreditError)

  /// Adds the records of other books that the store lacks, under their own ids.
  /// - Parameters:
  ///   - progress: called with the number of records checked and the total.
  ///   - conflict: called with the error of each account that is left out.
  /// - Returns: how many records and accounts were added.
  func receive(
    _ books: any LedgerReading, progress: (Int, Int) -> Void, conflict: (CreditError) -> Void
  ) throws(CreditError) -> StoreSummary

  /// Begins to make the store from an export.
  /// - Throws: `cannot_create` if the store has records already.
  func importing() throws(CreditError) -> any StoreImporting
}

/// A store being made from a ``StoreExport``: it gets all records, or none.
public protocol StoreImporting: AnyObject {
  /// Takes in more of the text.
  /// - Throws: `invalid_json`, `invalid_request` or `invalid_policy` with the line,
  ///   `cannot_create`, `store_locked`, `io_error`; the store is unchanged then, or empty.
  func append(_ bytes: Bytes) throws(CreditError)

  /// Ends the text, and puts the records in place.
  func finish() throws(CreditError) -> StoreSummary

  /// Removes the records gathered, if the import has failed.
  func abandon()
}

extension Store {
  public func policyOfBatch() throws(CreditError) -> Policy { try policy() }

  public func policyAsKept() throws(CreditError) -> PolicyDraft {
    try policyDraft(text: try policyText())
  }

  /// Checks a new policy that names only files in the store.
  public func policyDraft(text: [UInt8]) throws(CreditError) -> PolicyDraft {
    try policyDraft(text: text, enclosed: nil)
  }

  /// Refuses a command that needs an existing store.
  /// - Throws: `no_store`, `permission_denied`, `io_error`, `unavailable`.
  public func requireExists() throws(CreditError) { guard try exists() else { throw noStore } }

  /// The error of an import into a store that has records.
  public var hasRecords: CreditError {
    CreditError(
      .cannotCreate,
      "the store at \(quoted(location.path)) has records already; an import takes an empty one",
      [.path(location.path)])
  }

  // MARK: Only a folder has these

  public func health() throws(CreditError) -> StoreHealth? { nil }

  public func rebuild(droppingDamagedInto path: String, progress: (Int, Int) -> Void)
    throws(CreditError) -> DroppedRecords?
  {
    throw CreditError(
      .unavailable, "only a store in a directory is rebuilt without what is damaged")
  }

  // MARK: Only a server does these

  public func tableAdditions() throws(CreditError) -> [String]? { nil }

  public func makeRoles() throws(CreditError) {}

  public func receive(
    _ books: any LedgerReading, progress: (Int, Int) -> Void, conflict: (CreditError) -> Void
  ) throws(CreditError) -> StoreSummary {
    throw CreditError(.unavailable, "only a store on a server accepts a push")
  }
}
