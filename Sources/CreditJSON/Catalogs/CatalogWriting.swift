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
    if !model.aliases.isEmpty { member("aliases", model.aliases.map(\.text)) }
    if let from = model.from { member("from", from) }
    key(PriceForm.dollars.member)
    beginObject()
    members(of: model.prices.standard)
    if !model.prices.conditions.isEmpty {
      key("when")
      beginObject()
      for entry in model.prices.conditions { self.entry(entry) }
      endObject()
    }
    endObject()
    endObject()
  }

  private mutating func entry(_ entry: ImportedPrices.Condition) {
    var text = entry.subject.key
    text.withUTF8 { key(utf8: UnsafeRawBufferPointer($0)) }
    beginObject()
    members(of: entry.prices)
    if let multiplier = entry.multiplier { member("multiply", multiplier.text) }
    endObject()
  }

  private mutating func members(of prices: TieredPrices) {
    members(of: prices.base)
    if prices.tiers.isEmpty { return }
    key("tiers")
    beginArray()
    for tier in prices.tiers {
      beginObject()
      // Nobody sets a limit of 199,999.
      if tier.above % 1000 == 999 {
        member("atInputTokens", tier.above + 1)
      } else {
        member("aboveInputTokens", tier.above)
      }
      members(of: tier.prices)
      endObject()
    }
    endArray()
  }

  /// Prices in dollars, of those that imports have in micro-dollars.
  private mutating func members(of prices: GivenPrices) {
    for count in UsageCount.allCases {
      price(PriceForm.dollars.name(of: count), prices[count])
    }
    price(PriceForm.dollars.requestName, prices.request)
  }

  private mutating func price(_ name: String, _ micros: ExactDecimal?) {
    guard let dollars = micros?.shifted(right: 6) else { return }
    name.withUTF8Bytes { key(utf8: $0) }
    string(dollars.text)
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
