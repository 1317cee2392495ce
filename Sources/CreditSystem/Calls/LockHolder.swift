/// A process that holds a lock.
package struct LockHolder: Equatable, Sendable {
  /// Its id.
  package let process: Int32

  /// The name of its command, as the system cuts it off.
  package let command: String

  /// When it was started, in milliseconds since 1970.
  package let startMilliseconds: Int64

  package init(process: Int32, command: String, startMilliseconds: Int64) {
    self.process = process
    self.command = command
    self.startMilliseconds = startMilliseconds
  }
}
