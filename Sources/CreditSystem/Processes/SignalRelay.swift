internal import CLibrary

/// The command that signals go to; 0 while there is none. A signal's handler can reach nothing but
/// a global variable, and one that is set while signals are blocked is enough.
nonisolated(unsafe) private var relayedProcess: pid_t = 0

/// Hands signals that ask a process to end to the command that it runs.
enum SignalRelay {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Blocks the signals.
  /// - Returns: which were blocked before.
  static func block() -> sigset_t {
    var set = sigset_t()
    var before = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    sigprocmask(SIG_BLOCK, &set, &before)
    return before
  }

  static func restore(_ mask: sigset_t) {
    var mask = mask
    sigprocmask(SIG_SETMASK, &mask, nil)
  }

  /// Hands the signals on from now on, but for those that this process was told to ignore.
  static func begin(to process: pid_t) {
    relayedProcess = process
    for signal in signals {
      var action = sigaction()
      sigaction(signal, nil, &action)
      if action.isIgnoring { continue }
      action = sigaction()
      action.setHandler { signal, info, _ in
        // The terminal has sent its own signal to the command already.
        guard relayedProcess > 0, let info, isFromProcess(info.pointee.si_code) else { return }
        kill(relayedProcess, signal)
      }
      action.sa_flags = Int32(SA_RESTART) | Int32(SA_SIGINFO)
      sigaction(signal, &action, nil)
    }
  }

  /// Ends it: the signals do nothing any more.
  static func end() { relayedProcess = 0 }

  /// Ends this process by a signal, as if it had never been ignored.
  static func die(of number: Int32) {
    signal(number, SIG_DFL)
    kill(getpid(), number)
  }
}

/// Whether a signal was sent by a process, and not by the terminal.
private func isFromProcess(_ code: Int32) -> Bool {
  #if canImport(Darwin)
    code == 0x10001
  #else
    code <= 0
  #endif
}

extension sigaction {
  fileprivate var isIgnoring: Bool {
    #if canImport(Darwin)
      unsafeBitCast(__sigaction_u.__sa_handler, to: Int.self) == 1
    #elseif canImport(Musl)
      unsafeBitCast(__sa_handler.sa_handler, to: Int.self) == 1
    #else
      unsafeBitCast(__sigaction_handler.sa_handler, to: Int.self) == 1
    #endif
  }

  fileprivate mutating func setHandler(
    _ handler:
      @escaping @convention(c) (
        Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?
      ) -> Void
  ) {
    #if canImport(Darwin)
      __sigaction_u.__sa_sigaction = handler
    #elseif canImport(Musl)
      __sa_handler.sa_sigaction = handler
    #else
      __sigaction_handler.sa_sigaction = handler
    #endif
  }
}
