/// What a charge returns: what was used, what it cost, what is left.
package struct CreditReceipt: Hashable, Sendable {
  package var authorization: CreditAuthorization
  /// As the request sent it.
  package var model: Name
  package var usage: Usage?
  package var creditsCharged: Credits
  package var newBalance: Credits
  package var timestamp: Timestamp
  /// What an exempt account would have been charged; nil for others.
  package var creditsWaived: Credits?
  /// Whether the minimum was charged for a usage that could not be read.
  package var isFallback: Bool
  /// What there is to say of the usage.
  package var remarks: UsageRemarks?

  package init(
    authorization: CreditAuthorization, model: Name, usage: Usage?, creditsCharged: Credits,
    newBalance: Credits, timestamp: Timestamp, creditsWaived: Credits? = nil,
    isFallback: Bool = false, remarks: UsageRemarks? = nil
  ) {
    self.authorization = authorization
    self.model = model
    self.usage = usage
    self.creditsCharged = creditsCharged
    self.newBalance = newBalance
    self.timestamp = timestamp
    self.creditsWaived = creditsWaived
    self.isFallback = isFallback
    self.remarks = remarks
  }
}
