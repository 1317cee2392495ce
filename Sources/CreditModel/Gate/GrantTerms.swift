/// The terms that a top-up's request states, which a repeat is compared with. A duration stays a
/// duration: a repeat computes another time from it.
public struct StatedTerms: Equatable, Sendable {
  public enum Moment: Equatable, Sendable {
    case at(Timestamp)
    case after(TimeSpan)

    var text: String {
      switch self {
      case .at(let time): time.text
      case .after(let span): span.text
      }
    }

    /// Says that an expiry is probably a slip: minutes for months, or 20 years off.
    public func slip(at now: Timestamp) -> String? {
      if case .after(let span) = self, case let minutes = span.milliseconds / 60_000,
        1..<60 ~= minutes, span == .seconds(minutes * 60)
      {
        return "expiresIn is \(minutes) min: is that meant? as months it is \(minutes * 30)d"
      }
      guard let last = now.adding(.seconds(20 * 366 * 86_400)), let end = time(from: now),
        end > last
      else { return nil }
      return "expiry \(text) is over 20 years off: is that meant?"
    }

    /// - Returns: nil past the end of time.
    func time(from start: Timestamp) -> Timestamp? {
      switch self {
      case .at(let time): time
      case .after(let span): start.adding(span)
      }
    }
  }

  public var priority: Int64?
  public var start: Moment?
  /// A duration counts from the start.
  public var expiry: Moment?
  public var models: ModelPatterns?

  public init(
    priority: Int64? = nil, start: Moment? = nil, expiry: Moment? = nil,
    models: ModelPatterns? = nil
  ) {
    self.priority = priority
    self.start = start
    self.expiry = expiry
    self.models = models
  }

  public var isEmpty: Bool { self == StatedTerms() }

  /// Returns these terms, with missing ones filled from others.
  func filled(from other: StatedTerms) -> StatedTerms {
    StatedTerms(
      priority: priority ?? other.priority, start: start ?? other.start,
      expiry: expiry ?? other.expiry, models: models ?? other.models)
  }
}

/// The terms of a grant, as its top-up records them; its expiry is a member of the top-up. A class,
/// as most top-ups have none.
public final class GrantTerms: Equatable, Sendable {
  public let priority: Int64
  public let startsAt: Timestamp?
  public let models: ModelPatterns?
  /// The terms that the request stated: the rest is its product's.
  public let stated: StatedTerms

  public init(
    priority: Int64 = Grant.usualPriority, startsAt: Timestamp? = nil,
    models: ModelPatterns? = nil, stated: StatedTerms
  ) {
    self.priority = priority
    self.startsAt = startsAt
    self.models = models
    self.stated = stated
  }

  /// Returns these terms, with unstated ones from an earlier record of the same top-up.
  func filled(from known: GrantTerms) -> GrantTerms {
    GrantTerms(
      priority: stated.priority ?? known.priority,
      startsAt: stated.start == nil ? known.startsAt : startsAt,
      models: stated.models ?? known.models, stated: stated.filled(from: known.stated))
  }

  public static func == (left: GrantTerms, right: GrantTerms) -> Bool {
    left.priority == right.priority && left.startsAt == right.startsAt
      && left.models == right.models && left.stated == right.stated
  }
}

extension Transaction {
  /// Returns the bucket that it fills: its grant's, or that of its kind and expiry.
  /// - Parameter number: number of its first granting record among its account's records.
  func bucket(number: Int64) -> Bucket {
    let grant = terms.map {
      Grant(id: id, number: number, priority: $0.priority, models: $0.models)
    }
    return Bucket(kind: bucketKind, credits: credits, expiresAt: expiresAt, grant: grant)
  }
}
