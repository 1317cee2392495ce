/// A top-up: credits bought or granted, or about to be.
package struct Transaction: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    case purchase, bonus, adjustment
  }

  package enum Status: String, CaseIterable, Sendable {
    case pending, completed, failed, refunded
  }

  package var id: Name
  /// StoreKit's id of the purchase that the transaction is of. It is claimed like the id.
  package var originalTransactionID: Name?
  package var account: Name
  package var kind: Kind
  package var status: Status
  package var productID: Name?
  package var quantity: Int64
  /// What it grants, or would.
  package var credits: Credits
  package var timestamp: Timestamp
  /// Decimal text or the digits of a JSON number, recorded and never computed with.
  package var price: String?
  package var currency: String?
  /// The idempotency key within the account, where the request had no transaction id.
  package var key: Name?
  package var reason: String?
  package var expiresAt: Timestamp?
  package var tags: Tags?
  /// What the App Store signed, where the policy keeps it.
  package var signedText: String?

  package init(
    id: Name, account: Name, kind: Kind, status: Status, productID: Name? = nil,
    quantity: Int64 = 1, credits: Credits, timestamp: Timestamp
  ) {
    self.id = id
    self.account = account
    self.kind = kind
    self.status = status
    self.productID = productID
    self.quantity = quantity
    self.credits = credits
    self.timestamp = timestamp
  }

  /// The bucket that it fills: adjustments stand with what was bought, for good.
  var bucketKind: Bucket.Kind { kind == .bonus ? .bonus : .purchased }
}
