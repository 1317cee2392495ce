package import CreditModel

/// The two ways in which a model's dollar prices are written. Both mean the same.
package enum PriceForm: CaseIterable {
  /// `"usdPer1M": {"input": "3"}`: dollars for a million tokens, or for a thousand calls.
  case dollars
  /// `"tokens": {"inputUSDPer1M": 3000000}`: the same in millionths of a dollar.
  case microDollars

  /// The member of a model.
  package var member: StaticString {
    switch self {
    case .dollars: "usdPer1M"
    case .microDollars: "tokens"
    }
  }

  /// The form of a model's price list, and the list; nil for a model with no dollar prices.
  package static func find(in model: JSONValue) -> (form: PriceForm, list: JSONValue)? {
    for form in [PriceForm.dollars, .microDollars] {
      if let list = model.member(form.member) { return (form, list) }
    }
    return nil
  }

  /// The member of a list that has the price of a count.
  package func name(of count: UsageCount) -> String {
    "\(count.row.price)\(suffix(isOfCalls: count.row.kind == .calls))"
  }

  /// The member of a list that has the price of a request.
  var requestName: String { "\(Self.request)\(suffix(isOfCalls: true))" }

  /// The member of a list that has the price of a place.
  func name(at place: Int) -> String {
    place == GivenPrices.requestPlace ? requestName : name(of: UsageCount(at: place))
  }

  /// The place of the price that a member of a list is; nil otherwise.
  func place(of key: JSONValue) -> Int? {
    key.withUTF8 { key in
      for place in 0..<UsageCount.total {
        let row = UsageCount(at: place).row
        if matches(key, row.price, isOfCalls: row.kind == .calls) { return place }
      }
      return matches(key, Self.request, isOfCalls: true) ? GivenPrices.requestPlace : nil
    } ?? nil
  }

  /// Whether a member of a list is a price of tokens.
  func isTokenPrice(_ key: JSONValue) -> Bool {
    place(of: key).map { !Self.isOfCalls($0) } ?? false
  }

  /// Returns true if a place's price is of calls or requests, not of tokens.
  static func isOfCalls(_ place: Int) -> Bool {
    place == GivenPrices.requestPlace || UsageCount(at: place).row.kind == .calls
  }

  /// How many digits a price is moved to the right by to be in dollars for a million tokens, or a
  /// thousand calls.
  var places: Int { self == .microDollars ? 6 : 0 }

  private static let request: StaticString = "request"

  private func suffix(isOfCalls: Bool) -> StaticString {
    switch self {
    case .dollars: isOfCalls ? "Per1000" : ""
    case .microDollars: isOfCalls ? "USDPer1000" : "USDPer1M"
    }
  }

  private func matches(_ key: UnsafeRawBufferPointer, _ stem: StaticString, isOfCalls: Bool)
    -> Bool
  {
    let suffix = suffix(isOfCalls: isOfCalls)
    let length = stem.utf8CodeUnitCount
    guard key.count == length + suffix.utf8CodeUnitCount else { return false }
    return UnsafeRawBufferPointer(rebasing: key[..<length])
      .hasSameBytes(as: UnsafeRawBufferPointer(stem))
      && UnsafeRawBufferPointer(rebasing: key[length...])
        .hasSameBytes(as: UnsafeRawBufferPointer(suffix))
  }
}
