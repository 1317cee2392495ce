package import CreditModel

/// Lines of listings.
extension JSONWriter {
  /// Writes the sum of the balances of all accounts.
  package mutating func total(accounts: Int, balance: Int128) {
    beginObject()
    member("accounts", Int64(accounts))
    key("balance")
    raw(String(balance))
    endObject()
  }

  /// Writes a product with its price per credit.
  package mutating func product(_ product: Product) {
    beginObject()
    member("id", product.id)
    member("name", product.name)
    if let description = product.description { member("description", description) }
    member("credits", product.credits)
    if let price = product.price {
      member("price", price.text)
      if let currency = product.currency { member("currency", currency) }
      if let perCredit = price.dividedHalfUp(by: product.credits, places: 4) {
        member("pricePerCredit", perCredit.text)
      }
    }
    member("displayOrder", product.displayOrder)
    endObject()
  }

  private mutating func raw(_ text: String) {
    var text = text
    text.withUTF8 { raw(UnsafeRawBufferPointer($0)) }
  }

  /// Writes a model with the names it is found by.
  package mutating func model(_ model: PricedModel) {
    beginObject()
    member("id", model.id)
    endObject()
  }
}
