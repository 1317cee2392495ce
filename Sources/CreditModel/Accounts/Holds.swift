/// Open holds that expire at one time, as one sum.
public struct HoldSum: Equatable, Sendable {
  public var credits: Credits
  public var expiresAt: Timestamp

  public init(credits: Credits, expiresAt: Timestamp) {
    self.credits = credits
    self.expiresAt = expiresAt
  }
}

/// Rounds expiries to common steps, so that many open holds have few expiries.
///
/// A step is at most a 60th of the hold's duration: a minute and its doubles, and below it 30, 15,
/// 7.5, 3.75 and 1.875 s, 625, 125, 25, 5 and 1 ms. Each divides all longer ones, so that shared
/// expiries stay shared; and times that people write are whole steps.
public enum HoldStep {
  private static let minute: Int64 = 60_000

  private static func step(for span: TimeSpan) -> Int64 {
    let longest = max(1, span.milliseconds / 60)
    var step = minute
    if longest >= minute {
      while step <= longest / 2 { step *= 2 }
    } else {
      while step > longest { step /= step > 1875 ? 2 : step == 1875 ? 3 : 5 }
    }
    return step
  }

  /// Returns the expiry of a hold that lasts `span`, rounded up to a whole step.
  /// - Returns: nil if it would be after the year 9999.
  public static func expiry(after span: TimeSpan, from start: Timestamp) -> Timestamp? {
    guard let wanted = start.adding(span) else { return nil }
    let step = step(for: span)
    let rest = wanted.milliseconds % step
    // For a time before 1970 the rest is negative.
    let missing = rest > 0 ? step - rest : 0 - rest
    return min(.latest, Timestamp(milliseconds: wanted.milliseconds + missing))
  }

  /// Whether a hold made at a time can expire at another.
  static func isExpiry(_ expiresAt: Timestamp, from start: Timestamp) -> Bool {
    let (distance, overflow) = expiresAt.milliseconds
      .subtractingReportingOverflow(start.milliseconds)
    guard !overflow, distance > 0 else { return false }
    let span = TimeSpan(milliseconds: distance)
    if expiry(after: span, from: start) == expiresAt { return true }
    // Rounding has carried it into the range of the next step: it was made with the shorter one.
    let shorter = TimeSpan(milliseconds: 60 * step(for: span) - 1)
    return expiry(after: shorter, from: start) == expiresAt
  }
}

extension Account {
  public var held: Credits {
    var sum: Credits = 0
    for hold in holds { sum &+= hold.credits }
    return sum
  }

  /// Credits of open holds that reached the account, set aside there or above it.
  var heldAgainstLimits: Credits {
    var sum = held
    for hold in passedHolds { sum &+= hold.credits }
    return sum
  }

  /// The most bytes of a record for its holds.
  public static let holdTextLimit = 8192

  /// Sets aside the account's part of a hold.
  /// - Throws: `amount_out_of_range`; `limit_exceeded` for one expiry too many.
  mutating func setAside(_ part: Share.Hold) throws(CreditError) {
    let (sum, overflow) = heldAgainstLimits.addingReportingOverflow(part.credits)
    if overflow || sum.addingReportingOverflow(part.passed).overflow {
      throw .amountOutOfRange("the holds of account \(quoted(name.text)) would not fit in 64 bits")
    }
    if part.credits > 0 { holds.add(part.credits, until: part.expiresAt) }
    if part.passed > 0 { passedHolds.add(part.passed, until: part.expiresAt) }
    for list in [holds, passedHolds]
    where list.count > Self.entryLimit || list.textCount > Self.holdTextLimit {
      throw tooManyExpiries("holds")
    }
  }

  /// Frees the account's part of a hold, unless it has expired.
  mutating func release(_ part: Share.Hold) {
    if part.credits > 0 { holds.take(part.credits, until: part.expiresAt) }
    if part.passed > 0 { passedHolds.take(part.passed, until: part.expiresAt) }
  }

  /// Frees holds that have expired by the account's time.
  mutating func releaseExpired() {
    let now = updatedAt
    if let first = holds.first, first.expiresAt <= now { holds.removeAll { $0.expiresAt <= now } }
    if let first = passedHolds.first, first.expiresAt <= now {
      passedHolds.removeAll { $0.expiresAt <= now }
    }
  }
}

extension [HoldSum] {
  fileprivate mutating func add(_ credits: Credits, until expiresAt: Timestamp) {
    let index = firstIndex { $0.expiresAt >= expiresAt } ?? endIndex
    if index < endIndex, self[index].expiresAt == expiresAt {
      self[index].credits += credits
    } else {
      insert(HoldSum(credits: credits, expiresAt: expiresAt), at: index)
    }
  }

  fileprivate mutating func take(_ credits: Credits, until expiresAt: Timestamp) {
    guard let index = firstIndex(where: { $0.expiresAt == expiresAt }) else { return }
    self[index].credits -= credits
    if self[index].credits <= 0 { remove(at: index) }
  }

  /// Upper bound of their bytes: the sums, and changes of their spacing.
  var textCount: Int {
    // The member's name, brackets, and the first expiry.
    var count = 50
    var last = first?.expiresAt
    var spacing: Int64 = 0
    for hold in self {
      let distance = hold.expiresAt.milliseconds - (last ?? hold.expiresAt).milliseconds
      if distance != spacing { count += 4 + distance.digitCount }
      count += 1 + hold.credits.digitCount
      spacing = distance
      last = hold.expiresAt
    }
    return count
  }
}

extension Int64 {
  /// Number of digits of a positive number.
  fileprivate var digitCount: Int {
    var count = 1
    var rest = self / 10
    while rest > 0 {
      count += 1
      rest /= 10
    }
    return count
  }
}
