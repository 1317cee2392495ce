internal import CreditModel
internal import CreditStore
internal import CreditSystem
internal import Synchronization

/// The policy of a store on a server. Its versions are rows.
///
/// This machine keeps the newest version that it has seen in a folder, so that a catalog is fetched
/// and checked once. The folder is not part of the store: a process that only reads the store
/// writes to it, too.
final class ServerPolicy {
  private let session: ServerSession
  private let system: any SystemCalls
  private var kept: PolicyFolder?
  /// The rules as they were when they were last asked for. One thread gathers requests by them
  /// while another serves those before.
  private let latest = Mutex<Latest?>(nil)

  /// The file with the folder's version.
  private static let versionName = "version"

  init(_ session: ServerSession, _ system: any SystemCalls) {
    self.session = session
    self.system = system
  }

  private struct Head {
    let id: String
    let version: Version
  }

  private struct Latest {
    let version: Version
    let policy: Policy
    /// Number of the session's connection that returned them: another server may have lost them,
    /// and given their number to others.
    let connection: Int
  }

  /// A number, and when the policy was set: a copy of the database has the store's id, too, and
  /// continues with the same numbers.
  private struct Version: Equatable {
    let number: Int64
    let setAt: Int64
    var text: String { "\(number) \(setAt)" }
  }

  /// The rules as they are now.
  /// - Throws: `no_store`, `unavailable`, `invalid_policy`, `io_error`, `permission_denied`.
  func current() throws(CreditError) -> Policy {
    session.endSnapshot()
    let head = try head()
    let policy: Policy
    if let latest = latest.withLock({ $0 }), latest.version == head.version {
      policy = latest.policy
    } else {
      policy = try read(head)
    }
    let newest = Latest(
      version: head.version, policy: policy, connection: session.connectionCount)
    latest.withLock { $0 = newest }
    return policy
  }

  /// Reads the policy from the folder, again if another process has changed its version meanwhile.
  private func read(_ head: Head) throws(CreditError) -> Policy {
    for _ in 0..<PolicyFile.readLimit {
      let folder = try folder(of: head)
      let policy = try folder.policy()
      if version(in: folder) == head.version.text { return policy }
    }
    throw CreditError(
      .unavailable, "the policy changes again and again while it is read", [.outcome("none")])
  }

  /// The rules as they were when they were last asked for.
  var known: Policy? { latest.withLock { $0?.policy } }

  /// Their version, as long as the connection is there that they came over.
  var version: Int64? {
    let connection = session.connectionCount
    return latest.withLock { $0?.connection == connection ? $0?.version.number : nil }
  }

  func isKnown(_ number: Int64?) -> Bool { number != nil && version == number }

  func folder() throws(CreditError) -> PolicyFolder {
    session.endSnapshot()
    return try folder(of: try head())
  }

  /// Reads the policy as the database has it now: it may have been edited in place.
  /// - Throws: `invalid_policy`, also if this machine's copy of the same version differs.
  func asKept() throws(CreditError) -> PolicyDraft {
    session.endSnapshot()
    let head = try head()
    let folder = try folder(of: head)
    let (text, files) = try fetch(head.version.number)
    let draft = try folder.draft(text, enclosed: files)
    if try draft.isIn(folder) { return draft }
    throw CreditError(
      .invalidPolicy,
      "the policy was changed in the database itself, and tools that have read it do not read it "
        + "again: credit-store policy --set replaces it")
  }

  /// Path of the policy's folder, once the policy has been read.
  var path: String { kept?.directory.path ?? "." }

  private func head() throws(CreditError) -> Head {
    let rows = try session.ask(
      Statement(
        """
        SELECT id::text, policy, schema, \(LookUps.clock), \
        (SELECT (extract(epoch FROM set_at) * 1000000)::int8 FROM credit.policy \
        WHERE version = s.policy) FROM credit.store AS s
        """, isKept: true))
    guard rows.count == 1, let id = rows.text(0, 0), let number = rows.int(0, 1) else {
      throw .noStore(at: session.location)
    }
    // It becomes the name of a folder.
    let isHexadecimal = id.utf8.allSatisfy {
      $0 == UInt8(ascii: "-") || Hexadecimal.value(of: $0) != nil
    }
    guard id.utf8.count == 36, isHexadecimal else {
      throw CreditError(.corruptStore, "the store's id is not a UUID")
    }
    let schema = rows.int(0, 2) ?? 0
    guard schema == Migrations.newest else {
      let remedy =
        schema > Migrations.newest ? "made by a later version" : "credit-store init updates it"
      throw CreditError(
        .unavailable,
        "the store has schema \(schema), this tool \(Migrations.newest): \(remedy)",
        [.outcome("none")])
    }
    session.note(serverMicroseconds: rows.int(0, 3) ?? 0)
    return Head(id: id, version: Version(number: number, setAt: rows.int(0, 4) ?? 0))
  }

  // MARK: The folder

  private func folder(of head: Head) throws(CreditError) -> PolicyFolder {
    let folder =
      if let kept { kept } else {
        PolicyFolder(try directory(of: head.id), zoneFolder: session.options.zoneFolder)
      }
    kept = folder
    if version(in: folder) == head.version.text { return folder }
    let (text, files) = try fetch(head.version.number)
    let draft = try folder.draft(text, enclosed: files)
    try reporting { () throws(StoreFault) in
      let lock = try StoreLock(in: folder.directory, .updateOrCreate)
      try lock.withLock(.exclusive, waitMilliseconds: StoreOptions().waitMilliseconds) {
        () throws(StoreFault) in
        // Another process may have brought it here while the lock was waited for.
        if version(in: folder) == head.version.text { return }
        // Concurrent readers find that the version has changed.
        try folder.directory.removeFile(Self.versionName)
        try draft.install(in: folder.directory)
        try folder.directory.replaceFile(Self.versionName, with: Array(head.version.text.utf8))
      }
    }
    return folder
  }

  private func version(in folder: PolicyFolder) -> String? {
    guard let text = try? folder.directory.readFile(Self.versionName, limit: 64) else { return nil }
    return String(decoding: text, as: UTF8.self)
  }

  /// Makes the folder, in the user's cache or else among temporary files.
  private func directory(of id: String) throws(CreditError) -> StoreDirectory {
    if let cache = session.options.cacheFolder,
      let directory = try? ownDirectory("\(cache)/credit-tools/\(id)")
    {
      return directory
    }
    return try reporting { () throws(StoreFault) in
      let temporary = StoreDirectory(path: session.options.temporaryFolder, system: system)
      let user = try temporary.openNameless().opened.access.user
      let own = try ownDirectory(temporary.path(of: "credit-tools-\(user)"))
      return try ownDirectory(own.path(of: id))
    }
  }

  /// Returns a folder that only this user can change, as it decides the policy.
  private func ownDirectory(_ path: String) throws(StoreFault) -> StoreDirectory {
    let directory = StoreDirectory(path: path, system: system)
    try directory.create()
    let file = try directory.open(StoreLock.name, .updateOrCreate)
    let user = file.opened.access.user
    let status: FileStatus?
    do {
      status = try system.status(at: path)
    } catch {
      throw .system(error)
    }
    guard let status, status.kind == .directory, status.access.user == user,
      status.access.mode & 0o022 == 0
    else { throw .unexpectedFile(name: path, kind: status?.kind ?? .other) }
    return directory
  }

  private func fetch(_ version: Int64) throws(CreditError)
    -> (text: [UInt8], files: [String: [UInt8]])
  {
    let rows = try session.ask([
      Statement("SELECT body FROM credit.policy WHERE version = $1", [.int(version)]),
      Statement(
        "SELECT name, encode(body, 'hex') FROM credit.policy_file WHERE version = $1",
        [.int(version)]),
    ])
    guard rows[0].count == 1 else {
      throw CreditError(.corruptStore, "the store has no policy of version \(version)")
    }
    let text = rows[0].withText(0, 0) { $0.map { [UInt8]($0) } ?? [] }
    var files: [String: [UInt8]] = [:]
    for row in 0..<rows[1].count {
      guard let name = rows[1].text(row, 0) else { continue }
      files[name] = rows[1].bytes(row, 1)
    }
    return (text, files)
  }

  // MARK: Changes

  /// Statements that insert the newest policy. The transaction has locked the store's row.
  static func insert(_ policy: PolicyDraft) -> [Statement] {
    let next = "(SELECT policy + 1 FROM credit.store)"
    let text = String(decoding: policy.text, as: UTF8.self)
    return [
      .writingOne(
        "INSERT INTO credit.policy (version, set_at, set_by, body) "
          + "VALUES (\(next), clock_timestamp(), current_user, $1)", [.text(text)])
    ]
      + policy.files.map { file in
        .writingOne(
          "INSERT INTO credit.policy_file (version, name, body) VALUES (\(next), $1, $2)",
          [.text(file.name), .bytes(file.bytes)])
      }
      + [.writingOne("UPDATE credit.store SET policy = policy + 1")]
  }

  /// Puts a policy in the place of the one in force.
  func set(_ policy: PolicyDraft) throws(CreditError) {
    try session.transact(
      [Statement("SELECT policy FROM credit.store FOR UPDATE")] + Self.insert(policy))
  }
}

extension PolicyDraft {
  /// Returns true if a folder has this policy and the same files.
  func isIn(_ folder: PolicyFolder) throws(CreditError) -> Bool {
    guard try text == folder.text() else { return false }
    let present = try folder.withFiles().files
    return files.allSatisfy { file in
      present.contains { $0.name == file.name && $0.bytes == file.bytes }
    }
  }
}
