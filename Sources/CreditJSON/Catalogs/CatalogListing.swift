internal import CreditModel

/// Lines of a catalog's listing: the entries as its text has them.
extension JSONWriter {
  /// Writes a model as the catalog has it.
  package mutating func listedModel(_ model: JSONValue) {
    JSONCompact.write(model, into: &self)
  }

  /// Writes what a table shows of a model: the base prices of its tokens, and what they are.
  package mutating func modelRow(_ model: JSONValue) {
    beginObject()
    if let id = model.string("id") { member("id", id) }
    if let prices = model.member("tokens") {
      let columns: [(StaticString, StaticString)] = [
        ("input", "inputUSDPer1M"), ("output", "outputUSDPer1M"),
        ("cacheRead", "cacheReadUSDPer1M"), ("cacheWrite", "cacheWriteUSDPer1M"),
      ]
      for (column, name) in columns {
        // Micro-dollars.
        member(column, prices.member(name)?.exactDecimal?.shifted(right: 6))
      }
      let hasTiers = prices.member("tiers") != nil
      member("price", "USD per 1M tokens" + (hasTiers ? ", tiered" : ""))
    } else if let prices = model.member("creditsPerToken") {
      member("input", prices.member("input")?.exactDecimal)
      member("output", prices.member("output")?.exactDecimal)
      member("price", "credits per token")
    } else if let price = model.member("creditsPerUnit")?.exactDecimal {
      member("price", "\(price.creditsText) per unit")
    } else if let price = model.member("creditsPerRequest")?.exactDecimal {
      member("price", "\(price.creditsText) per request")
    } else {
      member("price", "free")
    }
    endObject()
  }

  private mutating func member(_ key: StaticString, _ number: ExactDecimal?) {
    guard var text = number?.text else { return }
    self.key(key)
    text.withUTF8 { raw(UnsafeRawBufferPointer($0)) }
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
  fileprivate var creditsText: String { text == "1" ? "1 credit" : "\(text) credits" }

  /// The decimal text with so many digits after the point, of which it has no more.
  fileprivate func text(places: Int) -> String {
    text + (scale == 0 && places > 0 ? "." : "") + String(repeating: "0", count: places - scale)
  }
}
