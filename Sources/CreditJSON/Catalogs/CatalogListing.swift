internal import CreditModel

/// Lines of a catalog's listing: the entries as its text has them.
extension JSONWriter {
  /// Writes a model as the catalog has it.
  package mutating func listedModel(_ model: JSONValue) {
    JSONCompact.write(model, into: &self)
  }

  /// Writes a product as the catalog has it, with its name and its price per credit.
  package mutating func listedProduct(_ product: JSONValue) {
    beginObject()
    for (name, value) in product.members {
      name.withUTF8 { key(utf8: $0) }
      JSONCompact.write(value, into: &self)
      if name.utf8Equals("id"), product.member("name") == nil, let id = value.string {
        member("name", id)
      }
    }
    if let price = product.member("price")?.exactDecimal, let credits = product.int64("credits"),
      let perCredit = price.dividedHalfUp(by: credits, places: 4)
    {
      member("pricePerCredit", perCredit.text(places: 4))
    }
    endObject()
  }
}

extension JSONValue {
  /// The models of a catalog, in its order.
  package var catalogModels: JSONElements { elements("models") }

  /// The products of a catalog, in its order.
  package var catalogProducts: JSONElements { elements("products") }

  /// The products of a catalog that are on sale, in the order in which to show them.
  package var productsOnSale: [JSONValue] {
    catalogProducts.filter { $0.member("active")?.bool != false }.enumerated().sorted {
      ($0.element.int64("displayOrder") ?? 0, $0.offset)
        < ($1.element.int64("displayOrder") ?? 0, $1.offset)
    }.map(\.element)
  }
}

extension ExactDecimal {
  /// The decimal text with so many digits after the point, of which it has no more.
  fileprivate func text(places: Int) -> String {
    text + (scale == 0 && places > 0 ? "." : "") + String(repeating: "0", count: places - scale)
  }
}
