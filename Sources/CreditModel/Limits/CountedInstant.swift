/// When limits count something: a time, and after which of the limits that took effect at it.
package struct CountedInstant: Hashable, Sendable {
  package var time: Timestamp
  /// What ``LimitCounter/after`` says of the last limit that took effect at this very time and
  /// counts it; 0 where none says anything.
  package var after: Int64

  package init(_ time: Timestamp, after: Int64 = 0) {
    self.time = time
    self.after = after
  }
}

extension LimitCounter {
  /// Whether it counts what was of an instant: what was charged before the limit took effect is
  /// not, be it in the same millisecond.
  func counts(_ instant: CountedInstant) -> Bool {
    since < instant.time || since == instant.time && after <= instant.after
  }
}

extension Account {
  /// The instant of what is charged to the account now, and is counted at a time.
  func instant(of time: Timestamp) -> CountedInstant {
    CountedInstant(
      time, after: limitCounters.reduce(0) { $1.since == time ? max($0, $1.after) : $0 })
  }
}
