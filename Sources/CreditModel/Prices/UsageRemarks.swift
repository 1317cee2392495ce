/// What there is to say of a usage that was priced all the same. A class, as most have none.
package final class UsageRemarks: Hashable, Sendable {
  /// True if the response was cut off, so that its usage may be incomplete.
  package let isPartial: Bool
  /// Where in a provider's usage numbers are that may be billed and were not read.
  package let unread: [String]
  /// The counts and conditions that the model has no price for, and that were charged without one.
  package let unpriced: [String]

  private init(_ isPartial: Bool, _ unread: [String], _ unpriced: [String]) {
    self.isPartial = isPartial
    self.unread = unread
    self.unpriced = unpriced
  }

  /// - Returns: nil if there are no remarks.
  package static func of(isPartial: Bool = false, unread: [String] = [], unpriced: [String] = [])
    -> UsageRemarks?
  {
    if !isPartial, unread.isEmpty, unpriced.isEmpty { return nil }
    return UsageRemarks(isPartial, unread, unpriced)
  }

  /// What there is to say of a request's usage once it is priced.
  static func of(_ remarks: UsageRemarks?, unpriced: [String]) -> UsageRemarks? {
    if unpriced.isEmpty { return remarks }
    return of(
      isPartial: remarks?.isPartial ?? false, unread: remarks?.unread ?? [], unpriced: unpriced)
  }

  package static func == (left: UsageRemarks, right: UsageRemarks) -> Bool {
    left.isPartial == right.isPartial && left.unread == right.unread
      && left.unpriced == right.unpriced
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(isPartial)
    hasher.combine(unread)
    hasher.combine(unpriced)
  }
}
