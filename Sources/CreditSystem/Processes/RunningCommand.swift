@preconcurrency internal import CLibrary
package import CreditModel

/// A command that runs with the standard streams of this process; its output may be read instead.
package final class RunningCommand {
  /// How a command ended.
  package enum Ending: Sendable {
    case exited(Int32)
    case killed(signal: Int32)

    /// The exit status that a shell gives it.
    package var shellStatus: Int32 {
      switch self {
      case .exited(let status): status
      case .killed(let signal): 128 + signal
      }
    }
  }

  private let process: pid_t
  private let output: CommandOutput?
  /// Open for as long as signals are handed on.
  private let notices: Pipe

  /// Starts a command, which is looked for as a shell does.
  ///
  /// From now on signals that ask this process to end go to the command instead, until it has
  /// ended. A reader that goes away is told by an error instead of a signal.
  /// - Parameters:
  ///   - words: its name and arguments.
  ///   - environment: variables that it has beside those of this process, or has not.
  ///   - readsOutput: whether ``read(into:)`` is given what it prints.
  ///   - grace: how long after the command's end more output is waited for.
  /// - Throws: where it can't be started: ``SystemError/isMissing`` where it was not found.
  package init(
    _ words: [String], environment: [(name: String, value: String?)], readsOutput: Bool,
    grace: TimeSpan
  ) throws(SystemError) {
    let pipe = readsOutput ? try Pipe() : nil
    let notices = try Pipe()
    signal(SIGPIPE, SIG_IGN)
    let mask = SignalRelay.block()
    defer { SignalRelay.restore(mask) }
    let variables = Self.variables(changed: environment)
    let streams = pipe?.writer.map { [(from: $0, to: STDOUT_FILENO)] } ?? []
    do {
      process = try ProcessStart.spawn(words, variables, streams: streams, mask: mask)
    } catch {
      if error.code != ENOEXEC { throw error }
      // A script that names no interpreter is the shell's, as in a shell.
      let shell = ["/bin/sh", "-c", "exec \"$0\" \"$@\""]
      process = try ProcessStart.spawn(shell + words, variables, streams: streams, mask: mask)
    }
    SignalRelay.begin(to: process, notices: notices)
    pipe?.closeWriter()
    self.notices = notices
    if let pipe {
      output = CommandOutput(pipe, of: process, notices: notices, grace: grace)
    } else {
      output = nil
    }
  }

  deinit { SignalRelay.end() }

  /// Reads what has been printed, waiting for at least one byte. Once the command has ended, what
  /// it has printed is read, and for more the wait is as long as its grace, in all.
  /// - Returns: how many bytes; 0 at the end.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    try output?.read(into: buffer) ?? 0
  }

  /// Passes on what has been read, as far as it is taken: whoever reads standard output and takes
  /// nothing is waited for while the command runs, and afterwards as long as its grace.
  /// - Returns: how many bytes were taken in that time.
  package func pass(_ bytes: UnsafeRawBufferPointer, on streams: any Streams) throws(SystemError)
    -> Int
  {
    guard let output, !streams.outputIsKept else {
      try streams.write(bytes)
      return bytes.count
    }
    var count = 0
    while count < bytes.count, try output.waitForReader() {
      let piece = bytes[count...].prefix(CommandOutput.takenByteCount)
      try streams.write(UnsafeRawBufferPointer(rebasing: piece))
      count += piece.count
    }
    return count
  }

  /// True if a process that the command started may still print.
  ///
  /// Nobody waits for it.
  package var leavesOutputOpen: Bool { output?.isLeftOpen ?? false }

  /// Waits until the command has ended.
  package func wait() throws(SystemError) -> Ending {
    // Its number is still its own while it has not been asked for its status.
    var info = siginfo_t()
    try repeating("wait") { waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT) }
    SignalRelay.end()
    var status: Int32 = 0
    try repeating("wait") { waitpid(process, &status, 0) }
    let signal = status & 0x7f
    return signal == 0 ? .exited(status >> 8 & 0xff) : .killed(signal: signal)
  }

  // MARK: Starting

  private static func variables(changed: [(name: String, value: String?)]) -> [String] {
    var variables: [String] = []
    var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
    while let variable = next?.pointee {
      let text = String(cString: variable)
      if !changed.contains(where: { text.utf8.starts(with: "\($0.name)=".utf8) }) {
        variables.append(text)
      }
      next = next?.successor()
    }
    for (name, value) in changed {
      if let value { variables.append("\(name)=\(value)") }
    }
    return variables
  }
}
