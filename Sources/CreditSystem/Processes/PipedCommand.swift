internal import CLibrary

/// A program whose output is read while it runs, in pieces and without a limit.
///
/// It gets no input. It ends at the latest when this object does.
public final class PipedCommand {
  private let process: pid_t
  private let output: Pipe
  private let messages: Pipe
  private var status: Int32?

  /// The most bytes of its messages that are kept.
  private static let messageLimit = 1000

  /// Starts a program without a shell.
  /// - Parameters:
  ///   - path: its file.
  ///   - environment: its whole environment: `NAME=VALUE`.
  /// - Throws: if it can't be started.
  public init(_ path: String, _ arguments: [String], environment: [String]) throws(SystemError) {
    let input = try Pipe()
    output = try Pipe()
    messages = try Pipe()
    input.closeWriter()
    let streams = [
      (from: input.reader, to: STDIN_FILENO), (from: output.writer ?? -1, to: STDOUT_FILENO),
      (from: messages.writer ?? -1, to: STDERR_FILENO),
    ]
    process = try ProcessStart.spawn([path] + arguments, environment, streams: streams)
    output.closeWriter()
    messages.closeWriter()
  }

  deinit {
    if status == nil { ChildProcess.end(process) }
  }

  /// Reads output, waiting for at least one byte.
  /// - Returns: the number of bytes; 0 at the end.
  public func read(into buffer: MutableBytes) throws(SystemError) -> Int {
    try repeating("read", "a pipe") {
      CLibrary.read(output.reader, buffer.baseAddress, buffer.count)
    }
  }

  /// Waits for the end of a program whose output has been read.
  /// - Returns: nil if it succeeded; or else the first line of its messages, or its status.
  public func failure() throws(SystemError) -> String? {
    var text = [UInt8](repeating: 0, count: Self.messageLimit)
    let count = try repeating("read", "a pipe") {
      CLibrary.read(messages.reader, &text, text.count)
    }
    var status: Int32 = 0
    try repeating("wait") { waitpid(process, &status, 0) }
    self.status = status
    if status == 0 { return nil }
    let line = text[..<count].prefix { $0 != UInt8(ascii: "\n") }
    if !line.isEmpty { return String(decoding: line, as: UTF8.self) }
    let signal = status & 0x7f
    return signal == 0 ? "status \(status >> 8 & 0xff)" : "signal \(signal)"
  }
}
