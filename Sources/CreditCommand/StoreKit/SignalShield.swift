#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Keeps the signals that ask a process to end waiting until it has tidied up.
struct SignalShield {
  private var before = sigset_t()
  /// Not those that are ignored, as whoever began the process may have had it: blocked, they would
  /// wait like the others, but they end nothing.
  private let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT].filter { !isIgnored($0) }

  /// Blocks them.
  init() {
    var ending = sigset_t()
    sigemptyset(&ending)
    for signal in signals { sigaddset(&ending, signal) }
    sigprocmask(SIG_BLOCK, &ending, &before)
  }

  private static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    sigaction(signal, nil, &action)
    return unsafeBitCast(action.handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Whether one of them waits: then there is no point in beginning anything more.
  var isHit: Bool {
    var waiting = sigset_t()
    sigpending(&waiting)
    return signals.contains { sigismember(&waiting, $0) == 1 }
  }

  /// Lets them through, those that have come meanwhile first.
  func lower() {
    var before = before
    sigprocmask(SIG_SETMASK, &before, nil)
  }

  #if canImport(Darwin)
    typealias Attributes = posix_spawnattr_t?
  #else
    typealias Attributes = posix_spawnattr_t
  #endif

  /// Makes a child take signals as if nothing were blocked or ignored here.
  func setAttributes(_ attributes: inout Attributes) {
    var before = before
    posix_spawnattr_setsigmask(&attributes, &before)
    var ignored = sigset_t()
    sigemptyset(&ignored)
    for signal in [SIGPIPE, SIGXFSZ] { sigaddset(&ignored, signal) }
    posix_spawnattr_setsigdefault(&attributes, &ignored)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
  }
}

extension sigaction {
  fileprivate var handler: (@convention(c) (Int32) -> Void)? {
    #if canImport(Darwin)
      __sigaction_u.__sa_handler
    #elseif canImport(Musl)
      __sa_handler.sa_handler
    #else
      __sigaction_handler.sa_handler
    #endif
  }
}
