/// How much room a file system has, in bytes.
package struct DiskSpace: Equatable, Sendable {
  /// What this process may still write.
  package let free: Int64
  package let total: Int64

  package init(free: Int64, total: Int64) {
    self.free = free
    self.total = total
  }
}
