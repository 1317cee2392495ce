/// Limit on an account's spending in a time window: its plan's or its own.
package struct SpendLimit: Hashable, Sendable {
  package var id: Name
  package var period: LimitPeriod
  /// The models that it covers; nil if it covers all.
  ///
  /// Each is a catalog id, or a prefix that ends in `*`.
  package var models: Optional<[Name]>
  /// The most that may be spent; nil for one that was lifted, which goes on counting.
  package var credits: Credits?
  /// The shares of `credits`, in percent and rising, whose crossing results tell of.
  package var alerts: [Int64]
  /// End of the account's own setting; nil if it has no end.
  ///
  /// Also nil for a plan's number.
  package var until: Optional<Timestamp>

  /// The most limits of a plan.
  package static let countLimit = 16
  /// The most models that one names.
  package static let modelLimit = 64
  /// The percentages that an alert may have.
  package static let percents: ClosedRange<Int64> = 1...1000
  /// What a limit has that names no alerts.
  package static let usualAlerts: [Int64] = [100]

  package init(
    id: Name, period: LimitPeriod, models: [Name]? = nil, credits: Credits?,
    alerts: [Int64] = usualAlerts, until: Timestamp? = nil
  ) {
    self.id = id
    self.period = period
    self.models = models
    self.credits = credits
    self.alerts = alerts
    self.until = until
  }

  /// Whether it covers what a model costs.
  /// - Parameter model: its id in the catalog; nil for a price that no model has set.
  func covers(_ model: Name?) -> Bool { Name.covers(model, by: models) }

  /// Returns an id's fault, to follow its name in a message; nil if valid.
  package static func problem(withID id: String) -> String? {
    let isFine = id.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    return isFine && (1...64).contains(id.utf8.count)
      ? nil : "must be 1 to 64 of A-Z a-z 0-9 _ -"
  }
}

/// What an account has spent against one of its limits in the present window.
package struct LimitCounter: Hashable, Sendable {
  package var id: Name
  package var period: LimitPeriod
  package var models: Optional<[Name]>
  /// When the window began, or the limit took effect in it. What was used before does not count.
  package var since: Timestamp
  /// After how many of the account's records the limit took effect, where the account had records
  /// of that very time already; else 0.
  package var after: Int64
  package var used: Credits

  package init(
    id: Name, period: LimitPeriod, models: [Name]?, since: Timestamp, after: Int64 = 0,
    used: Credits = 0
  ) {
    self.id = id
    self.period = period
    self.models = models
    self.since = since
    self.after = after
    self.used = used
  }

  /// Returns true if it is the counter of a limit.
  ///
  /// A changed period, or other models, begin another counter.
  func isOf(_ limit: SpendLimit) -> Bool { isOf(limit.id, limit.period, models: limit.models) }

  /// Counts from 0 in a window that begins at a time.
  mutating func restart(at time: Timestamp) {
    since = time
    after = 0
    used = 0
  }

  func isSame(as other: LimitCounter) -> Bool { isOf(other.id, other.period, models: other.models) }

  func isOf(_ id: Name, _ period: LimitPeriod, models: [Name]?) -> Bool {
    self.id == id && self.period == period && self.models == models
  }

  /// Returns the credits that it had counted in this window, by earlier counters.
  func used(in counters: [LimitCounter]) -> Credits {
    counters.first { isSame(as: $0) && since == $0.since }?.used ?? 0
  }

  /// Returns the part of all held credits that is held against it.
  ///
  /// That is 0 if it has models, as holds name no models.
  func held(of credits: Credits) -> Credits { models == nil ? credits : 0 }

  /// Whether it counts what a model has cost.
  /// - Parameter model: its id in the catalog; nil for a price that no model has set.
  func covers(_ model: Name?) -> Bool { Name.covers(model, by: models) }
}

/// What is set for an account alone.
package struct LimitSetting: Hashable, Sendable {
  /// The id of a limit of the plan, or the name of a period.
  package let id: Name
  /// Nil lifts the limit.
  package var credits: Credits?
  package var until: Timestamp?
  /// The period that the id is the name of; nil for one that is no such name.
  let period: LimitPeriod?

  package init(id: Name, credits: Credits?, until: Timestamp? = nil) {
    self.id = id
    self.credits = credits
    self.until = until
    period = LimitPeriod(word: id.text)
  }

  /// How many an account may have.
  package static let countLimit = 64
}
