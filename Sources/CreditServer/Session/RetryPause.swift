internal import CreditSystem

/// How long to wait before a batch is tried again: longer each time, up to a twentieth of a second.
struct RetryPause {
  private var milliseconds = 1
  private static let limit = 50

  mutating func wait() {
    MonotonicClock.sleep(milliseconds: milliseconds)
    milliseconds = min(2 * milliseconds, Self.limit)
  }
}
