internal import CLibrary

/// The command that signals go to; 0 while no command runs.
///
/// A signal's handler can reach only global variables. One that is set while signals are blocked is
/// enough.
nonisolated(unsafe) private var relayedProcess: pid_t = 0

/// The pipe for the number of each signal; -1 without a reader.
nonisolated(unsafe) private var noticeDescriptor: Int32 = -1

/// Hands signals that ask a process to end to the command that it runs.
enum SignalRelay {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Blocks the signals.
  /// - Returns: which were blocked before.
  static func block() -> sigset_t {
    var set = sigset_t()
    var before = sigset_t()
    sigemptyset(&set)
    for signal in signals + [SIGCHLD] { sigaddset(&set, signal) }
    sigprocmask(SIG_BLOCK, &set, &before)
    return before
  }

  /// Restores the blocked signals, but never blocks that of a command's end.
  static func restore(_ mask: sigset_t) {
    var mask = mask
    sigdelset(&mask, SIGCHLD)
    sigprocmask(SIG_SETMASK, &mask, nil)
  }

  /// Passes the signals on from now on, except those that this process ignores.
  /// - Parameter notices: a pipe for each signal's number, a byte each, also for the command's end
  ///   (`SIGCHLD`). A full pipe takes no more.
  static func begin(to process: pid_t, notices: Pipe) {
    relayedProcess = process
    if let writer = notices.writer {
      _ = fcntl(writer, F_SETFL, O_NONBLOCK)
      noticeDescriptor = writer
    }
    for signal in signals + [SIGCHLD] {
      var action = sigaction()
      sigaction(signal, nil, &action)
      if signal != SIGCHLD, action.isIgnoring { continue }
      action = sigaction(flags: Int32(SA_RESTART) | Int32(SA_NOCLDSTOP)) { signal, info, _ in
        let code = errno
        // The terminal has sent its own signal to the command already.
        if signal != SIGCHLD, relayedProcess > 0, let info, isFromProcess(info.pointee.si_code) {
          kill(relayedProcess, signal)
        }
        notify(of: signal)
        errno = code
      }
      sigaction(signal, &action, nil)
    }
    // It may have ended already.
    notify(of: SIGCHLD)
  }

  /// Ends the relay: the signals have no effect any more.
  static func end() {
    relayedProcess = 0
    noticeDescriptor = -1
  }
}

private func notify(of signal: Int32) {
  var byte = UInt8(truncatingIfNeeded: signal)
  if noticeDescriptor >= 0 { _ = write(noticeDescriptor, &byte, 1) }
}

/// Returns true if a process sent the signal, and not the terminal.
private func isFromProcess(_ code: Int32) -> Bool {
  #if canImport(Darwin)
    code == 0x10001
  #else
    code <= 0
  #endif
}

typealias SignalHandler =
  @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void

extension sigaction {
  /// - Parameter flags: those beside `SA_SIGINFO`.
  init(flags: Int32, _ handler: @escaping SignalHandler) {
    self.init()
    #if canImport(Darwin)
      __sigaction_u.__sa_sigaction = handler
    #elseif canImport(Musl)
      __sa_handler.sa_sigaction = handler
    #else
      __sigaction_handler.sa_sigaction = handler
    #endif
    sa_flags = flags | Int32(SA_SIGINFO)
  }

  fileprivate var isIgnoring: Bool {
    #if canImport(Darwin)
      unsafeBitCast(__sigaction_u.__sa_handler, to: Int.self) == 1
    #elseif canImport(Musl)
      unsafeBitCast(__sa_handler.sa_handler, to: Int.self) == 1
    #else
      unsafeBitCast(__sigaction_handler.sa_handler, to: Int.self) == 1
    #endif
  }
}
