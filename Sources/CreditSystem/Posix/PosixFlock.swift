internal import CLibrary
internal import Synchronization

extension PosixSystem {
  public func lock(
    _ file: Int32, _ mode: LockMode, waitMilliseconds: Int
  ) throws(SystemError) -> Bool {
    let operation = mode == .exclusive ? LOCK_EX : LOCK_SH
    let wait = min(waitMilliseconds, LockAlarm.longestMilliseconds)
    let deadline = MonotonicClock.nanoseconds + Int64(wait) * 1_000_000
    if try attempt(file, operation | LOCK_NB) { return true }
    guard wait > 0 else { return false }
    return try LockAlarm.during(milliseconds: wait) { () throws(SystemError) in
      while MonotonicClock.nanoseconds < deadline {
        if try attempt(file, operation) { return true }
      }
      return false
    }
  }

  public func unlock(_ file: Int32) { _ = flock(file, LOCK_UN) }

  /// - Returns: false if another process holds the lock, or a signal ended the wait for it.
  private func attempt(_ file: Int32, _ operation: Int32) throws(SystemError) -> Bool {
    if flock(file, operation) == 0 { return true }
    guard errno == EWOULDBLOCK || errno == EINTR else {
      throw SystemError(call: "lock", code: errno)
    }
    return false
  }
}

/// A timer whose signal interrupts a blocking `flock`, which has no timeout.
private enum LockAlarm {
  /// The longest that every system's timer can be set to (POSIX, `setitimer`): three years.
  static let longestMilliseconds = 100_000_000_000

  /// The process has one such timer: threads take turns.
  private static let turn = Mutex<Void>(())

  /// The waiting thread as a number, or 0: the system may deliver a signal of the
  /// process to any other thread, at once or after the wait has ended.
  private static let waiter = Atomic<UInt>(0)

  /// Runs `body` with SIGALRM after the time and every 10 ms from then on.
  ///
  /// One signal alone could come just before the call. Then restores handler, mask and timer.
  static func during(
    milliseconds: Int, _ body: () throws(SystemError) -> Bool
  ) throws(SystemError) -> Bool {
    try turn.withLock { (_) throws(SystemError) in
      waiter.store(number(of: pthread_self()), ordering: .releasing)
      defer { waiter.store(0, ordering: .releasing) }
      // Without SA_RESTART, so that the interrupted call returns.
      var action = sigaction(flags: 0) { _, _, _ in
        let waiter = LockAlarm.waiter.load(ordering: .acquiring)
        if waiter != 0, waiter != LockAlarm.number(of: pthread_self()) {
          pthread_kill(withUnsafeBytes(of: waiter) { $0.load(as: pthread_t.self) }, SIGALRM)
        }
      }
      var previousAction = sigaction()
      sigaction(SIGALRM, &action, &previousAction)
      defer { sigaction(SIGALRM, &previousAction, nil) }

      // A parent may have left the signal blocked.
      var alarm = sigset_t()
      sigemptyset(&alarm)
      sigaddset(&alarm, SIGALRM)
      var previousMask = sigset_t()
      pthread_sigmask(SIG_UNBLOCK, &alarm, &previousMask)
      defer { pthread_sigmask(SIG_SETMASK, &previousMask, nil) }

      var timer = itimerval()
      timer.it_value.tv_sec = milliseconds / 1000
      timer.it_value.tv_usec = .init(milliseconds % 1000 * 1000)
      timer.it_interval.tv_usec = 10_000
      var previousTimer = itimerval()
      setitimer(realTimer, &timer, &previousTimer)
      defer { setitimer(realTimer, &previousTimer, nil) }
      return try body()
    }
  }

  private static func number(of thread: pthread_t) -> UInt {
    withUnsafeBytes(of: thread) { $0.load(as: UInt.self) }
  }

  #if canImport(Glibc)
    private static var realTimer: Int32 { Int32(ITIMER_REAL.rawValue) }
  #else
    private static var realTimer: Int32 { ITIMER_REAL }
  #endif
}

/// The clock for waiting, which is never set.
public enum MonotonicClock {
  public static var nanoseconds: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }

  public static var milliseconds: Int64 { nanoseconds / 1_000_000 }

  /// Lets time go by; a signal may end it early.
  public static func sleep(milliseconds: Int) {
    var time = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
    nanosleep(&time, nil)
  }
}

/// The event that a descriptor is waited for.
public struct Readiness: OptionSet, Sendable {
  public let rawValue: Int32

  public init(rawValue: Int32) { self.rawValue = rawValue }

  public static let reading = Readiness(rawValue: POLLIN)
  public static let writing = Readiness(rawValue: POLLOUT)

  /// Waits until the descriptor is ready: a call would not block, even if it would fail.
  /// - Parameter deadline: in milliseconds of ``MonotonicClock``; nil for none.
  /// - Returns: false if the deadline came first.
  public func wait(on descriptor: Int32, until deadline: Int64?) throws(SystemError) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(rawValue), revents: 0)
    return try repeating("poll") {
      let rest = deadline.map { max(0, $0 - MonotonicClock.milliseconds) }
      return poll(&waiting, 1, Int32(clamping: rest ?? -1))
    } > 0
  }
}
