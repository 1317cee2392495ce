internal import CreditModel

/// Catalogs as files have them, one model or product a line for people to compare.
extension JSONWriter {
  /// Writes a catalog that was made of another program's file.
  package mutating func catalog(_ catalog: CatalogImport) {
    beginLaidOut()
    append(UnsafeRawBufferPointer("{\"models\":"))
    lines(catalog.models) { $0.model($1) }
    put(UInt8(ascii: ","))
    endLine()
    append(UnsafeRawBufferPointer("\"products\":"))
    lines(catalog.products) { $0.product($1) }
    put(UInt8(ascii: "}"))
    endLaidOut()
  }

  private mutating func lines<Element>(
    _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
  ) {
    put(UInt8(ascii: "["))
    if !elements.isEmpty { endLine() }
    for (index, element) in elements.enumerated() {
      write(&self, element)
      if index + 1 < elements.count { put(UInt8(ascii: ",")) }
      endLine()
    }
    put(UInt8(ascii: "]"))
  }

  private mutating func model(_ model: ImportedModel) {
    beginObject()
    member("id", model.id)
    key("tokens")
    beginObject()
    prices(model.base)
    if !model.tiers.isEmpty {
      key("tiers")
      beginArray()
      for tier in model.tiers {
        beginObject()
        member("aboveInputTokens", tier.above)
        prices(tier.prices)
        endObject()
      }
      endArray()
    }
    endObject()
    endObject()
  }

  private mutating func prices(_ prices: ImportedPrices) {
    price("inputUSDPer1M", prices.input)
    price("outputUSDPer1M", prices.output)
    if let cacheRead = prices.cacheRead { price("cacheReadUSDPer1M", cacheRead) }
    if let cacheWrite = prices.cacheWrite { price("cacheWriteUSDPer1M", cacheWrite) }
  }

  /// A whole number, or decimal text where the price is finer or larger.
  private mutating func price(_ key: StaticString, _ price: ExactDecimal) {
    if price.scale == 0, let whole = Int64(exactly: price.coefficient) {
      member(key, whole)
    } else {
      member(key, price.text)
    }
  }

  private mutating func product(_ product: ImportedProduct) {
    beginObject()
    member("id", product.id)
    member("name", product.name)
    if let description = product.description { member("description", description) }
    member("credits", product.credits)
    if let price = product.price { member("price", price) }
    endObject()
  }
}
