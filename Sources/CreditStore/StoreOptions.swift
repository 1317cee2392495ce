/// How a process works on a store.
package struct StoreOptions: Sendable {
  /// How long to wait for the lock; 0 tries once.
  package var lockTimeoutSeconds: Int
  /// Whether a result waits for the disk.
  package var syncs: Bool

  package init(lockTimeoutSeconds: Int = 10, syncs: Bool = true) {
    self.lockTimeoutSeconds = lockTimeoutSeconds
    self.syncs = syncs
  }

  /// Thirty years at most, so that the time until then can be reckoned with.
  var waitMilliseconds: Int { min(lockTimeoutSeconds, 1_000_000_000) * 1000 }
}
