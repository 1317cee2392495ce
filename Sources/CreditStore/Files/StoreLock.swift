internal import CreditModel
public import CreditSystem

/// The store's one lock, on the file `lock`, which is never renamed or deleted.
///
/// The file is empty, or holds the mark of a failed sync: why the journal may not be on disk.
public final class StoreLock {
  public static let name = "lock"

  private static let reasonLimit = 4096

  private let directory: StoreDirectory
  /// Nil if it is missing and this process may not make it.
  private let file: FileDescriptor?
  private var identity: FileStatus.Identity? {
    switch file {
    case .some(let file): file.opened.identity
    case .none: nil
    }
  }
  /// The file's length when the lock was taken; nil if it may have another.
  private var lockedLength: Int?

  /// Opens the lock file, without locking it.
  /// - Parameter mode: `.updateOrCreate` or `.update` to write, `.read` for a process that may only
  ///   read; it can lock the store all the same.
  /// - Throws: ``StoreFault/system(_:)``, ``StoreFault/unexpectedFile(name:kind:)``.
  public init(in directory: StoreDirectory, _ mode: OpenMode) throws(StoreFault) {
    self.directory = directory
    do throws(StoreFault) {
      file = try directory.open(Self.name, mode)
    } catch {
      // A backup may lack the file: then no process has the lock yet. A process that may write
      // nothing does without until another one has made it.
      guard mode == .read, case .system(let reason) = error, reason.isMissing else { throw error }
      file = directory.isReadOnly ? nil : try directory.open(Self.name, .updateOrCreate)
    }
  }

  /// Runs `body` under the lock, and releases it when `body` returns or throws.
  /// - Parameter waitMilliseconds: how long to wait for other processes; 0 tries once.
  /// - Throws: errors of `body`; ``StoreFault/locked(by:)`` if others kept the lock;
  ///   ``StoreFault/lockReplaced`` if they would now lock another file; ``StoreFault/system(_:)``.
  public func withLock<Result: ~Copyable, Failure: StoreError>(
    _ mode: LockMode, waitMilliseconds: Int, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    do throws(StoreFault) {
      try acquire(mode, waitMilliseconds: waitMilliseconds)
    } catch {
      throw Failure(error)
    }
    defer { release() }
    return try body()
  }

  private func acquire(_ mode: LockMode, waitMilliseconds: Int) throws(StoreFault) {
    let isLocked = try file?.lock(mode, waitMilliseconds: waitMilliseconds) ?? true
    if !isLocked, let identity { throw .locked(by: directory.system.lockHolder(of: identity)) }
    do throws(StoreFault) {
      let status = try directory.status(of: Self.name)
      guard status?.identity == identity else { throw StoreFault.lockReplaced }
      lockedLength = status?.byteCount
    } catch {
      release()
      throw error
    }
  }

  private func release() {
    lockedLength = nil
    file?.unlock()
  }

  /// Whether a sync of the journal failed and is not repaired yet.
  public var isMarked: Bool {
    get throws(StoreFault) {
      if let lockedLength { return lockedLength > 0 }
      return (try file?.status().byteCount ?? 0) > 0
    }
  }

  public func markedReason() throws(StoreFault) -> String? {
    guard try isMarked else { return nil }
    return String(
      decoding: try directory.readFile(Self.name, limit: Self.reasonLimit), as: UTF8.self)
  }

  /// - Throws: ``StoreFault/marked(reason:)`` if there is a mark.
  public func checkMark() throws(StoreFault) {
    if let reason = try markedReason() { throw .marked(reason: reason) }
  }

  /// Leaves the mark. Requires the exclusive lock.
  /// - Parameter reason: one line; not empty.
  /// - Throws: ``StoreFault/system(_:)``; the mark may be written nevertheless.
  public func mark(_ reason: String) throws(StoreFault) {
    lockedLength = nil
    let bytes = Array(reason.utf8.prefix(Self.reasonLimit))
    try bytes.span.withBytes { (buffer) throws(StoreFault) in try file?.write(buffer, at: 0) }
    try file?.sync()
  }

  /// Runs a step that syncs the journal, and leaves the mark that makes later runs refuse if it
  /// fails. If even that fails, no more can be done. Requires the exclusive lock.
  @inline(__always)
  func markingFailedSync(_ step: () throws(StoreFault) -> Void) throws(StoreFault) {
    do throws(StoreFault) {
      try step()
    } catch {
      if case .syncFailed = error { try? mark("\(error)") }
      throw error
    }
  }

  /// Removes the mark, once the journal is known to be on disk. Requires the exclusive lock.
  public func clearMark() throws(StoreFault) {
    lockedLength = nil
    try file?.setLength(0)
    try file?.sync()
  }
}
