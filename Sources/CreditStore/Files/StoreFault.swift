public import CreditModel
public import CreditSystem

/// Reason why the store could not serve a request.
public enum StoreFault: Error, Equatable, Sendable, CustomStringConvertible {
  /// A system call failed, and the journal is unchanged.
  case system(SystemError)

  /// Another process held the lock for the whole wait. Has its current holder, if the system tells.
  case locked(by: LockHolder?)

  /// Records could not be appended. If `undone`, the journal is unchanged; else it may contain some
  /// of them, and the next process that takes the lock checks.
  case appendFailed(SystemError, undone: Bool)

  /// Records were appended but may not be on disk. The system forgets pages that it failed to
  /// write, so a second sync would succeed and prove nothing: it is never tried.
  case syncFailed(SystemError)

  /// An earlier sync failed, and the store is not repaired yet.
  case marked(reason: String)

  /// This tool does not know the journal's version.
  case version(Int64)

  /// The journal contains a line that no append, whole or torn, has written.
  case damaged(JournalDamage)

  /// The journal ends before records that the index has as acknowledged.
  case shortened(ShortenedJournal)

  /// One of the store's names belongs to something other than a plain file.
  case unexpectedFile(name: String, kind: FileKind)

  /// The lock file was deleted or replaced while this process was using it.
  case lockReplaced

  /// Another journal has replaced the one that was being read.
  case journalReplaced

  /// The index cannot be used; the journal alone has to answer.
  case indexUnusable(String)

  public var description: String {
    switch self {
    case .system(let error): return "\(error)"
    case .locked(let holder): return "the store is locked by \(Self.phrase(for: holder))"
    case .appendFailed(let error, undone: true): return "\(error); nothing was recorded"
    case .appendFailed(let error, undone: false): return "\(error); the outcome is unknown"
    case .syncFailed(let error): return "\(error); the outcome is unknown"
    case .marked(let reason):
      return "an earlier write may not have reached the disk (\(plainOrQuoted(reason))); "
        + "run credit-store rebuild"
    case .version(let version):
      let isEarlier = version < StoreVersion.first.rawValue
      return "\(JournalFile.name) is of journal version \(version), made by "
        + (isEarlier ? "an earlier, unreleased version" : "a later version")
        + " of the credit tools; this one knows versions \(StoreVersion.known)"
        + (isEarlier
          ? "" : ": install that version again, or restore a backup made before it wrote here")
    case .damaged(let damage): return "\(damage)"
    case .shortened(let journal): return "\(journal)"
    case .unexpectedFile(let name, let kind): return "\(name) is a \(kind.rawValue), not a file"
    case .lockReplaced: return "the lock file was replaced while the store was in use"
    case .journalReplaced:
      return "the journal was replaced by another one while it was being read"
    case .indexUnusable(let reason): return "the index is unusable: \(reason)"
    }
  }

  private static func phrase(for holder: LockHolder?) -> String {
    guard let holder else { return "another process" }
    let start = Timestamp(milliseconds: holder.startMilliseconds)
    return "\(plainOrQuoted(holder.command)) (process \(holder.process), running since "
      + "\(start.text))"
  }
}

/// A journal whose readable part ends before the part that the index has.
public struct ShortenedJournal: Error, Equatable, Sendable, CustomStringConvertible {
  /// End of the last readable batch, in bytes from the journal's start.
  public let offset: Int

  /// End of the readable lines behind it, of an incomplete batch.
  let soundEnd: Int

  /// Length of the journal in the index, in bytes.
  public let indexedLength: Int

  /// Number of acknowledged records that are missing.
  public let lost: Int

  public var description: String {
    "\(JournalFile.name) can be read up to byte \(soundEnd) only, but the index covers it up to "
      + "byte \(indexedLength): \(Self.missing(lost))"
  }

  /// States how many acknowledged records are missing.
  public static func missing(_ count: Int) -> String {
    count == 1 ? "1 acknowledged record is missing" : "\(count) acknowledged records are missing"
  }
}

public struct JournalDamage: Error, Equatable, Sendable, CustomStringConvertible {
  /// The line's number, counted from 1.
  public let line: Int

  /// Offset of the line's start, in bytes from the journal's start.
  public let offset: Int

  /// The fault, as the end of a sentence.
  public let reason: String

  public var description: String { "\(JournalFile.name) line \(line) (byte \(offset)) \(reason)" }
}

/// An error that can be made from a fault of the store, in any layer.
public protocol StoreError: Error {
  init(_ fault: StoreFault)
}

extension StoreFault: StoreError {
  public init(_ fault: StoreFault) { self = fault }
}

extension CreditError: StoreError {
  /// Makes the requests' error for a fault of the store.
  public init(_ fault: StoreFault) {
    switch fault {
    case .system(let error):
      let advice = error.isOfUser ? "; run it as a user who may: sudo -u USER" : ""
      self.init(error.isForbidden ? .permissionDenied : .ioError, "\(error)\(advice)")
    case .locked(let holder):
      self.init(.storeLocked, "\(fault); try again", holder.map { [.holder($0.detail)] } ?? [])
    case .appendFailed(_, let undone):
      self.init(.ioError, "\(fault)", [.outcome(undone ? "none" : "unknown")])
    case .syncFailed(let error):
      self.init(
        .ioError,
        "\(error); whether the records are on disk is unknown: run credit-store rebuild, then "
          + "repeat the request with the same id",
        [.outcome("unknown")])
    case .marked:
      self.init(.ioError, "\(fault)", [.outcome("none")])
    case .version:
      self.init(.unavailable, "\(fault)", [.outcome("none")])
    case .damaged(let damage):
      self.init(
        .corruptStore, "\(damage); credit-store verify lists all damage and says what can be done",
        [.line(damage.line), .offset(damage.offset)])
    case .shortened(let journal):
      self.init(
        .corruptStore,
        "\(journal); restore the store from a backup, or go on without them: "
          + "credit-store rebuild --drop-damaged FILE",
        [.offset(journal.offset), .lost(journal.lost)])
    case .unexpectedFile:
      self.init(.corruptStore, "\(fault)")
    case .lockReplaced, .journalReplaced:
      self.init(.ioError, "\(fault)")
    case .indexUnusable:
      self.init(.corruptStore, "\(fault); run credit-store rebuild")
    }
  }
}

/// Runs steps of the store, and turns its faults into errors of the current requests.
public func reporting<Result: ~Copyable>(_ body: () throws(StoreFault) -> Result)
  throws(CreditError)
  -> Result
{
  do {
    return try body()
  } catch {
    throw CreditError(error)
  }
}

extension LockHolder {
  public var detail: CreditError.Holder {
    CreditError.Holder(
      process: Int64(process), command: command,
      since: Timestamp(milliseconds: startMilliseconds))
  }
}

public struct StoreHealth: Sendable {
  /// Process that held the lock at the first look, if the system tells; nil if it was free.
  public let holder: LockHolder?
  /// Whether another process held the lock at the first look.
  public let wasLocked: Bool
  /// Why a sync of the journal failed, if it is not repaired yet.
  public let failedSync: String?
  /// Nil if the system does not tell.
  public let space: DiskSpace?
  /// The files that others than the owner and the group may read or write.
  public let exposedFiles: [String]
  /// Whether others may write to the folder.
  public let isFolderExposed: Bool
  /// A file of the folder that is not the store's, if there is one.
  public let otherFile: String?
  /// Why this process may not write to the store; nil if it may.
  public let forbidden: String?
  /// Name of the folder's network file system; nil on a local disk.
  public let networkFileSystem: String?
}

extension LocalStore {
  /// - Throws: `store_locked` if another process keeps the lock; `permission_denied`, `io_error`.
  public func health() throws(CreditError) -> StoreHealth? {
    try reporting { () throws(StoreFault) in try examine() }
  }

  private func examine() throws(StoreFault) -> StoreHealth {
    let lock = try StoreLock(in: directory, .read)
    var holder: LockHolder?
    var wasLocked = false
    let nothing = { () throws(StoreFault) in }
    do throws(StoreFault) {
      try lock.withLock(.shared, waitMilliseconds: 0, nothing)
    } catch {
      guard case .locked(let process) = error else { throw error }
      (holder, wasLocked) = (process, true)
      try lock.withLock(.shared, waitMilliseconds: options.waitMilliseconds, nothing)
    }
    var forbidden: String?
    do throws(SystemError) {
      system.closeFile(try system.openFile(directory.path(of: JournalFile.name), .update))
    } catch {
      if error.isForbidden { forbidden = "\(error)" }
    }
    let folder = try directory.openSelf().opened.access.mode
    return StoreHealth(
      holder: holder, wasLocked: wasLocked, failedSync: try lock.markedReason(),
      space: system.diskSpace(at: directory.path),
      exposedFiles: folder & 0o001 != 0 ? try exposedFiles() : [],
      isFolderExposed: folder & 0o003 == 0o003, otherFile: try otherFile(),
      forbidden: forbidden, networkFileSystem: try directory.networkFileSystem())
  }

  /// Returns the exposed files of a folder that others may enter.
  private func exposedFiles() throws(StoreFault) -> [String] {
    var names: [String] = []
    for name in try directory.names().sorted() {
      let mode = try directory.status(of: name)?.access.mode ?? 0
      if mode & 0o006 != 0 { names.append(name) }
    }
    return names
  }

  /// Returns a file that neither the store makes nor its policy names. Hidden ones do not count.
  private func otherFile() throws(StoreFault) -> String? {
    let policy = try? directory.readFile(PolicyFile.name, limit: PolicyFile.byteLimit)
    let text = String(decoding: policy ?? [], as: UTF8.self).utf8
    return try directory.names().sorted().first { name in
      !StoreDirectory.isOwnName(name) && !name.hasPrefix(".") && name != "lost+found"
        && !text.contains("\"\(name)\"")
    }
  }
}
