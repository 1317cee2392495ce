/// A command line that can't be understood. Nothing was read or done.
package struct UsageError: Error, Sendable, CustomStringConvertible {
  /// The exit status of every usage error (`EX_USAGE`).
  package static let exitStatus: Int32 = 64

  /// One sentence, lower case, without a full stop, fit to follow `credit-charge: `.
  package let message: String

  package init(_ message: String) {
    self.message = message
  }

  package var description: String { message }

  /// The line to print after the message.
  package static func hint(for command: String) -> String { "try '\(command) --help'" }
}
