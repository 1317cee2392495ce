internal import CLibrary

/// Output of a command, read from a pipe to its end.
///
/// After the command's own end it is read for a while only, as a process that the command has
/// started may keep the pipe open for ever.
final class CommandOutput {
  private let pipe: Pipe
  private let process: pid_t
  /// The number of each signal that this process gets.
  private let notices: Pipe
  private let grace: TimeSpan
  private var ending: Ending?
  private(set) var isLeftOpen = false

  private struct Ending {
    /// In milliseconds of ``MonotonicClock``.
    var deadline: Int64
    /// Number of bytes in the pipe at its end: they may be the command's own, so they are read even
    /// after the deadline.
    var pendingCount: Int
  }

  /// - Parameter notices: the pipe of ``SignalRelay``, also for the command's end.
  init(_ pipe: Pipe, of process: pid_t, notices: Pipe, grace: TimeSpan) {
    self.pipe = pipe
    self.process = process
    self.notices = notices
    self.grace = grace
    _ = fcntl(notices.reader, F_SETFL, O_NONBLOCK)
  }

  /// Reads output, waiting for at least one byte.
  /// - Returns: the number of bytes; 0 at the end.
  func read(into buffer: MutableBytes) throws(SystemError) -> Int {
    while true {
      let rest = ending.map { max(0, $0.deadline - MonotonicClock.milliseconds) }
      let ready = try wait(on: pipe.reader, POLLIN, milliseconds: rest)
      // Once no process can write to the pipe any more, there may be bytes left.
      let isOpen = ready & Int16(POLLHUP) == 0
      if rest == 0, isOpen, ready == 0 || ending?.pendingCount == 0 {
        isLeftOpen = true
        return 0
      }
      if ready == 0 { continue }
      let count = try repeating("read", "the command's output") {
        CLibrary.read(pipe.reader, buffer.baseAddress, buffer.count)
      }
      if let pending = ending?.pendingCount { ending?.pendingCount = max(0, pending - count) }
      return count
    }
  }

  /// Waits until standard output takes ``takenByteCount`` bytes without blocking.
  /// - Returns: false if the command has ended, and its grace has passed before that.
  func waitForReader() throws(SystemError) -> Bool {
    while true {
      let rest = ending.map { max(0, $0.deadline - MonotonicClock.milliseconds) }
      if try wait(on: STDOUT_FILENO, POLLOUT, milliseconds: rest) != 0 { return true }
      if rest == 0 { return false }
    }
  }

  /// Number of bytes that a writable pipe takes at once (`PIPE_BUF` on Linux).
  static let takenByteCount = 4096

  /// Waits until a descriptor is ready, for a signal, or until time is up.
  /// - Parameter milliseconds: nil for any time.
  /// - Returns: the events of `poll(2)`; 0 if the descriptor is not ready.
  private func wait(
    on descriptor: Int32, _ event: Int32, milliseconds: Int64?
  ) throws(SystemError) -> Int16 {
    var waiting = [
      pollfd(fd: descriptor, events: Int16(event), revents: 0),
      pollfd(fd: notices.reader, events: Int16(POLLIN), revents: 0),
    ]
    try repeating("poll") {
      poll(&waiting, nfds_t(waiting.count), Int32(clamping: milliseconds ?? -1))
    }
    if waiting[1].revents != 0 { try takeNotices() }
    return waiting[0].revents
  }

  /// Takes the signals that came. One that asks this process to end after the command has ended
  /// ends the wait.
  private func takeNotices() throws(SystemError) {
    var signals = [UInt8](repeating: 0, count: 64)
    let count = max(0, CLibrary.read(notices.reader, &signals, signals.count))
    for signal in signals[..<count] {
      if Int32(signal) != SIGCHLD {
        ending?.deadline = 0
      } else if ending == nil {
        ending = try endingNow()
      }
    }
  }

  private func endingNow() throws(SystemError) -> Ending? {
    var info = siginfo_t()
    // Its number is kept, as its status is not taken.
    try repeating("wait") {
      waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT | WNOHANG)
    }
    guard info.si_signo == SIGCHLD else { return nil }
    var count: Int32 = 0
    try repeating("read", "the command's output") { ioctl(pipe.reader, UInt(FIONREAD), &count) }
    return Ending(
      deadline: MonotonicClock.milliseconds + grace.milliseconds,
      pendingCount: Int(count))
  }
}
