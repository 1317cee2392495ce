/// Credits of one kind: those of a grant, those of one expiry, or all others of the kind.
public struct Bucket: Equatable, Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    // In the order of use if priority and expiry are the same.
    case quota, bonus, starter, purchased

    var rank: Int {
      switch self {
      case .quota: 0
      case .bonus: 1
      case .starter: 2
      case .purchased: 3
      }
    }
  }

  public var kind: Kind
  /// Never 0. Only the purchased bucket without terms may be negative: it is debt then.
  public var credits: Credits
  public var expiresAt: Timestamp?
  /// The grant of the credits; nil for plain ones.
  public var grant: Grant?

  public init(kind: Kind, credits: Credits, expiresAt: Timestamp? = nil, grant: Grant? = nil) {
    self.kind = kind
    self.credits = credits
    self.expiresAt = expiresAt
    self.grant = grant
  }

  /// Lower is used first.
  public var priority: Int64 { grant?.priority ?? Grant.usualPriority }

  /// Age among the account's buckets; plain credits, which come at any time, are the last.
  var number: Int64 { grant?.number ?? .max }

  /// Whether the credits are for some models only.
  public var isScoped: Bool { grant?.models != nil }

  /// Returns true if it is used up before `other`.
  ///
  /// The order is by priority, then soonest expiry, then kind, then the older grant.
  func burnsBefore(_ other: Bucket) -> Bool {
    if grant != nil || other.grant != nil {
      let (own, others) = (priority, other.priority)
      if own != others { return own < others }
    }
    let expiry = expiresAt ?? .latest
    let otherExpiry = other.expiresAt ?? .latest
    if expiry != otherExpiry { return expiry < otherExpiry }
    if (expiresAt == nil) != (other.expiresAt == nil) { return expiresAt != nil }
    if kind != other.kind { return kind.rank < other.kind.rank }
    return number < other.number
  }

  /// Whether its credits and those of `other` are in one bucket.
  func isSame(as other: Bucket) -> Bool {
    kind == other.kind && expiresAt == other.expiresAt && grant?.id == other.grant?.id
  }

  /// Whether it pays for a model.
  /// - Parameter model: its id in the catalog; nil for work whose model has no price.
  func pays(for model: Name?) -> Bool { Name.covers(model, by: grant?.models?.names) }

  public func with(_ credits: Credits) -> Bucket {
    var copy = self
    copy.credits = credits
    return copy
  }
}

/// The terms of a top-up, which make its bucket separate. A class, as most buckets have none.
public final class Grant: Equatable, Sendable {
  /// The id of the top-up.
  public let id: Name
  /// Number of the top-up's record in its account: the older grant has the lower number.
  public let number: Int64
  /// Lower is used first.
  public let priority: Int64
  /// The models that the credits may pay for; nil for all.
  public let models: ModelPatterns?

  public init(id: Name, number: Int64, priority: Int64, models: ModelPatterns? = nil) {
    self.id = id
    self.number = number
    self.priority = priority
    self.models = models
  }

  public static let priorities: ClosedRange<Int64> = 0...100
  /// The default priority, also of quotas and plain credits.
  public static let usualPriority: Int64 = 50

  /// The most grants with credits left, scheduled ones included, that an account may have.
  public static let countLimit = 100
  /// How far ahead a grant may start.
  public static let longestWait = TimeSpan.seconds(5 * 366 * 86_400)

  public static func == (left: Grant, right: Grant) -> Bool {
    left === right
      || left.id == right.id && left.number == right.number && left.priority == right.priority
        && left.models == right.models
  }
}

/// A grant that has not started: its credits are not in the balance.
public struct ScheduledGrant: Equatable, Sendable {
  /// Its later bucket.
  public var bucket: Bucket
  public var startsAt: Timestamp

  public init(_ bucket: Bucket, startsAt: Timestamp) {
    self.bucket = bucket
    self.startsAt = startsAt
  }

  func startsBefore(_ other: ScheduledGrant) -> Bool {
    (startsAt, bucket.number) < (other.startsAt, other.bucket.number)
  }
}
