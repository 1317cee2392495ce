internal import CreditJSON
internal import CreditModel

/// Whom products are listed for.
struct Buyer {
  /// Whether products of other groups are left out.
  private let isOne: Bool
  private let group: Name?

  /// Reads what the command line selects.
  /// - Throws: `invalid_request` for an account or a group that has no such name; what reading the
  ///   books throws.
  init(_ command: Command) throws(CreditError) {
    let account = try command.settings.account()
    let text = command.settings.arguments[.buyerGroup]
    isOne = account != nil || text != nil
    if let account {
      let books = OpenBooks(try command.openStore())
      try books.refresh()
      let view = try books.accounts(now: command.now).account(account)
      if !view.isRegistered { try command.noteUnregistered(account, in: books) }
      group = view.account.group
    } else if let text {
      if let problem = ProductGroup.problem(with: text) {
        throw CreditError(.invalidRequest, "group \(problem)")
      }
      group = text == ProductGroup.none ? nil : Name(trusted: text)
    } else {
      group = nil
    }
  }

  /// Calls `body` with the products of a catalog that are on sale until it returns false.
  /// - Parameter listed: the names found in the lists before, under which nothing else is found.
  func listProducts(
    _ catalog: JSONValue, _ listed: inout Set<Name>, _ body: (JSONValue) -> Bool
  ) {
    let hidden = listed
    for product in catalog.catalogProducts {
      if let id = product.name("id") { listed.insert(id) }
    }
    for product in catalog.productsOnSale where isShown(product) {
      guard let id = product.name("id"), !hidden.contains(id) else { continue }
      guard body(product) else { return }
    }
  }

  /// Products are shown to accounts without groups, and to those of their own.
  private func isShown(_ product: JSONValue) -> Bool {
    let groups = product.member("groups")?.elements.compactMap(\.string) ?? []
    return !isOne || groups.isEmpty || group.map { groups.contains($0.text) } ?? false
  }
}
