/// Apple's news of a purchase, verified as far as the policy asks for.
package struct StoreKitRequest: Sendable {
  /// What it makes of the purchase.
  package enum Effect: Sendable {
    /// It holds.
    case grant
    /// It was refunded or revoked.
    case takeBack(RevokedShare)
    /// Its refund was reversed, as a notification says.
    case restore(AppStoreNotification)
    /// The subscription that it pays for was not renewed, as a notification says.
    case end(AppStoreNotification)
  }

  package var effect: Effect
  package var transaction: StoreKitTransaction
  /// The notification that brought it.
  package var notification: AppStoreNotification?
  /// The account that the request names.
  package var account: Name?
  package var reason: String?
  package var tags: Tags?
  /// Grants only where the balance is below this.
  package var below: Credits?
  /// Whether a repeat is an error.
  package var isStrict = false
  package var time: Timestamp?

  package init(_ effect: Effect, _ transaction: StoreKitTransaction, time: Timestamp? = nil) {
    self.effect = effect
    self.transaction = transaction
    self.time = time
  }

  /// The time when Apple signed the notification, or else the transaction.
  var signedDate: Timestamp? {
    notification == nil ? transaction.signedDate : notification?.signedDate
  }
}
