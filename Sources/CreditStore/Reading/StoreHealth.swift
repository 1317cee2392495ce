package import CreditModel
package import CreditSystem

/// What a machine says of the folder that a store is in.
package struct StoreHealth: Sendable {
  /// Who kept the lock at the first look, where the system tells; nil where nobody did.
  package let holder: LockHolder?
  /// Whether another process had the lock at the first look.
  package let wasLocked: Bool
  /// Why a sync of the journal failed that nobody has repaired since.
  package let failedSync: String?
  /// Nil where the system does not tell.
  package let space: DiskSpace?
  /// The files that others than the owner and the group may read or write.
  package let exposedFiles: [String]
  /// Whether others may make, remove and replace files in the folder.
  package let isFolderExposed: Bool
  /// The network file system that the folder is on; nil for a disk of this machine.
  package let networkFileSystem: String?
}

extension LocalStore {
  /// - Throws: `store_locked` where another process keeps the lock; `permission_denied`,
  ///   `io_error`.
  package func health() throws(CreditError) -> StoreHealth? {
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
    let folder = try directory.openSelf().status().access.mode
    return StoreHealth(
      holder: holder, wasLocked: wasLocked, failedSync: try lock.markedReason(),
      space: system.diskSpace(at: directory.path),
      exposedFiles: folder & 0o001 != 0 ? try exposedFiles() : [],
      isFolderExposed: folder & 0o003 == 0o003,
      networkFileSystem: try directory.networkFileSystem())
  }

  /// Those of a folder that others may enter.
  private func exposedFiles() throws(StoreFault) -> [String] {
    var names: [String] = []
    for name in try directory.names().sorted() {
      let mode = try directory.status(of: name)?.access.mode ?? 0
      if mode & 0o006 != 0 { names.append(name) }
    }
    return names
  }
}
