/// What makes a bucket one of its own: the terms of the top-up that filled it. A class, as most
/// buckets have none.
package final class Grant: Hashable, Sendable {
  /// The id of the top-up.
  package let id: Name
  /// Which number the record of the top-up has among those of its account: of two grants the one
  /// with the lower number is older.
  package let number: Int64
  /// Lower is used first.
  package let priority: Int64
  /// The models that the credits are for; nil for all.
  package let models: ModelPatterns?

  package init(id: Name, number: Int64, priority: Int64, models: ModelPatterns? = nil) {
    self.id = id
    self.number = number
    self.priority = priority
    self.models = models
  }

  package static let priorities: ClosedRange<Int64> = 0...100
  /// The priority of what says none: of quotas and plain credits, too.
  package static let usualPriority: Int64 = 50

  /// The most grants with credits left, scheduled ones included, that an account may be given.
  package static let countLimit = 100
  /// How far ahead a grant may start.
  package static let longestWait = TimeSpan.seconds(5 * 366 * 86_400)

  package static func == (left: Grant, right: Grant) -> Bool {
    left === right
      || left.id == right.id && left.number == right.number && left.priority == right.priority
        && left.models == right.models
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// A grant that has not started: no part of the balance.
package struct ScheduledGrant: Hashable, Sendable {
  /// What it will be.
  package var bucket: Bucket
  package var startsAt: Timestamp

  package init(_ bucket: Bucket, startsAt: Timestamp) {
    self.bucket = bucket
    self.startsAt = startsAt
  }

  /// Whether this starts before another one.
  func startsBefore(_ other: ScheduledGrant) -> Bool {
    if startsAt != other.startsAt { return startsAt < other.startsAt }
    return bucket.number < other.bucket.number
  }
}
