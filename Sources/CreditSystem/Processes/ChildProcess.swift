internal import CLibrary
internal import CShims

/// A program that is run to its end without a shell. Its output is kept, its messages are dropped.
public struct ChildProcess {
  public enum Argument: ExpressibleByStringLiteral {
    case text(String)
    /// The name of a file that has these bytes. It can be read once, from its start, and is on no
    /// disk.
    case file([UInt8])

    public init(stringLiteral text: String) { self = .text(text) }
  }

  public struct Ending {
    /// Its exit status; nil if a signal ended it, for a limit or otherwise.
    public let status: Int32?
    public let output: [UInt8]
  }

  private let path: String
  private let arguments: [Argument]
  private let input: [UInt8]
  private let environment: [String]

  /// Limits of a program's time and output; beyond them it is killed.
  private static let timeoutMilliseconds: Int64 = 10_000
  private static let outputLimit = 1 << 20

  /// - Parameters:
  ///   - input: the program's standard input.
  ///   - environment: its whole environment: `NAME=VALUE`.
  public init(_ path: String, _ arguments: [Argument], input: [UInt8] = [], environment: [String]) {
    self.path = path
    self.arguments = arguments
    self.input = input
    self.environment = environment
  }

  /// - Throws: if it can't be started.
  public func run() throws(SystemError) -> Ending {
    let input = try PipedBytes(input)
    // A pipe for each argument that is a file.
    var files: [PipedBytes] = []
    let words = try arguments.map { argument throws(SystemError) in
      switch argument {
      case .text(let text): return text
      case .file(let bytes):
        let file = try PipedBytes(bytes)
        files.append(file)
        return file.share()
      }
    }
    let output = try Pipe()
    let streams = [
      (from: input.pipe.reader, to: STDIN_FILENO),
      (from: output.writer ?? -1, to: STDOUT_FILENO),
    ]
    let child = try ProcessStart.spawn(
      [path] + words, environment, streams: streams, isQuiet: true)
    output.closeWriter()
    let deadline = MonotonicClock.milliseconds + Self.timeoutMilliseconds
    do {
      if let text = try Self.readAll(output, feeding: [input] + files, until: deadline),
        let status = try Self.wait(for: child, until: deadline)
      {
        // The low bits name the signal that ended it, if one did.
        return Ending(status: status & 0x7f == 0 ? status >> 8 & 0xff : nil, output: text)
      }
      Self.end(child)
      return Ending(status: nil, output: [])
    } catch {
      Self.end(child)
      throw error
    }
  }

  /// Returns the path of a command, or nil if it is missing.
  /// - Parameter path: the folders of commands, as the variable `PATH` lists them. Only absolute
  ///   ones count.
  public static func find(_ name: String, in path: String?) -> String? {
    for folder in (path ?? "/usr/bin:/bin").split(separator: ":") where folder.hasPrefix("/") {
      let candidate = "\(folder)/\(name)"
      var status = stat()
      let isFile = stat(candidate, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      if isFile, access(candidate, X_OK) == 0 { return candidate }
    }
    return nil
  }

  // MARK: Waiting

  /// Reads all that a program prints, while feeding its inputs.
  /// - Returns: nil if that takes too long or is too much.
  private static func readAll(
    _ output: Pipe, feeding inputs: [PipedBytes], until deadline: Int64
  ) throws(SystemError) -> [UInt8]? {
    var text: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 16_384)
    while text.count <= outputLimit {
      var waiting = [pollfd(fd: output.reader, events: Int16(POLLIN), revents: 0)]
      for writer in inputs.compactMap(\.pipe.writer) {
        waiting.append(pollfd(fd: writer, events: Int16(POLLOUT), revents: 0))
      }
      let rest = Int32(clamping: deadline - MonotonicClock.milliseconds)
      let ready = try repeating("poll") { poll(&waiting, nfds_t(waiting.count), max(0, rest)) }
      if ready == 0 { return nil }
      for input in inputs { try input.push() }
      if waiting[0].revents == 0 { continue }
      let count = try repeating("read", "a pipe") { read(output.reader, &block, block.count) }
      if count == 0 { return text }
      text += block[..<count]
    }
    return nil
  }

  /// Waits for the end of a child that has closed its output.
  /// - Returns: its status; nil if that takes too long.
  private static func wait(for child: pid_t, until deadline: Int64) throws(SystemError) -> Int32? {
    var pause: UInt32 = 20
    while true {
      var status: Int32 = 0
      let ended = try repeating("wait") { waitpid(child, &status, WNOHANG) }
      if ended == child { return status }
      if MonotonicClock.milliseconds >= deadline { return nil }
      usleep(pause)
      pause = min(2 * pause, 5000)
    }
  }

  /// Kills a child, and takes its status.
  static func end(_ child: pid_t) {
    kill(child, SIGKILL)
    _ = try? repeating("wait") { waitpid(child, nil, 0) }
  }
}

/// A pipe, both ends closed at the latest when its owner lets go of it. No child process is handed
/// an end unasked.
final class Pipe {
  let reader: Int32
  /// The end to write to; nil once it is closed.
  private(set) var writer: Int32?

  init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    try repeating("pipe") { make_pipe(&ends) }
    (reader, writer) = (ends[0], ends[1])
  }

  deinit {
    closeWriter()
    close(reader)
  }

  /// Closes the writing end, so that the reader sees the end.
  func closeWriter() {
    if let writer { close(writer) }
    writer = nil
  }
}

final class PipedBytes {
  /// Its reading end has the same number in the child; its writing end is closed once all are in.
  let pipe: Pipe
  private let bytes: [UInt8]
  private var done = 0

  /// Fills the pipe as far as possible without waiting.
  init(_ bytes: [UInt8]) throws(SystemError) {
    self.bytes = bytes
    pipe = try Pipe()
    if let writer = pipe.writer { _ = fcntl(writer, F_SETFL, O_NONBLOCK) }
    try push()
  }

  /// Lets the next child process read the pipe as a file.
  /// - Returns: the file's path in a process that has the reading end open.
  func share() -> String {
    _ = fcntl(pipe.reader, F_SETFD, 0)
    return "/dev/fd/\(pipe.reader)"
  }

  /// Writes as much as the pipe takes, and then closes it. This process keeps the reading end, so
  /// that a child that ends early causes no SIGPIPE.
  func push() throws(SystemError) {
    do {
      let bytes = bytes
      while let writer = pipe.writer, done < bytes.count {
        done += try bytes.span.extracting(done...).withBytes { rest throws(SystemError) in
          try repeating("write", "a pipe") { write(writer, rest.baseAddress, rest.count) }
        }
      }
    } catch {
      if error.code == EAGAIN { return }
      throw error
    }
    pipe.closeWriter()
  }
}
