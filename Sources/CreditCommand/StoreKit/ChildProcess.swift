internal import CreditStore
internal import CreditSystem

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A program that is run to its end without a shell, its input and messages nowhere, its output kept.
struct ChildProcess {
  private let path: String
  private let arguments: [String]
  private let environment: [String]

  /// What a program may take and print; one that goes beyond is ended.
  static let timeoutMilliseconds = 10_000
  static let outputLimit = 1 << 20

  init(_ path: String, _ arguments: [String], environment: [String]) {
    self.path = path
    self.arguments = arguments
    self.environment = environment
  }

  /// How it ended.
  struct Ending {
    /// Its exit status; nil where a signal ended it, a limit of ours among them.
    let status: Int32?
    let output: [UInt8]
  }

  /// Runs the program.
  /// - Parameter shield: the signals that are kept from this process but not from the child.
  func run(_ shield: SignalShield) throws(SystemError) -> Ending {
    let ends = try Self.openPipe()
    defer { close(ends[0]) }
    let child: pid_t
    do {
      defer { close(ends[1]) }
      child = try spawn(output: ends[1], shield)
    }
    let deadline = Self.now + Self.timeoutMilliseconds
    let output = Self.readAll(ends[0], until: deadline)
    guard let output, let status = Self.wait(for: child, until: deadline) else {
      kill(child, SIGKILL)
      _ = Self.retrying { waitpid(child, nil, 0) }
      return Ending(status: nil, output: [])
    }
    // The low bits name the signal that ended it, if one did.
    return Ending(status: status & 0x7f == 0 ? status >> 8 & 0xff : nil, output: output)
  }

  // MARK: Starting

  private func spawn(output: Int32, _ shield: SignalShield) throws(SystemError) -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    shield.setAttributes(&attributes)
    // How a child ended is only told to who does not ignore it, as this process's parent may have.
    signal(SIGCHLD, SIG_DFL)
    var child: pid_t = 0
    let code = Self.withCStrings([path] + arguments) { arguments in
      Self.withCStrings(environment) { environment in
        posix_spawn(&child, path, &actions, &attributes, arguments, environment)
      }
    }
    if code != 0 { throw SystemError(call: "run", code: code, name: path) }
    return child
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let pointers = strings.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
  }

  // MARK: Waiting

  private static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec) * 1000 + Int(time.tv_nsec) / 1_000_000
  }

  /// All that is written to a pipe; nil where that takes too long or is too much.
  private static func readAll(_ pipe: Int32, until deadline: Int) -> [UInt8]? {
    var output: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 16_384)
    while output.count <= outputLimit {
      var waiting = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
      let rest = Int32(clamping: deadline - now)
      guard rest > 0, retrying({ poll(&waiting, 1, rest) }) > 0 else { return nil }
      let count = retrying { read(pipe, &block, block.count) }
      if count < 0 { return nil }
      if count == 0 { return output }
      output += block[..<count]
    }
    return nil
  }

  /// How a child that has closed its output ended; nil where that takes too long.
  private static func wait(for child: pid_t, until deadline: Int) -> Int32? {
    var pause: UInt32 = 20
    while true {
      var status: Int32 = 0
      let ended = retrying { waitpid(child, &status, WNOHANG) }
      if ended == child { return status }
      if ended < 0 || now >= deadline { return nil }
      usleep(pause)
      pause = min(2 * pause, 5000)
    }
  }

  private static func retrying<Count: SignedInteger>(_ call: () -> Count) -> Count {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }

  // MARK: Files

  /// Whether a path is a program that may be run.
  static func isExecutable(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && access(path, X_OK) == 0
  }

  /// Removes an empty folder.
  static func removeFolder(_ path: String) { rmdir(path) }

  /// Makes a pipe that no other child is handed.
  private static func openPipe() throws(SystemError) -> [Int32] {
    var ends: [Int32] = [-1, -1]
    if pipe(&ends) != 0 { throw SystemError(call: "pipe", code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return ends
  }
}
