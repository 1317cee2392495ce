// Which time a request's records carry.
extension Ledger {
  /// How far ahead of the system's clock a request's own time may be.
  package static let clockTolerance = TimeSpan.seconds(300)

  /// When a request happens: at its own time, or else at the system's.
  ///
  /// On a real clock that is never before the record that was appended last: what has been seen of
  /// the past stays as it was. On a simulated clock each account has time of its own, which
  /// ``Account/advance(to:under:)`` never turns back.
  func time(of requested: Timestamp?) -> Timestamp {
    let time = requested ?? systemTime
    if policy.clockIsSimulated { return time }
    return max(time, books.latestTime ?? time)
  }

  /// Refuses a request whose own time is too far ahead to be a clock's fault.
  func checkClock(_ requested: Timestamp?) throws(CreditError) {
    guard let requested, !policy.clockIsSimulated else { return }
    if requested <= systemTime.adding(Self.clockTolerance) ?? .latest { return }
    throw CreditError(
      .invalidRequest,
      "the time is more than 5 minutes ahead of the system's clock; a policy with "
        + #""clock":"simulated" allows that"#)
  }
}
