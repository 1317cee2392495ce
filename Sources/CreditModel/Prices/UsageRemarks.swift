/// What there is to say of a usage that was priced all the same. A class, as most have none.
package final class UsageRemarks: Hashable, Sendable {
  /// Whether the response that told the usage was cut off, so that there may have been more.
  package let isPartial: Bool
  /// Where in a provider's usage numbers stand that may be billed and were not read.
  package let unread: [String]

  /// - Returns: nil where there is nothing to say.
  package init?(isPartial: Bool = false, unread: [String] = []) {
    if !isPartial, unread.isEmpty { return nil }
    self.isPartial = isPartial
    self.unread = unread
  }

  package static func == (left: UsageRemarks, right: UsageRemarks) -> Bool {
    left.isPartial == right.isPartial && left.unread == right.unread
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(isPartial)
    hasher.combine(unread)
  }
}
