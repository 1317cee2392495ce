internal import CreditModel

/// Reads a `.storekit` configuration of Xcode: the products of an app, to which come the credits
/// that each consumable grants.
struct StoreKitReader {
  let productCredits: [Name: Credits]

  static func recognizes(_ file: JSONValue) -> Bool {
    file.member("products")?.kind == .array && file.member("models") == nil
      && (file.member("subscriptionGroups") != nil || file.member("nonRenewingSubscriptions") != nil
        || file.member("version")?.member("major") != nil)
  }

  /// - Throws: `invalid_request` where credits are given for what is not in the file or grants
  ///   none.
  func read(_ file: JSONValue, into catalog: inout CatalogImport) throws(CreditError) {
    var unused = Set(productCredits.keys)
    let groups = file.elements("subscriptionGroups").flatMap { Array($0.elements("subscriptions")) }
    let others = Array(file.elements("nonRenewingSubscriptions")) + groups
    for product in Array(file.elements("products")) + others {
      let id = product.name("productID")
      let isConsumable = product.member("type")?.utf8Equals("Consumable") ?? false
      let credits = id.flatMap { productCredits[$0] }
      if let id, unused.remove(id) != nil, !isConsumable {
        throw CreditError(
          .invalidRequest, "product \(quoted(id.text)) is not consumable: it grants no credits")
      }
      if let reason = add(product, id, isConsumable, credits, to: &catalog) {
        catalog.leaveOut(reason)
      }
    }
    if let id = unused.min() {
      throw CreditError(.invalidRequest, "no product \(quoted(id.text)) in the file")
    }
  }

  /// - Returns: why the product was left out, or nil.
  private func add(
    _ product: JSONValue, _ id: Name?, _ isConsumable: Bool, _ credits: Credits?,
    to catalog: inout CatalogImport
  ) -> LeftOut? {
    guard isConsumable else { return .notConsumable }
    guard let id, Name.problem(with: id.text, limit: Name.idLimit) == nil else {
      return .unusableID
    }
    guard let credits else { return .noCredits }
    let price = product.member("displayPrice")
    if let price, price.exactDecimal == nil { return .unreadable }
    let localization = product.elements("localizations").first { _ in true }
    let name =
      usable(localization?.string("displayName")) ?? usable(product.string("referenceName"))
    catalog.add(
      ImportedProduct(
        id: id, name: name ?? id.text,
        description: usable(localization?.string("description"), limit: 4096), credits: credits,
        price: price?.string ?? price?.numberText.map { String(decoding: $0, as: UTF8.self) }))
    return nil
  }

  /// Text that a catalog takes.
  private func usable(_ text: String?, limit: Int = Name.idLimit) -> String? {
    text.flatMap { Name.problem(with: $0, limit: limit) == nil ? $0 : nil }
  }
}
