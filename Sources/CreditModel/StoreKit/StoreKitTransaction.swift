/// A transaction of Apple's StoreKit, as far as it matters here. `quantity` multiplies the product;
/// the amount paid is only recorded.
public struct StoreKitTransaction: Equatable, Sendable {
  public var id: Name
  /// The purchase of this transaction: the app may show it under another id again. For a
  /// subscription, its first transaction, of which all others are renewals.
  public var originalID: Name?
  public var productID: Name
  /// At least 1.
  public var quantity: Int64
  /// The account that the app named at the purchase.
  public var accountToken: Name?
  /// Time when Apple signed this news of the transaction.
  public var signedDate: Timestamp?
  /// The paid period of a subscription; nil for a consumable.
  public var period: PaidPeriod?
  /// True if it was shared in a family, not bought.
  public var isShared = false
  /// Decimal text, for the whole quantity.
  public var price: String?
  public var currency: String?
  /// The text that Apple signed, if the policy keeps it.
  public var signedText: String?
  public var revokedShare: RevokedShare?

  public init(id: Name, productID: Name, quantity: Int64 = 1) {
    self.id = id
    self.productID = productID
    self.quantity = quantity
  }
}

/// The share of a transaction that Apple refunded or revoked.
///
/// Source: "The percentage, in milliunits, of the transaction that the App Store has refunded or
/// revoked": 100% is 100000 (developer.apple.com, revocationPercentage).
public struct RevokedShare: Equatable, Sendable {
  /// Thousandths of a percent, 0 to 100000.
  public let milliunits: Int64

  public static let whole = RevokedShare(milliunits: 100_000)

  private init(milliunits: Int64) { self.milliunits = milliunits }

  /// - Returns: nil below 0 or above 100%.
  public init?(_ milliunits: Int64) {
    guard (0...Self.whole.milliunits).contains(milliunits) else { return nil }
    self.milliunits = milliunits
  }

  func credits(of granted: Credits) -> Credits {
    let whole = Int128(Self.whole.milliunits)
    let share = (Int128(granted) * Int128(milliunits) + whole - 1) / whole
    return min(granted, Credits(clamping: share))
  }

  var price: PaidBack {
    .part(UInt64(clamping: milliunits), of: UInt64(clamping: Self.whole.milliunits))
  }
}

public struct AppStoreNotification: Equatable, Sendable {
  /// Apple's `notificationUUID`: the same at each repeat.
  public var id: Name
  /// Apple's `notificationType`, such as `REFUND`.
  public var type: String
  public var signedDate: Timestamp?

  public init(id: Name, type: String, signedDate: Timestamp? = nil) {
    self.id = id
    self.type = type
    self.signedDate = signedDate
  }

  /// Whether it concerns only subscriptions.
  public var isOfSubscription: Bool { Self.subscriptionTypes.contains(type) }

  private static let subscriptionTypes: Set<String> = [
    "SUBSCRIBED", "DID_RENEW", "DID_CHANGE_RENEWAL_PREF", "EXPIRED", "GRACE_PERIOD_EXPIRED",
    "REVOKE",
  ]
}

/// Apple's news in a purchase's record: enough to ignore repeated or late news.
public struct AppStoreNews: Equatable, Sendable {
  /// Time when the newest was signed, whether it changed the purchase or not.
  public var signedDate: Timestamp?
  /// The ids of the notifications that changed the purchase, the latest last.
  public var notifications: [Name]

  /// The most notifications kept; older ones are detected by their date.
  static let notificationLimit = 16

  public init(signedDate: Timestamp? = nil, notifications: [Name] = []) {
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
public struct StoreKitRequest: Sendable {
  public enum Effect: Sendable {
    /// The purchase is valid.
    case grant
    /// It was refunded or revoked.
    case takeBack(RevokedShare)
    /// Its refund was reversed, by a notification.
    case restore(AppStoreNotification)
    /// Its subscription was not renewed, by a notification.
    case end(AppStoreNotification)
  }

  public var effect: Effect
  public var transaction: StoreKitTransaction
  public var notification: AppStoreNotification?
  public var account: Name?
  public var reason: String?
  public var tags: Tags?
  /// Grants only if the balance is below this.
  public var below: Credits?
  /// Whether a repeat is an error.
  public var isStrict = false
  public var time: Timestamp?

  public init(_ effect: Effect, _ transaction: StoreKitTransaction, time: Timestamp? = nil) {
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
  public static var transactionType: CreditError {
    CreditError(
      .unverifiedTransaction,
      "the transaction is not of type Consumable, nor an Auto-Renewable Subscription to a product "
        + "that has a plan", [.reason("type")])
  }
}
