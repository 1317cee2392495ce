@preconcurrency internal import CLibrary

/// Starts other programs.
enum ProcessStart {
  /// A stream of this process that the program has under another number.
  typealias Stream = (from: Int32, to: Int32)

  /// Starts a program, which is looked for as a shell does where its name is no path.
  /// - Parameters:
  ///   - words: its name and arguments.
  ///   - variables: its whole environment.
  ///   - mask: the signals that it has blocked; nil for those that this process has.
  /// - Throws: where it can't be started: ``SystemError/isMissing`` where it was not found.
  static func spawn(
    _ words: [String], _ variables: [String], streams: [Stream], isQuiet: Bool = false,
    mask: sigset_t? = nil
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
    // What this process ignores, the program takes as if nobody had said so.
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
    // How a child ended is told only to a process that does not ignore it, as the parent may have.
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
