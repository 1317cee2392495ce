internal import CLibrary

/// A pipe, both ends closed at the latest when its owner lets go of it. No child process is handed
/// an end unasked.
final class Pipe {
  let reader: Int32
  /// The end to write to; nil once it is closed.
  private(set) var writer: Int32?

  init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    try repeating("pipe") { pipe(&ends) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reader, writer) = (ends[0], ends[1])
  }

  deinit {
    closeWriter()
    close(reader)
  }

  /// Lets the reader see the end, if no other process has the end to write to.
  func closeWriter() {
    if let writer { close(writer) }
    writer = nil
  }
}

/// Bytes for a child process to read from a pipe.
final class PipedBytes {
  private let pipe: Pipe
  private let bytes: [UInt8]
  private var done = 0

  /// The descriptor from which the child reads them.
  ///
  /// The processes that start it have the same one.
  var reader: Int32 { pipe.reader }

  /// The descriptor that takes more of them; nil once all are in the pipe.
  var writer: Int32? { pipe.writer }

  /// Fills the pipe, as far as that can be without waiting.
  init(_ bytes: [UInt8]) throws(SystemError) {
    self.bytes = bytes
    pipe = try Pipe()
    if let writer { _ = fcntl(writer, F_SETFL, O_NONBLOCK) }
    try push()
  }

  /// Lets the next child process have the reading end under its number, as a file of ``path``.
  func share() { _ = fcntl(pipe.reader, F_SETFD, 0) }

  /// Path of the reading end, in a process that has it open.
  var path: String { "/dev/fd/\(reader)" }

  /// Writes what the pipe takes now, and its end. This process keeps the reading end, so that a
  /// child that ends early sends it no SIGPIPE.
  func push() throws(SystemError) {
    do {
      while let writer, done < bytes.count { done += try writeRest(to: writer) }
    } catch {
      if error.code == EAGAIN { return }
      throw error
    }
    pipe.closeWriter()
  }

  private func writeRest(to writer: Int32) throws(SystemError) -> Int {
    let bytes = bytes
    return try bytes.span.extracting(done...).withUnsafeBytes { rest throws(SystemError) in
      try repeating("write", "a pipe") { write(writer, rest.baseAddress, rest.count) }
    }
  }
}
