package import CreditModel

/// How a process works on a store.
package struct StoreOptions: Sendable {
  /// How long to wait for the lock; 0 tries once.
  package var lockTimeoutSeconds: Int
  /// Whether a result waits for the disk.
  package var syncs: Bool

  /// Whether nothing in the store may be made or changed, caches neither.
  package var isReadOnly = false

  /// Whether an answer is wanted at once or not at all: no index is made for it, which takes as
  /// long as the journal is large, and no slow server is waited for.
  package var isHasty = false

  /// The folder for what can be made again and is worth keeping; nil where there is none.
  package var cacheFolder: String?

  /// The folder for files that go with this process.
  package var temporaryFolder = "/tmp"

  /// Is told the default store's path and starter credits if this process makes it.
  package var tellOfDefaultStore: (@Sendable (String, Credits) -> Void)?

  /// Is told of each torn append that this process sets aside.
  package var tellOfTornTail: (@Sendable (TornTail) -> Void)?

  /// How much of a journal without an index is noted under the lock; more is noted outside of it.
  var lockedByteCount = 16 << 20

  package init(lockTimeoutSeconds: Int = 10, syncs: Bool = true) {
    self.lockTimeoutSeconds = lockTimeoutSeconds
    self.syncs = syncs
  }

  package var waitMilliseconds: Int {
    let (milliseconds, overflow) = lockTimeoutSeconds.multipliedReportingOverflow(by: 1000)
    return overflow ? .max : milliseconds
  }
}
