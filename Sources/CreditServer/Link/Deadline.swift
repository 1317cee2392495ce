internal import CreditSystem

/// When waiting is to end, by a clock that is never set.
package struct Deadline: Sendable {
  /// On ``MonotonicClock``; nil for never.
  package let milliseconds: Int64?

  package init(milliseconds: Int64?) { self.milliseconds = milliseconds }

  package static let never = Deadline(milliseconds: nil)

  package static func after(seconds: Int64) -> Deadline {
    let (wait, isTooLong) = seconds.multipliedReportingOverflow(by: 1000)
    return isTooLong ? .never : after(milliseconds: wait)
  }

  package static func after(milliseconds wait: Int64) -> Deadline {
    let (end, isTooLong) = MonotonicClock.milliseconds.addingReportingOverflow(wait)
    return isTooLong ? .never : Deadline(milliseconds: end)
  }

  /// The earlier one of two.
  package func earlier(_ other: Deadline) -> Deadline {
    guard let own = milliseconds else { return other }
    return other.milliseconds.map { $0 < own ? other : self } ?? self
  }

  package var isPast: Bool { milliseconds.map { $0 <= MonotonicClock.milliseconds } ?? false }
}
