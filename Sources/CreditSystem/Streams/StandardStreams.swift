internal import CLibrary
internal import CShims

/// The process's own standard input, output and error.
public final class StandardStreams: Streams {
  private let inputIsClosed: Bool
  private var inputIsWide = false

  public init() {
    // A stream that the parent closed must not become the descriptor of the next file opened:
    // results would be written into the journal. Its replacement can't be written to.
    var inputIsClosed = false
    for descriptor in STDIN_FILENO...STDERR_FILENO
    where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      _ = open("/dev/null", O_RDONLY)
      if descriptor == STDIN_FILENO { inputIsClosed = true }
    }
    self.inputIsClosed = inputIsClosed
    // A closed pipe is an error: its signal would cut short an append on another thread.
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow further is an error like a full disk, not the end of the process.
    signal(SIGXFSZ, SIG_IGN)
  }

  public var inputKind: InputKind {
    if inputIsClosed { return .closed }
    if isatty(STDIN_FILENO) == 1 { return .terminal }
    return Self.isNullDevice(STDIN_FILENO) ? .nullDevice : .data
  }

  private static func isNullDevice(_ descriptor: Int32) -> Bool {
    var file = stat()
    var device = stat()
    return fstat(descriptor, &file) == 0 && stat("/dev/null", &device) == 0
      && file.st_mode & S_IFMT == S_IFCHR && file.st_rdev == device.st_rdev
  }

  public var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  public var outputIsKept: Bool {
    var file = stat()
    return fstat(STDOUT_FILENO, &file) == 0 && file.st_mode & S_IFMT == S_IFREG
      || Self.isNullDevice(STDOUT_FILENO)
  }

  public var outputColumns: Int? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  public var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  public func read(into buffer: MutableBytes) throws(SystemError) -> Int {
    let count = try whenReady(STDIN_FILENO, for: .reading, "read", "standard input") {
      CLibrary.read(STDIN_FILENO, buffer.baseAddress, buffer.count)
    }
    if count == Self.pipeByteCount, !inputIsWide {
      inputIsWide = true
      widen_pipe(STDIN_FILENO)
    }
    return count
  }

  /// A pipe's initial size. If a reader takes that much at once it is slower than the writer, and
  /// larger batches serve it better.
  private static let pipeByteCount = 65_536

  public var hasInput: Bool {
    var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, 0) > 0
  }

  public func write(_ bytes: Bytes) throws(SystemError) {
    try writeAll(bytes, to: STDOUT_FILENO, name: "standard output")
  }

  public func waitWhileRead(milliseconds: Int) -> Bool {
    var descriptor = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    return poll(&descriptor, 1, Int32(milliseconds)) == 0
  }

  public func complain(_ bytes: Bytes) {
    try? writeAll(bytes, to: STDERR_FILENO, name: "standard error")
  }
}

public enum InputKind: Sendable {
  case terminal
  /// The process was started without one.
  case closed
  case nullDevice
  /// A file, a pipe or a socket.
  case data
}

public protocol Streams: AnyObject {
  var inputKind: InputKind { get }
  var outputIsTerminal: Bool { get }
  /// True if standard output is a file or the null device, which need no progress.
  var outputIsKept: Bool { get }
  /// Columns of the terminal that standard output is; nil if unknown.
  var outputColumns: Int? { get }
  var errorIsTerminal: Bool { get }
  /// Reads the bytes that have arrived, waiting for at least one.
  /// - Returns: the number of bytes; 0 at the end of the input.
  func read(into buffer: MutableBytes) throws(SystemError) -> Int
  /// Whether a read would return at once.
  var hasInput: Bool { get }
  func write(_ bytes: Bytes) throws(SystemError)
  /// Waits a while.
  /// - Returns: false as soon as standard output is closed.
  func waitWhileRead(milliseconds: Int) -> Bool
  /// Writes all of the bytes to standard error, as far as possible.
  func complain(_ bytes: Bytes)
}
