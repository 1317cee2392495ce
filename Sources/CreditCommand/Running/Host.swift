package import CreditModel
internal import CreditStore
package import CreditSystem

/// What a tool knows of the world: arguments, environment, clock, ids, files and streams. It is
/// passed, never global, so that a test can set every part.
package struct Host {
  /// The command line, without the tool's name.
  package var arguments: [String]
  /// The value of a variable; nil where it is not set.
  /// - Throws: for one that isn't UTF-8: repaired, it might name another store.
  package var environment: (String) throws(UsageError) -> String?
  package var system: any SystemCalls
  package var streams: any Streams
  /// Makes a new, unique id for something that happens at a time.
  package var makeID: (Timestamp) -> Name

  /// The system's time.
  package var systemTime: Timestamp { Timestamp(milliseconds: system.currentMilliseconds()) }
}

extension Streams {
  /// Does what `read(into:)` does.
  /// - Throws: `io_error`.
  func readInput(into buffer: UnsafeMutableRawBufferPointer) throws(CreditError) -> Int {
    do {
      return try read(into: buffer)
    } catch {
      throw CreditError(.ioError, "\(error)")
    }
  }
}

/// The standard streams.
package protocol Streams: AnyObject {
  var inputIsTerminal: Bool { get }
  var outputIsTerminal: Bool { get }
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
