package import CreditModel

/// Which app and environment a payload says that it is of.
package struct StoreKitClaims: Equatable, Sendable {
  package var bundleID: String?
  package var environment: String?
  package var appAppleID: Int64?

  /// Checks them against the policy's, as far as they must be given.
  /// - Parameter isNotification: whether the app's Apple id counts: a transaction has none.
  /// - Throws: `bundle_id`, `app_id`, `environment`.
  package func check(against app: AppStore, isNotification: Bool) throws(StoreKitRejection) {
    guard bundleID == app.bundleID else { throw .bundleID }
    if isNotification, app.environment == .production {
      guard let appAppleID, appAppleID == app.appAppleID else { throw .appID }
    }
    guard environment == app.environment.rawValue else { throw .environment }
  }
}

/// A payload of StoreKit or the App Store's server, whose members are Apple's.
package struct StoreKitPayload {
  let value: JSONValue
  /// Whether Apple wrote it. Then no member has another name or is left out.
  let isSigned: Bool

  /// - Throws: `malformed` if it is not an object.
  package init(_ value: JSONValue, isSigned: Bool) throws(StoreKitRejection) {
    guard value.isObject else { throw .malformed }
    self.value = value
    self.isSigned = isSigned
  }

  /// A member by Apple's name, or in what a client wrote itself by the same in snake case. Null is
  /// as good as absent.
  func member(_ key: StaticString, _ snakeKey: StaticString? = nil) -> JSONValue? {
    var member = value.member(key)
    if member == nil, !isSigned, let snakeKey { member = value.member(snakeKey) }
    return member?.isNull ?? true ? nil : member
  }

  /// What a transaction says of its app.
  package var claims: StoreKitClaims {
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
      let milliseconds = Int64(exactly: number.wholePart),
      milliseconds <= Timestamp.latest.milliseconds
    else { throw .date }
    return Timestamp(milliseconds: milliseconds)
  }

  /// When it was signed.
  /// - Throws: `date`.
  package func signedDate() throws(StoreKitRejection) -> Timestamp? {
    try date("signedDate", "signed_date")
  }
}

extension ExactDecimal {
  /// The number without its fraction.
  fileprivate var wholePart: UInt128 {
    var whole = coefficient
    for _ in 0..<scale { whole /= 10 }
    return whole
  }
}
