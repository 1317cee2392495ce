/// A charge as the books keep it. A class: most records are one, and handing on its many texts by
/// value would be most of the work.
package final class Charge: Hashable, Sendable {
  package let receipt: CreditReceipt
  /// The key of a direct charge.
  package let key: Name?
  /// Which buckets paid.
  package let taken: BucketShares
  /// The text of a usage that could not be read and was not needed, or cost the minimum.
  package let unreadUsage: String?

  package init(
    receipt: CreditReceipt, key: Name? = nil, taken: BucketShares, unreadUsage: String? = nil
  ) {
    self.receipt = receipt
    self.key = key
    self.taken = taken
    self.unreadUsage = unreadUsage
  }

  /// What it was before it was amended; nil for one that was not.
  package var amendment: Amendment? { receipt.details?.amendment }

  /// When limits count it: when it was charged first, or, where it was only billed, when the work
  /// was done before that.
  var countedAt: CountedInstant {
    guard let details = receipt.details else { return CountedInstant(chargedAt) }
    let usedAt = details.isArrears ? details.usedAt : nil
    return CountedInstant(min(usedAt ?? chargedAt, chargedAt), after: details.countedAfter)
  }

  /// The same charge, which says what shares of limits it has come to.
  func telling(_ crossed: [LimitCrossing]) -> Charge {
    var receipt = receipt
    let details = receipt.details
    receipt.details = .of(
      usedAt: details?.usedAt, reportedUSD: details?.reportedUSD, costUSD: details?.costUSD,
      tags: details?.tags, isArrears: details?.isArrears ?? false, amendment: details?.amendment,
      catalogModel: details?.catalogModel, paidBy: details?.paidBy ?? [],
      countedAfter: details?.countedAfter ?? 0, limitsCrossed: crossed)
    return Charge(receipt: receipt, key: key, taken: taken, unreadUsage: unreadUsage)
  }

  /// What makes another charge the same.
  var work: ChargedWork {
    ChargedWork(
      model: receipt.model, usage: receipt.usage, unreadUsage: unreadUsage,
      reportedUSD: receipt.details?.reportedUSD)
  }

  package static func == (left: Charge, right: Charge) -> Bool {
    left.receipt == right.receipt && left.key == right.key && left.taken == right.taken
      && left.unreadUsage == right.unreadUsage
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(receipt.authorization.id) }
}

/// The work that a charge is for, as far as it makes another charge the same.
package struct ChargedWork: Hashable, Sendable {
  /// As the request sent it.
  package var model: Name
  package var usage: Usage?
  /// The text of a usage that could not be read.
  package var unreadUsage: String?
  package var reportedUSD: ExactDecimal?

  package init(
    model: Name, usage: Usage?, unreadUsage: String? = nil, reportedUSD: ExactDecimal? = nil
  ) {
    self.model = model
    self.usage = usage
    self.unreadUsage = unreadUsage
    self.reportedUSD = reportedUSD
  }

  /// Names the part of a request that differs. Nil if it is for the same work.
  func difference(from request: ChargeRequest) -> String? {
    if request.model != model { return "model" }
    let isSame =
      switch request.usage {
      case .counts(let counts): counts == usage
      case .unreadable(let raw, _):
        unreadUsage.map(raw.hasSameBytes) ?? false
      }
    if !isSame { return "usage" }
    return request.reportedUSD == reportedUSD ? nil : "reported cost"
  }
}
