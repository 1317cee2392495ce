/// A transaction of Apple's StoreKit, as far as it matters here. `quantity` multiplies the product;
/// the amount paid is only recorded.
package struct StoreKitTransaction: Hashable, Sendable {
  package var id: Name
  /// The purchase of this transaction: the app may show it under another id again. For a
  /// subscription, its first transaction, of which all others are renewals.
  package var originalID: Name?
  package var productID: Name
  /// At least 1.
  package var quantity: Int64
  /// The account that the app named at the purchase.
  package var accountToken: Name?
  /// Time when Apple signed this news of the transaction.
  package var signedDate: Timestamp?
  /// The paid period of a subscription; nil for a consumable.
  package var period: PaidPeriod?
  /// True if it was shared in a family, not bought.
  package var isShared = false
  /// Decimal text, for the whole quantity.
  package var price: String?
  package var currency: String?
  /// The text that Apple signed, if the policy keeps it.
  package var signedText: String?
  /// The share that was refunded or revoked, if any.
  package var revokedShare: RevokedShare?

  package init(id: Name, productID: Name, quantity: Int64 = 1) {
    self.id = id
    self.productID = productID
    self.quantity = quantity
  }
}

/// The share of a transaction that Apple refunded or revoked.
///
/// Source: "The percentage, in milliunits, of the transaction that the App Store has refunded or
/// revoked": 100% is 100000 (developer.apple.com, revocationPercentage).
package struct RevokedShare: Hashable, Sendable {
  /// Thousandths of a percent, 0 to 100000.
  package let milliunits: Int64

  package static let whole = RevokedShare(milliunits: 100_000)

  private init(milliunits: Int64) { self.milliunits = milliunits }

  /// - Returns: nil below 0 or above 100%.
  package init?(_ milliunits: Int64) {
    guard (0...Self.whole.milliunits).contains(milliunits) else { return nil }
    self.milliunits = milliunits
  }

  /// Returns that share of the granted credits, rounded up.
  func credits(of granted: Credits) -> Credits {
    let whole = Int128(Self.whole.milliunits)
    let share = (Int128(granted) * Int128(milliunits) + whole - 1) / whole
    return min(granted, Credits(clamping: share))
  }

  /// That share of the amount paid.
  var price: PaidBack {
    .part(UInt64(clamping: milliunits), of: UInt64(clamping: Self.whole.milliunits))
  }
}

/// A notification of the App Store's server.
package struct AppStoreNotification: Hashable, Sendable {
  /// Apple's `notificationUUID`: the same at each repeat.
  package var id: Name
  /// Apple's `notificationType`, such as `REFUND`.
  package var type: String
  package var signedDate: Timestamp?

  package init(id: Name, type: String, signedDate: Timestamp? = nil) {
    self.id = id
    self.type = type
    self.signedDate = signedDate
  }

  /// Whether it concerns only subscriptions.
  package var isOfSubscription: Bool { Self.subscriptionTypes.contains(type) }

  private static let subscriptionTypes: Set<String> = [
    "SUBSCRIBED", "DID_RENEW", "DID_CHANGE_RENEWAL_PREF", "EXPIRED", "GRACE_PERIOD_EXPIRED",
    "REVOKE",
  ]

  /// Whether it reports that a subscription was not renewed.
  package var isOfEnd: Bool { type == "EXPIRED" || type == "GRACE_PERIOD_EXPIRED" }
}

/// Apple's news in a purchase's record: enough to ignore repeated or late news.
package struct AppStoreNews: Hashable, Sendable {
  /// Time when the newest was signed, whether it changed the purchase or not.
  package var signedDate: Timestamp?
  /// The ids of the notifications that changed the purchase, the latest last.
  package var notifications: [Name]

  /// The most notifications kept; older ones are detected by their date.
  static let notificationLimit = 16

  package init(signedDate: Timestamp? = nil, notifications: [Name] = []) {
    self.signedDate = signedDate
    self.notifications = notifications
  }

  /// Whether the known news was signed later; false if either has no date.
  func isNewer(than signedDate: Timestamp?) -> Bool {
    guard let known = self.signedDate, let signedDate else { return false }
    return signedDate < known
  }

  /// Returns a copy with one more notification.
  func adding(_ notification: AppStoreNotification?, signedAt date: Timestamp?) -> AppStoreNews {
    var news = self
    news.signedDate = date ?? signedDate
    if let notification {
      news.notifications = (notifications + [notification.id]).suffix(Self.notificationLimit)
    }
    return news
  }
}

/// Apple's news of a purchase, verified as the policy requires.
package struct StoreKitRequest: Sendable {
  /// Its effect on the purchase.
  package enum Effect: Sendable {
    /// The purchase is valid.
    case grant
    /// It was refunded or revoked.
    case takeBack(RevokedShare)
    /// Its refund was reversed, by a notification.
    case restore(AppStoreNotification)
    /// Its subscription was not renewed, by a notification.
    case end(AppStoreNotification)
  }

  package var effect: Effect
  package var transaction: StoreKitTransaction
  package var notification: AppStoreNotification?
  package var account: Name?
  package var reason: String?
  package var tags: Tags?
  /// Grants only if the balance is below this.
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

extension CreditError {
  /// The error for a transaction of a type that cannot buy its product.
  package static var transactionType: CreditError {
    CreditError(
      .unverifiedTransaction,
      "the transaction is not of type Consumable, nor an Auto-Renewable Subscription to a product "
        + "that has a plan", [.reason("type")])
  }
}
