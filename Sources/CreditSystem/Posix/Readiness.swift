internal import CLibrary

/// What a descriptor is waited for.
package struct Readiness: OptionSet, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  package static let reading = Readiness(rawValue: POLLIN)
  package static let writing = Readiness(rawValue: POLLOUT)

  /// Waits until a call that a descriptor is waited for would not block, if only as it would fail.
  /// - Parameter deadline: in milliseconds of ``MonotonicClock``; nil for none.
  /// - Returns: whether that was before the deadline.
  package func wait(on descriptor: Int32, until deadline: Int64?) throws(SystemError) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(rawValue), revents: 0)
    return try repeating("poll") {
      let rest = deadline.map { max(0, $0 - MonotonicClock.milliseconds) }
      return poll(&waiting, 1, Int32(clamping: rest ?? -1))
    } > 0
  }
}
