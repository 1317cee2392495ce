/// Limit on an account's spending in a time window: its plan's or its own.
public struct SpendLimit: Equatable, Sendable {
  public var id: Name
  public var period: LimitPeriod
  /// The models that it covers; nil if it covers all.
  ///
  /// Each is a catalog id, or a prefix that ends in `*`.
  public var models: Optional<[Name]>
  public var unit: LimitUnit
  /// The most that may be spent, in the smallest parts of the unit.
  ///
  /// Nil if it was lifted, which continues to count.
  public var amount: Int128?
  /// The shares of the amount, in percent and rising, whose crossing is reported.
  public var alerts: [Int64]
  /// The account's own setting of it; nil if the plan's number applies.
  public var own: LimitSetting?

  /// The most limits of a plan.
  public static let countLimit = 16
  public static let modelLimit = 64
  /// The percentages that an alert may have.
  public static let percents: ClosedRange<Int64> = 1...1000
  /// The alerts of a limit that names none.
  public static let usualAlerts: [Int64] = [100]

  public init(
    id: Name, period: LimitPeriod, models: [Name]? = nil, unit: LimitUnit = .credits,
    amount: Int128?, alerts: [Int64] = usualAlerts, own: LimitSetting? = nil
  ) {
    self.id = id
    self.period = period
    self.models = models
    self.unit = unit
    self.amount = amount
    self.alerts = alerts
    self.own = own
  }

  /// Whether it covers the cost of a model.
  /// - Parameter model: its id in the catalog; nil for a price that no model has set.
  func covers(_ model: Name?) -> Bool { Name.covers(model, by: models) }

  /// Returns an id's fault, to follow its name in a message; nil if valid.
  public static func problem(withID id: String) -> String? {
    let isFine = id.utf8.allSatisfy { $0.isLetterOrDigit || "_-".utf8.contains($0) }
    return isFine && (1...64).contains(id.utf8.count)
      ? nil : "must be 1 to 64 of A-Z a-z 0-9 _ -"
  }
}

/// A setting of an account alone. Copies of the account share it.
public final class LimitSetting: Equatable, Sendable {
  /// The id of a limit of the plan, or the name of a period.
  public let id: Name
  /// The unit of the amount: a limit of another unit is not set by it.
  public let unit: LimitUnit
  /// In the smallest parts of the unit. Nil lifts the limit.
  public let amount: Int128?
  /// Its alerts; nil for those of the plan.
  public let alerts: [Int64]?
  public let until: Timestamp?
  /// The setting without an end that it has replaced, and that applies again at its end. Earlier
  /// releases kept it beside a plan's number, too.
  public let then: LimitSetting?
  /// The period whose name the id is, if any.
  let period: LimitPeriod?

  public init(
    id: Name, unit: LimitUnit = .credits, amount: Int128?, alerts: [Int64]? = nil,
    until: Timestamp? = nil, then: LimitSetting? = nil
  ) {
    self.id = id
    self.unit = unit
    self.amount = amount
    self.alerts = alerts
    self.until = until
    self.then = then
    period = LimitPeriod(word: id.text)
  }

  /// The same number until a time.
  public convenience init(_ number: LimitSetting, until: Timestamp?, then: LimitSetting? = nil) {
    self.init(
      id: number.id, unit: number.unit, amount: number.amount, alerts: number.alerts, until: until,
      then: then)
  }

  /// The number, for a sentence.
  public var words: String { amount.map(unit.text) ?? "lifted" }

  func hasEnded(by time: Timestamp) -> Bool { until.map { $0 <= time } ?? false }

  public static func == (left: LimitSetting, right: LimitSetting) -> Bool {
    left === right
      || left.id == right.id && left.unit == right.unit && left.amount == right.amount
        && left.alerts == right.alerts && left.until == right.until && left.then == right.then
  }

  func sets(_ id: Name, _ unit: LimitUnit) -> Bool {
    self.id == id && (amount == nil || self.unit == unit)
  }

  /// The most settings of an account.
  public static let countLimit = 64
}

public enum LimitPeriod: Equatable, Sendable {
  case hour
  case day
  /// From Monday on.
  case week
  case month
  /// Every N days of 86,400 seconds from the instant the limit took effect.
  case days(Int64)
  /// Never.
  case total

  /// Allowed lengths of a window of days.
  public static let dayLimits: ClosedRange<Int64> = 1...366

  public static let words: [LimitPeriod] = [.hour, .day, .week, .month, .total]

  /// The name of the period; nil for a number of days.
  public var word: StaticString? {
    switch self {
    case .hour: "hour"
    case .day: "day"
    case .week: "week"
    case .month: "month"
    case .total: "total"
    case .days: nil
    }
  }

  public init?(word: String) {
    guard let period = Self.words.first(where: { $0.isImplied(by: word) }) else { return nil }
    self = period
  }

  /// Returns true if the period is a word, and `text` is that word.
  public func isImplied(by text: String) -> Bool { word.map(text.hasSameBytes) ?? false }

  /// The part of the calendar that it is.
  var unit: CalendarUnit? {
    switch self {
    case .hour: .hour
    case .day: .day
    case .week: .week
    case .month: .month
    case .days, .total: nil
    }
  }

  /// Returns the start of the window of an instant, in UTC.
  /// - Parameter since: start of an earlier window, or of the limit.
  /// - Returns: `since` if the window began before it.
  func start(of instant: Timestamp, since: Timestamp) -> Timestamp {
    if instant <= since { return since }
    if let unit { return max(since, TimeZone.utc.start(of: unit, containing: instant)) }
    guard let length else { return since }
    let passed = instant.milliseconds - since.milliseconds
    return Timestamp(milliseconds: instant.milliseconds - passed % length)
  }

  /// Returns the end of a window in UTC, if it ends; at most the end of the year 9999.
  /// - Parameter since: start of the window, or of the limit in it.
  func end(since: Timestamp) -> Timestamp? {
    if let unit { return TimeZone.utc.end(of: unit, containing: since) }
    return length.map { since.adding(TimeSpan(milliseconds: $0)) ?? .latest }
  }

  private var length: Int64? {
    guard case .days(let count) = self else { return nil }
    return max(1, count) * Timestamp.millisecondsPerDay
  }
}
