public import CreditModel
public import CreditSystem

/// A store on this machine's disk, as one process uses it: its place and its policy.
/// ``LocalCreditGate`` writes to its journal, and ``StoreReader`` reads it.
public final class LocalStore: Store {
  public let location: StoreLocation
  let directory: StoreDirectory
  let options: StoreOptions
  let policies: PolicyFolder
  private var standardPolicy: Policy?

  public var system: any SystemCalls { directory.system }

  public init(_ location: StoreLocation, options: StoreOptions, system: any SystemCalls) {
    self.location = location
    self.options = options
    directory = StoreDirectory(path: location.path, system: system, isReadOnly: options.isReadOnly)
    policies = PolicyFolder(directory, zoneFolder: options.zoneFolder)
  }

  /// Whether the store exists: it does once it has a journal.
  /// - Throws: `no_store` if a store was named and does not exist; `corrupt_store` if its journal
  ///   is missing; `permission_denied`, `io_error`.
  public func exists() throws(CreditError) -> Bool {
    if try hasJournal() { return true }
    // An index with records needs a journal. Another process may make both meanwhile.
    if let index = try? IndexFile(readingIn: directory), index.recordCount > 0, try !hasJournal() {
      throw CreditError(
        .corruptStore,
        "\(JournalFile.name) is missing, but the index has \(index.recordCount) of its records: "
          + "restore the store from a backup; without one, credit-store init begins an empty "
          + "journal",
        [.lost(index.recordCount)])
    }
    if location.isNamed { throw noStore }
    return false
  }

  func hasJournal() throws(CreditError) -> Bool {
    try reporting { () throws(StoreFault) in
      try directory.status(of: JournalFile.name) != nil
    }
  }

  public var noStore: CreditError {
    let path = location.path
    let near = nearStore.map { ", but at \(quoted($0))" } ?? ""
    // The path of something in it exists if it is a folder.
    let isFile =
      (try? system.status(at: path)) != nil && (try? system.status(at: path + "/.")) == nil
    return CreditError(
      .noStore,
      isFile
        ? "\(quoted(path)) is a file, not a store, which is a folder"
        : "there is no store at \(quoted(path))\(near); credit-store init makes one",
      [.path(path)])
  }

  /// The path of a store beside this one's whose name is almost the same.
  private var nearStore: String? {
    let parent = StoreDirectory.parent(of: location.path)
    let start = parent.map { $0.hasSuffix("/") ? $0 : $0 + "/" } ?? ""
    let name = String(location.path.dropFirst(start.count))
    let stores = ((try? system.names(in: parent ?? ".")) ?? []).filter {
      ((try? system.status(at: "\(start)\($0)/\(JournalFile.name)")) ?? nil) != nil
    }
    return NearestNames.misspelt(name, among: stores).map { start + $0 }
  }

  public var systemTime: Timestamp { Timestamp(milliseconds: system.currentMilliseconds()) }

  public var policyFolder: String { location.path }

  public func gate(makeID: @escaping (Timestamp) -> Name) -> any CreditGate {
    LocalCreditGate(self, makeID: makeID)
  }

  public func books() throws(CreditError) -> any LedgerReading {
    try exists() ? try StoreReader(self) : EmptyLedger()
  }

  public func policy() throws(CreditError) -> Policy {
    if try hasPolicy() { return try policies.policy() }
    if let standardPolicy { return standardPolicy }
    let policy = try PolicyFile.standardPolicy()
    standardPolicy = policy
    return policy
  }

  /// Whether the policy in the folder is in force. Otherwise the standard one is.
  func hasPolicy() throws(CreditError) -> Bool {
    if try exists() { return true }
    return try policies.file.exists()
  }

  /// Runs `body` under the exclusive lock, whose file it makes if missing.
  func withWriteLock<Result, Failure: StoreError>(
    _ body: (StoreLock) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let lock: StoreLock
    do throws(StoreFault) {
      lock = try StoreLock(in: directory, .updateOrCreate)
    } catch {
      throw Failure(error)
    }
    return try lock.withLock(.exclusive, waitMilliseconds: options.waitMilliseconds) {
      () throws(Failure) in try body(lock)
    }
  }

  /// Rebuilds the index from the journal, and syncs a journal whose sync had failed.
  /// - Throws: `no_store`, `corrupt_store`, `io_error`, `permission_denied`, `store_locked`.
  public func rebuild(progress: (Int, Int) -> Void = { _, _ in }) throws(CreditError) {
    try requireExists()
    try WriteSession(self).rebuild(progress)
  }
}

/// The place of a store, from the command line, the environment or the default.
public struct StoreLocation: Sendable {
  /// The folder, or the URL of a store on a server without its password: safe for messages, results
  /// and other programs.
  public let path: String
  /// Whether the user named it. A named store must exist: a mistyped path never makes a new store
  /// with fresh starter credits. The default store is made by its first write.
  public let isNamed: Bool
  /// The URL to connect to, with its password if it has one. Only a connector needs it.
  public let address: String

  public init(path: String, isNamed: Bool) {
    self.path = URLPassword.removed(from: path)
    self.isNamed = isNamed
    address = path
  }

  public var isURL: Bool { Self.isURL(path) }

  static func isURL(_ text: String) -> Bool { text.utf8.contains("://") }
}

public struct StoreOptions: Sendable {
  /// How long to wait for the lock; 0 tries once.
  public var lockTimeoutSeconds: Int
  /// Whether a result waits for the disk.
  public var syncs: Bool

  /// True if the process may not write to the store, not even caches.
  public var isReadOnly = false

  /// Whether an answer is wanted at once or not at all.
  ///
  /// If so, the process makes no index, which takes time in proportion to the journal, and waits
  /// for no slow server.
  public var isHasty = false

  public var cacheFolder: String?

  /// The only folder of zone files; nil for the system's.
  public var zoneFolder: String?

  /// The folder for files that are removed with this process.
  public var temporaryFolder = "/tmp"

  /// Called with the default store's path and starter credits if this process makes it.
  public var onDefaultStoreCreated: (@Sendable (String, Credits) -> Void)?

  /// Called for each torn append that this process sets aside.
  public var onTornTail: (@Sendable (TornTail) -> Void)?

  /// Bytes of a journal without an index that are indexed under the lock; more are indexed outside.
  var lockedByteCount = 16 << 20

  public init(lockTimeoutSeconds: Int = 10, syncs: Bool = true) {
    self.lockTimeoutSeconds = lockTimeoutSeconds
    self.syncs = syncs
  }

  public var waitMilliseconds: Int {
    let (milliseconds, overflow) = lockTimeoutSeconds.multipliedReportingOverflow(by: 1000)
    return overflow ? .max : milliseconds
  }
}

/// The places of a store's URL that may hold a password.
///
/// The URL is read here before libpq reads it, whose messages quote text that it does not
/// understand.
public enum URLPassword {
  /// Whether a URL has a password or text that may be meant as one. Other text has none.
  public static func isIn(_ text: String) -> Bool {
    guard let url = URLBytes(text) else { return false }
    return url.password != nil || url.parameters.contains(where: isPassword)
  }

  /// Returns the text without its password, for messages and results.
  public static func removed(from text: String) -> String {
    guard isIn(text), let url = URLBytes(text) else { return text }
    var shown = Array(url.address)
    if let password = url.password { shown.removeSubrange(password) }
    var separator = UInt8(ascii: "?")
    for parameter in url.parameters where !isPassword(parameter) {
      shown.append(separator)
      shown += parameter
      separator = UInt8(ascii: "&")
    }
    return String(decoding: shown, as: UTF8.self)
  }

  private static func isPassword(_ parameter: ArraySlice<UInt8>) -> Bool {
    let name = decoded(parameter.prefix { $0 != UInt8(ascii: "=") })
    return name == "password" || name == "sslpassword"
  }

  private static func decoded(_ name: ArraySlice<UInt8>) -> String {
    var bytes: [UInt8] = []
    var rest = name
    while let byte = rest.popFirst() {
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      if byte == UInt8(ascii: "%"), let value = UInt8(digits, radix: 16) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A URL as `SCHEME://ADDRESS?PARAMETER&PARAMETER`.
private struct URLBytes {
  /// Everything before the parameters.
  let address: ArraySlice<UInt8>
  let parameters: [ArraySlice<UInt8>]
  /// Range of the password and the colon before it in the address.
  let password: Range<Int>?

  init?(_ text: String) {
    guard StoreLocation.isURL(text) else { return nil }
    let bytes = Array(text.utf8)
    let query = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.count
    address = bytes[..<query]
    parameters = bytes[query...].split { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "&") }
    password = Self.password(in: address)
  }

  /// A password with a slash ends the part in which libpq looks for users: so each @ counts.
  private static func password(in address: ArraySlice<UInt8>) -> Range<Int>? {
    let colon = UInt8(ascii: ":")
    guard let scheme = address.firstIndex(of: colon) else { return nil }
    let user = address[(scheme + 1)...]
    guard let end = user.lastIndex(of: UInt8(ascii: "@")),
      let start = user[..<end].firstIndex(of: colon)
    else { return nil }
    return start..<end
  }
}
