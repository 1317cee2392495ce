internal import CreditSystem

extension Deadline {
  /// How long there is to wait: 0 once it is past, and the largest number where there is no end.
  var remainingMilliseconds: Int {
    milliseconds.map { max(0, Int($0 - MonotonicClock.milliseconds)) } ?? .max
  }
}
