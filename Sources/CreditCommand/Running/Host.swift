package import CreditModel
internal import CreditStore
package import CreditSystem

/// The world as a tool sees it: arguments, environment, clock, ids, files and streams. It is
/// passed, never global, so that a test can set every part.
package struct Host {
  /// The command line, without the tool's name.
  package var arguments: [String]
  /// The value of a variable; nil if it is not set.
  /// - Throws: for one that isn't UTF-8: repaired, it might name another store.
  package var environment: (String) throws(UsageError) -> String?
  package var system: any SystemCalls
  package var streams: any Streams
  /// Makes a new, unique id for something that happens at a time.
  package var makeID: (Timestamp) -> Name
  /// Keeps what need not be freed before the process ends, which frees all of it at once. No thread
  /// is at work on it any more.
  package var keep: (AnyObject) -> Void = { _ in }

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

extension Streams {
  /// Reads standard input to its end.
  /// - Throws: `io_error`, also if it has more than `limit` bytes.
  func readAll(limit: Int) throws(CreditError) -> [UInt8] {
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
    defer { block.deallocate() }
    var bytes: [UInt8] = []
    while bytes.count <= limit {
      let count = try readInput(into: block)
      if count == 0 { return bytes }
      bytes.append(contentsOf: block[..<count])
    }
    throw CreditError(.ioError, "standard input is longer than \(limit) bytes")
  }
}
