/// Shares in other accounts' records, done again from their own.
extension Account {
  mutating func replay(_ share: Share, _ purchase: GrantPurchase.LookUp) throws(CreditError) {
    try expect(share.member != name, "it is a share of its own record")
    if let part = share.released {
      try expect(part.credits >= 0 && part.passed >= 0, "the hold holds nothing")
      release(part)
    }
    if let part = share.held {
      try expect(share.step == .hold, "it holds what was not held")
      try expect(
        part.credits >= 0 && part.passed >= 0 && HoldStep.isExpiry(part.expiresAt, from: updatedAt),
        "the hold expires at another time")
      try setAside(part)
    }
    switch share.step {
    case .hold, .void: try expect(share.credits == 0, "it moved credits")
    case .charge: try replayPaying(share)
    case .amend:
      if share.credits > 0 {
        try replayGettingBack(share, purchase)
      } else {
        try replayChange(share, purchase)
      }
    case .refund: try replayGettingBack(share, purchase)
    }
    try expect(share.countedAt.time <= updatedAt, "it counts ahead of its time")
    count(share.counted, for: share.model, at: share.countedAt)
  }

  private mutating func replayPaying(_ share: Share) throws(CreditError) {
    try expect(share.credits <= 0, "it was given what it has to pay")
    try expect(
      try burn(0 - share.credits, for: share.model) == share.buckets, "it was paid by other buckets"
    )
  }

  private mutating func replayGettingBack(_ share: Share, _ purchase: GrantPurchase.LookUp)
    throws(CreditError)
  {
    try expect(
      try restore(share.buckets.reversedOrder, purchase).total == share.credits,
      "it got back another amount")
  }

  /// Replays a changed share. One that falls may give nothing back, if all of it has expired.
  private mutating func replayChange(_ share: Share, _ purchase: GrantPurchase.LookUp)
    throws(CreditError)
  {
    if share.credits == 0, !share.buckets.isEmpty {
      return try replayGettingBack(share, purchase)
    }
    try replayPaying(share)
  }
}

extension BucketShares {
  /// As they were taken: they are given back from the end on.
  fileprivate var reversedOrder: BucketShares { BucketShares(reversed()) }
}
