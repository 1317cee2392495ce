internal import CreditJSON
internal import CreditModel

extension StoreKitPayload {
  /// Reads a transaction that may grant: a purchased consumable, or a subscription.
  /// - Parameter mayBeShared: true if it may have been shared in a family: news of a shared one is
  ///   not news of a purchase.
  /// - Throws: its fault.
  func transaction(mayBeShared: Bool = false) throws(StoreKitRejection)
    -> StoreKitTransaction
  {
    guard let id = id("transactionId", "transaction_id") else { throw .missingID }
    guard let product = self.id("productId", "product_id") else { throw .missingProduct }
    let isSubscription = try isSubscription()
    let ownership = member("inAppOwnershipType", "in_app_ownership_type")
    let isShared = ownership.map { !$0.utf8Equals("PURCHASED") } ?? false
    if isShared, !mayBeShared { throw .familyShared }
    var transaction = StoreKitTransaction(id: id, productID: product)
    transaction.isShared = isShared
    if isSubscription { transaction.period = try period() }
    transaction.originalID = self.id("originalTransactionId", "original_transaction_id")
    if let quantity = member("quantity") {
      guard let count = quantity.int64, count >= 1 else { throw .quantity }
      transaction.quantity = count
    }
    if let token = member("appAccountToken", "app_account_token") {
      guard let account = Name(valid: token.string, limit: Name.accountLimit) else {
        throw .malformed
      }
      transaction.accountToken = account
    }
    transaction.signedDate = try date("signedDate", "signed_date")
    transaction.price = price
    transaction.currency = member("currency")?.string.flatMap {
      CurrencyCode.isValid($0) ? $0 : nil
    }
    transaction.revokedShare = try revokedShare()
    return transaction
  }

  /// Apple's ids are text; a client may have written the number that its own type is.
  private func id(_ key: StaticString, _ snakeKey: StaticString) -> Name? {
    guard let member = member(key, snakeKey) else { return nil }
    if let number = member.int64, number >= 0 { return Name(trusted: String(number)) }
    return Name(valid: member.string)
  }

  /// Returns true if it pays for a subscription, and false for a consumable. Other types are
  /// refused. Apple always states the type; a client's own text may lack it.
  private func isSubscription() throws(StoreKitRejection) -> Bool {
    guard let type = member("type") else {
      if isSigned { throw .type }
      return member("expiresDate", "expires_date") != nil
    }
    if type.utf8Equals("Auto-Renewable Subscription") { return true }
    guard type.utf8Equals("Consumable") else { throw .type }
    return false
  }

  private func period() throws(StoreKitRejection) -> PaidPeriod {
    guard let until = try date("expiresDate", "expires_date") else { throw .type }
    var isUpgraded = false
    if let member = member("isUpgraded", "is_upgraded") {
      guard let value = member.bool else { throw .malformed }
      isUpgraded = value
    }
    return PaidPeriod(
      until: until, since: try date("purchaseDate", "purchase_date"), isUpgraded: isUpgraded)
  }

  /// Apple's price is in thousandths of the currency's unit; decimal text or a fraction can only be
  /// a client's own. It is only recorded, so an unreadable one is left out.
  private var price: String? {
    guard let price = member("price"), let number = price.exactDecimal, price.raw.count <= 40 else {
      return nil
    }
    return price.int64 == nil ? number.text : number.shifted(right: 3)?.text
  }

  private func revokedShare() throws(StoreKitRejection) -> RevokedShare? {
    guard try date("revocationDate", "revocation_date") != nil else { return nil }
    guard let percentage = member("revocationPercentage", "revocation_percentage") else {
      return .whole
    }
    guard let share = percentage.int64.flatMap(RevokedShare.init) else { throw .revocation }
    return share
  }

  // MARK: Notifications

  /// - Throws: `malformed`, `date`.
  func notification() throws(StoreKitRejection) -> AppStoreNotification {
    guard let id = Name(valid: member("notificationUUID")?.string),
      let type = Name(valid: member("notificationType")?.string)
    else { throw .malformed }
    return AppStoreNotification(id: id, type: type.text, signedDate: try date("signedDate"))
  }

  /// The claims of a notification about its app, in whichever part it has.
  var notificationClaims: StoreKitClaims {
    for key in Self.parts {
      guard let part = member(key), part.isObject else { continue }
      return StoreKitClaims(
        bundleID: part.string("bundleId"), environment: part.string("environment"),
        appAppleID: part.int64("appAppleId"))
    }
    guard let token = member("externalPurchaseToken") else { return StoreKitClaims() }
    let isSandbox = token.string("externalPurchaseId")?.hasPrefix("SANDBOX") ?? false
    let environment: AppStore.Environment = isSandbox ? .sandbox : .production
    return StoreKitClaims(
      bundleID: token.string("bundleId"), environment: environment.rawValue,
      appAppleID: token.int64("appAppleId"))
  }

  private static let parts: [StaticString] = ["data", "summary", "appData"]

  /// The signed transaction of a notification, if it has one.
  var signedTransaction: String? { member("data")?.string("signedTransactionInfo") }
}

/// The app and environment that a payload names.
struct StoreKitClaims: Equatable, Sendable {
  var bundleID: String?
  var environment: String?
  var appAppleID: Int64?

  /// Checks the required ones against the policy's.
  /// - Parameter isNotification: true to check the app's Apple id: a transaction has none.
  /// - Throws: `bundle_id`, `app_id`, `environment`.
  func check(against app: AppStore, isNotification: Bool) throws(StoreKitRejection) {
    guard bundleID == app.bundleID else { throw .bundleID }
    if isNotification, app.environment == .production {
      guard let appAppleID, appAppleID == app.appAppleID else { throw .appID }
    }
    guard environment == app.environment.rawValue else { throw .environment }
  }
}

/// A payload of StoreKit or the App Store's server, whose members are Apple's.
struct StoreKitPayload {
  let value: JSONValue
  /// Whether Apple wrote it. Then no member has another name or is left out.
  let isSigned: Bool

  /// - Throws: `malformed` if it is not an object.
  init(_ value: JSONValue, isSigned: Bool) throws(StoreKitRejection) {
    guard value.isObject else { throw .malformed }
    self.value = value
    self.isSigned = isSigned
  }

  /// Returns a member by Apple's name, or by snake case in a client's text. Null counts as absent.
  func member(_ key: StaticString, _ snakeKey: StaticString? = nil) -> JSONValue? {
    var member = value.member(key)
    if member == nil, !isSigned, let snakeKey { member = value.member(snakeKey) }
    return member?.isNull ?? true ? nil : member
  }

  /// The transaction's claims about its app.
  var claims: StoreKitClaims {
    StoreKitClaims(
      bundleID: member("bundleId", "bundle_id")?.string, environment: member("environment")?.string)
  }

  /// Apple's dates are milliseconds since 1970, with a fraction now and then.
  /// - Throws: `date`.
  func date(_ key: StaticString, _ snakeKey: StaticString? = nil) throws(StoreKitRejection)
    -> Timestamp?
  {
    guard let member = member(key, snakeKey) else { return nil }
    guard let text = member.numberText, let number = ExactDecimal(text: text),
      let milliseconds = Int64(
        exactly: number.coefficient / (Int128.powerOfTen(number.scale) ?? 1)),
      milliseconds <= Timestamp.latest.milliseconds
    else { throw .date }
    return Timestamp(milliseconds: milliseconds)
  }
}
