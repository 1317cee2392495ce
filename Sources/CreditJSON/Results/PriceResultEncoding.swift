package import CreditModel

extension JSONWriter {
  /// Writes what `credit-price` answers.
  package mutating func price(_ quote: PriceQuote, model: Name, remarks: UsageRemarks? = nil) {
    beginObject()
    member("model", model)
    if let usage = quote.usage { member("usage", usage) }
    if let usd = quote.usd { member("usd", usd) }
    if let costUSD = quote.costUSD { member("costUSD", costUSD) }
    member("credits", quote.credits)
    if quote.isFallback { member("usageFallback", true) }
    if !quote.unpriced.isEmpty { member("unpriced", quote.unpriced) }
    _ = self.remarks(remarks)
    endObject()
  }
}
