public import CreditModel
public import CreditStore
public import CreditSystem

/// A store in a PostgreSQL database, as one process uses it. On any machine the tools keep the same
/// contract as on a local one.
public final class ServerStore: Store {
  public let location: StoreLocation
  let session: ServerSession
  let system: any SystemCalls
  let policies: ServerPolicy

  /// Sends nothing to the server yet.
  /// - Parameter connector: connects to the location.
  public init(
    _ location: StoreLocation, _ connector: any ServerConnector, options: StoreOptions,
    system: any SystemCalls
  ) {
    self.location = location
    self.system = system
    session = ServerSession(location, connector, options, system)
    policies = ServerPolicy(session, system)
  }

  public var systemTime: Timestamp {
    Timestamp(milliseconds: session.serverMicroseconds / 1000)
  }

  public func exists() throws(CreditError) -> Bool {
    _ = try policies.current()
    return true
  }

  public var noStore: CreditError { .noStore(at: location) }

  public func gate(makeID: @escaping (Timestamp) -> Name) -> any CreditGate {
    ServerGate(session, policies, makeID: makeID)
  }

  public func books() throws(CreditError) -> any LedgerReading { ServerReader(session) }

  public func accounts(beginningWith start: String, limit: Int) throws(CreditError) -> [Name] {
    let rows = try session.ask(
      Statement(
        "SELECT name FROM credit.account WHERE name >= $1 AND starts_with(name, $1) "
          + "AND name <> '' ORDER BY name LIMIT $2", [.text(start), .int(Int64(limit))]))
    return (0..<rows.count).compactMap { rows.text($0, 0).map { Name(trusted: $0) } }
  }

  public func tableAdditions() throws(CreditError) -> [String]? {
    let rows = try session.ask(
      Statement(
        """
        SELECT a.kind, a.name, c.relname FROM (SELECT 'trigger' AS kind, tgname AS name, tgrelid \
        AS place FROM pg_trigger WHERE NOT tgisinternal \
        UNION ALL SELECT 'rule', rulename, ev_class FROM pg_rewrite WHERE rulename <> '_RETURN' \
        UNION ALL SELECT 'policy', polname, polrelid FROM pg_policy \
        UNION ALL SELECT 'row', 'security', oid FROM pg_class WHERE relrowsecurity) AS a \
        JOIN pg_class AS c ON c.oid = a.place \
        WHERE c.relnamespace = to_regnamespace('credit') ORDER BY c.relname, a.kind, a.name
        """))
    return (0..<rows.count).map { row in
      let (kind, name) = (rows.text(row, 0) ?? "", rows.text(row, 1) ?? "")
      return "\(kind) \(plainOrQuoted(name)) on \(rows.text(row, 2) ?? "")"
    }
  }

  // MARK: The policy

  public func policy() throws(CreditError) -> Policy { try policies.current() }

  public func policyOfBatch() throws(CreditError) -> Policy {
    if let known = policies.known { return known }
    return try policies.current()
  }

  public var policyFolder: String { policies.path }

  public func policyText() throws(CreditError) -> [UInt8] { try policies.folder().text() }

  public func priceTexts() throws(CreditError) -> [[UInt8]] { try policies.folder().priceTexts() }

  public func policyWithFiles() throws(CreditError) -> (text: [UInt8], files: [KeptFile]) {
    try policies.folder().withFiles()
  }

  public func policyAsKept() throws(CreditError) -> PolicyDraft { try policies.asKept() }

  /// The files that the policy names come with it, wherever they are.
  public func policyDraft(_ path: String) throws(CreditError) -> PolicyDraft {
    try draftFolder().draft(path, keepsAll: true)
  }

  public func policyDraft(text: [UInt8], enclosed: [String: [UInt8]]?) throws(CreditError)
    -> PolicyDraft
  {
    try draftFolder().draft(text, enclosed: enclosed, keepsAll: true)
  }

  /// Returns the folder with the files of the policy in force; an empty one if there is no store.
  private func draftFolder() throws(CreditError) -> PolicyFolder {
    do throws(CreditError) {
      return try policies.folder()
    } catch {
      if error.code != .noStore { throw error }
      return PolicyFolder(
        StoreDirectory(path: "\(session.options.temporaryFolder)/no-store", system: system),
        zoneFolder: session.options.zoneFolder)
    }
  }

  public func setPolicy(_ policy: PolicyDraft) throws(CreditError) { try policies.set(policy) }
}

/// The gate over a server: a batch is one transaction.
final class ServerGate: CreditGate {
  private let session: ServerSession
  private let policies: ServerPolicy
  private let makeID: (Timestamp) -> Name
  private let known = KnownAccounts()

  /// The most requests of a transaction: others wait for its accounts meanwhile. Each waits for the
  /// disk once.
  private static let requestLimit = 4000

  init(
    _ session: ServerSession, _ policies: ServerPolicy, makeID: @escaping (Timestamp) -> Name
  ) {
    self.session = session
    self.policies = policies
    self.makeID = makeID
  }

  func perform(_ batch: Batch) throws(CreditError) {
    // Another batch may have met a newer policy.
    let tries = ServerBatch(
      batch, batch.unanswered.prefix(Self.requestLimit), under: policies.known ?? batch.policy,
      policies, known, session, makeID: makeID)
    for answer in try tries.perform() { batch.add(answer) }
    batch.add(registered: tries.registered)
    batch.lookUpNoted(ServerReader(session).newest(of:))
  }
}
