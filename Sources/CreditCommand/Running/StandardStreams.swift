internal import CreditStore
internal import CreditSystem

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The process's own standard input, output and error.
final class StandardStreams: Streams {
  init() {
    Self.occupyClosedStreams()
    // A reader that closes the pipe ends the tool quietly, also where the parent ignored the signal.
    signal(SIGPIPE, SIG_DFL)
    // A file that may not grow further is an error like a full disk, not the end of the process.
    signal(SIGXFSZ, SIG_IGN)
  }

  /// A stream that the parent closed must not become the descriptor of the next file opened: results
  /// would be written into the journal. What stands in for it can't be written to.
  private static func occupyClosedStreams() {
    for descriptor in STDIN_FILENO...STDERR_FILENO
    where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      _ = open("/dev/null", O_RDONLY)
    }
  }

  var inputIsTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    let count = Self.retrying { unistdRead(STDIN_FILENO, buffer.baseAddress, buffer.count) }
    if count < 0 { throw SystemError(call: "read", code: errno, name: "standard input") }
    return count
  }

  var hasInput: Bool {
    var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, 0) > 0
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    guard Self.writeAll(bytes, to: STDOUT_FILENO) else {
      throw SystemError(call: "write", code: errno, name: "standard output")
    }
  }

  func waitWhileRead(milliseconds: Int) -> Bool {
    var descriptor = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    return poll(&descriptor, 1, Int32(milliseconds)) == 0
  }

  func complain(_ bytes: UnsafeRawBufferPointer) {
    _ = Self.writeAll(bytes, to: STDERR_FILENO)
  }

  private static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = retrying { unistdWrite(descriptor, rest.baseAddress, rest.count) }
      if count < 0 { return false }
      done += count
    }
    return true
  }

  /// Repeats a call that a signal interrupted, or that has to wait for a descriptor which somebody
  /// made non-blocking.
  private static func retrying(_ call: () -> Int) -> Int {
    while true {
      let result = call()
      if result >= 0 || (errno != EINTR && errno != EAGAIN) { return result }
      if errno == EAGAIN { usleep(1000) }
    }
  }
}

private func unistdRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int)
  -> Int
{
  read(descriptor, buffer, count)
}

private func unistdWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, buffer, count)
}
