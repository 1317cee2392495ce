internal import CLibrary
@preconcurrency internal import CLibrary
internal import CShims

/// A command that runs with the standard streams of this process; its output may be read instead.
public final class RunningCommand {
  private let process: pid_t
  private let output: CommandOutput?
  /// Open for as long as signals are handed on.
  private let notices: Pipe

  /// Starts a command, which is searched as a shell does.
  ///
  /// From now on signals that ask this process to end go to the command instead, until it has
  /// ended.
  /// - Parameters:
  ///   - words: its name and arguments.
  ///   - environment: variables that are added to this process's, or removed.
  ///   - readsOutput: true if ``read(into:)`` gets its output.
  ///   - grace: how long to wait for output after the command's end.
  /// - Throws: if it can't be started: ``SystemError/isMissing`` if it was not found.
  public init(
    _ words: [String], environment: [(name: String, value: String?)], readsOutput: Bool,
    grace: TimeSpan
  ) throws(SystemError) {
    let pipe = readsOutput ? try Pipe() : nil
    let notices = try Pipe()
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

  /// Reads output, waiting for at least one byte. Once the command has ended, its own output is
  /// read, and further output is waited for within its grace.
  /// - Returns: the number of bytes; 0 at the end.
  public func read(into buffer: MutableBytes) throws(SystemError) -> Int {
    try output?.read(into: buffer) ?? 0
  }

  /// Passes bytes on; waits for a slow reader until the command's grace ends.
  /// - Returns: the number of bytes taken in that time.
  public func pass(_ bytes: Bytes, on streams: any Streams) throws(SystemError) -> Int {
    guard let output, !streams.outputIsKept else {
      try streams.write(bytes)
      return bytes.count
    }
    var count = 0
    while count < bytes.count, try output.waitForReader() {
      let piece = bytes[count...].prefix(CommandOutput.takenByteCount)
      try streams.write(Bytes(rebasing: piece))
      count += piece.count
    }
    return count
  }

  /// True if a process that the command started may still print. It is not waited for.
  public var leavesOutputOpen: Bool { output?.isLeftOpen ?? false }

  /// Waits for the command's end.
  /// - Returns: the exit status that a shell gives it.
  public func wait() throws(SystemError) -> Int32 {
    // Its number is still its own while it has not been asked for its status.
    var info = siginfo_t()
    try repeating("wait") { waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT) }
    SignalRelay.end()
    var status: Int32 = 0
    try repeating("wait") { waitpid(process, &status, 0) }
    let signal = status & 0x7f
    return signal == 0 ? status >> 8 & 0xff : 128 + signal
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

enum ProcessStart {
  /// Starts a program, searched as a shell does if its name is not a path.
  /// - Parameters:
  ///   - words: its name and arguments.
  ///   - variables: its whole environment.
  ///   - streams: those of this process that it has under another number.
  ///   - mask: its blocked signals; nil for this process's.
  /// - Throws: if it can't be started: ``SystemError/isMissing`` if it was not found.
  static func spawn(
    _ words: [String], _ variables: [String], streams: [(from: Int32, to: Int32)],
    isQuiet: Bool = false, mask: sigset_t? = nil
  ) throws(SystemError) -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for stream in streams {
      posix_spawn_file_actions_adddup2(&actions, stream.from, stream.to)
    }
    if isQuiet {
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    }
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The program gets default actions for signals that this process ignores.
    var ignored = sigset_t()
    sigemptyset(&ignored)
    for signal in [SIGPIPE, SIGXFSZ] { sigaddset(&ignored, signal) }
    posix_spawnattr_setsigdefault(&attributes, &ignored)
    var flags = POSIX_SPAWN_SETSIGDEF
    if var mask {
      posix_spawnattr_setsigmask(&attributes, &mask)
      flags |= POSIX_SPAWN_SETSIGMASK
    }
    posix_spawnattr_setflags(&attributes, Int16(flags))
    // The system only reports a child's end if SIGCHLD is not ignored, as it may be by the parent.
    signal(SIGCHLD, SIG_DFL)
    var child: pid_t = 0
    let code = withCStrings(words) { words in
      withCStrings(variables) { variables in
        posix_spawnp(&child, words[0] ?? strdup(""), &actions, &attributes, words, variables)
      }
    }
    if code != 0 { throw SystemError(call: "run", code: code, name: words.first) }
    return child
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let pointers = strings.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
  }
}

public enum ResponseFile {
  /// Whether there is something in it.
  public static func isFilled(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && (status.st_size > 0 || status.st_mode & S_IFMT != S_IFREG)
  }

  /// Calls `body` with its bytes, a piece at a time.
  ///
  /// It does not call `body` if the file is missing.
  public static func read(_ path: String, _ body: (Bytes) -> Void) throws(SystemError) {
    do {
      try forEachPiece(of: path, body)
    } catch {
      if !error.isMissing { throw error }
    }
  }
}

/// Arguments and environment of this process, and its end.
public enum ThisProcess {
  /// Something that the process was given and that is not UTF-8. Repaired, it might name another
  /// account or another store.
  public struct NotText: Error {
    /// Name of the text: `argument 3`, `CREDIT_STORE in the environment`.
    public let what: String
  }

  /// The path or name that started the process; may be empty.
  public static var path: String {
    guard let bytes = texts.first ?? nil else { return "" }
    return String(validatingCString: bytes) ?? ""
  }

  /// The arguments after the process's name.
  public static func arguments() throws(NotText) -> [String] {
    var arguments: [String] = []
    for (index, bytes) in texts.enumerated().dropFirst() {
      guard let bytes else { break }
      guard let argument = String(validatingCString: bytes) else {
        throw NotText(what: "argument \(index)")
      }
      arguments.append(argument)
    }
    return arguments
  }

  private static var texts: UnsafeBufferPointer<UnsafeMutablePointer<CChar>?> {
    #if os(Linux)
      var count: Int32 = 0
      let start = process_arguments(&count)
    #else
      let (start, count) = (UnsafePointer(CommandLine.unsafeArgv), CommandLine.argc)
    #endif
    return UnsafeBufferPointer(start: start, count: Int(count))
  }

  /// Returns the value of an environment variable; nil if it is not set.
  public static func variable(_ name: String) throws(NotText) -> String? {
    guard let bytes = name.withCString({ getenv($0) }) else { return nil }
    guard let value = String(validatingCString: bytes) else {
      throw NotText(what: "\(name) in the environment")
    }
    return value
  }

  /// Returns the names of the environment variables that begin with a text.
  public static func variableNames(from start: StaticString) -> [String] {
    var names: [String] = []
    var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
    while let variable = next?.pointee {
      if strncmp(variable, start.utf8Start, start.utf8CodeUnitCount) == 0 {
        let name = UnsafeRawBufferPointer(start: variable, count: strcspn(variable, "="))
        names.append(String(decoding: name, as: UTF8.self))
      }
      next = next?.successor()
    }
    return names
  }

  /// The status of a run whose reader has closed the pipe.
  public static let brokenPipeStatus = -SIGPIPE

  /// Ends the process; by the signal that a negative status stands for.
  public static func exit(_ status: Int32) -> Never {
    if status < 0 {
      signal(-status, SIG_DFL)
      kill(getpid(), -status)
    }
    // The parent may have blocked the signal.
    CLibrary.exit(status < 0 ? 128 - status : status)
  }
}
