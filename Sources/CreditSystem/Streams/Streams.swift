/// What standard input is.
package enum InputKind: Sendable {
  case terminal
  /// The process was started without one.
  case closed
  /// `/dev/null`.
  case nullDevice
  /// A file, a pipe or a socket.
  case data
}

/// The standard streams.
package protocol Streams: AnyObject {
  var inputKind: InputKind { get }
  var outputIsTerminal: Bool { get }
  /// True if standard output is a file or nothing, which nobody watches grow.
  var outputIsKept: Bool { get }
  /// Columns of the terminal that standard output is; nil if unknown.
  var outputColumns: Int? { get }
  var errorIsTerminal: Bool { get }
  /// Reads what has arrived, waiting for at least one byte.
  /// - Returns: how many bytes; 0 at the end of the input.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int
  /// Whether a read would return at once.
  var hasInput: Bool { get }
  /// Writes all of the bytes to standard output.
  func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError)
  /// Waits a while.
  /// - Returns: false as soon as nobody reads standard output any more.
  func waitWhileRead(milliseconds: Int) -> Bool
  /// Writes all of the bytes to standard error, as far as that can be.
  func complain(_ bytes: UnsafeRawBufferPointer)
}
