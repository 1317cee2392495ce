internal import CreditSystem

extension Deadline {
  /// Milliseconds until the deadline: 0 once it is past, `Int.max` if it has no end.
  var remainingMilliseconds: Int {
    milliseconds.map { max(0, Int($0 - MonotonicClock.milliseconds)) } ?? .max
  }
}
