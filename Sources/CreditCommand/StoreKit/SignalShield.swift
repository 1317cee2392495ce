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

  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  /// Blocks them.
  init() {
    var ending = sigset_t()
    sigemptyset(&ending)
    for signal in Self.signals { sigaddset(&ending, signal) }
    sigprocmask(SIG_BLOCK, &ending, &before)
  }

  /// Whether one of them waits: then there is no point in beginning anything more.
  var isHit: Bool {
    var waiting = sigset_t()
    sigpending(&waiting)
    return Self.signals.contains { sigismember(&waiting, $0) == 1 }
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
