import Foundation

/// A program that a test starts, in a process group of its own. Its input is empty by default.
///
/// Foundation's `Process` ties a program to the run loop of the thread that starts it. A test's
/// thread may end before the program, and its memory is then read after it was freed.
struct TestProcess {
  struct Failure: Error {
    let program: String
    let code: Int32
  }

  private let id: pid_t

  /// Starts a program.
  /// - Parameters:
  ///   - folder: its working directory; nil for this process's.
  ///   - environment: all its variables; nil for those of this process.
  ///   - input: a pipe that it reads.
  ///   - pipe: a pipe that it writes its output to. Its writer is closed here.
  ///   - output: the file that its output is added to, without such a pipe.
  ///   - errors: the file that its errors are added to; nil for this process's errors.
  init(
    _ program: String, _ arguments: [String], in folder: URL? = nil,
    environment: [String: String]? = nil, reading input: Pipe? = nil, writing pipe: Pipe? = nil,
    output: String = "/dev/null", errors: String? = nil
  ) throws {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
      let onlyListed = POSIX_SPAWN_CLOEXEC_DEFAULT
      let others = 0..<Int32(0)
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
      let onlyListed: Int32 = 0
      let others = 3..<Int32(256)
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let writing = O_WRONLY | O_CREAT | O_APPEND
    if let reader = input?.fileHandleForReading.fileDescriptor {
      posix_spawn_file_actions_adddup2(&actions, reader, STDIN_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    if let writer = pipe?.fileHandleForWriting.fileDescriptor {
      posix_spawn_file_actions_adddup2(&actions, writer, STDOUT_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, writing, 0o600)
    }
    if let errors {
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, writing, 0o600)
    } else {
      posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDERR_FILENO)
    }
    // A pipe's end that the program had would keep the pipe from ending.
    for descriptor in others { posix_spawn_file_actions_addclose(&actions, descriptor) }
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | onlyListed))
    let variables = environment ?? ProcessInfo.processInfo.environment
    let words = Self.words([program] + arguments, in: folder)
    let texts = words.map { strdup($0) }
    let settings = variables.map { strdup("\($0.key)=\($0.value)") }
    defer { for text in texts + settings { free(text) } }
    // The system only reports a child's end if SIGCHLD is not ignored, as it may be by the parent.
    signal(SIGCHLD, SIG_DFL)
    var child: pid_t = 0
    let code = posix_spawn(
      &child, words[0], &actions, &attributes, texts + [nil], settings + [nil])
    try pipe?.fileHandleForWriting.close()
    if code != 0 { throw Failure(program: program, code: code) }
    id = child
  }

  /// Returns the words that start a program in a folder. Not every C library can do that.
  private static func words(_ words: [String], in folder: URL?) -> [String] {
    guard let folder else { return words }
    return ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", folder.path] + words
  }

  /// Runs a program to its end.
  /// - Returns: its exit status.
  static func run(
    _ program: String, _ arguments: [String], in folder: URL? = nil, errors: String? = nil
  ) throws -> Int32 {
    try TestProcess(program, arguments, in: folder, errors: errors).end()
  }

  /// Waits for its end.
  /// - Returns: its exit status.
  func end() -> Int32 {
    while !hasEnded(waits: true), errno == EINTR {}
    return reap()
  }

  /// Waits for its end, or kills it after a time.
  /// - Returns: its exit status; nil if it was killed.
  func end(within seconds: Double) async -> Int32? {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while Date() < deadline {
      if hasEnded(waits: false) { return reap() }
      try? await Task.sleep(for: .milliseconds(10))
    }
    let isInTime = hasEnded(waits: false)
    let status = reap()
    return isInTime ? status : nil
  }

  private func hasEnded(waits: Bool) -> Bool {
    var end = siginfo_t()
    let options = WEXITED | WNOWAIT | (waits ? 0 : WNOHANG)
    return waitid(P_PID, id_t(id), &end, options) == 0 && end.si_signo == SIGCHLD
  }

  /// Kills the rest of its group. No other group has its number before the program is reaped.
  /// - Returns: its exit status, or its signal.
  private func reap() -> Int32 {
    kill(-id, SIGKILL)
    var status: Int32 = 0
    while waitpid(id, &status, 0) != id, errno == EINTR {}
    let signal = status & 0x7f
    return signal == 0 ? status >> 8 & 0xff : signal
  }
}
