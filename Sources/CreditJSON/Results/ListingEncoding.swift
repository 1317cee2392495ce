package import CreditModel

/// Lines of listings.
extension JSONWriter {
  /// Writes the sums of the balances of all accounts.
  package mutating func total(_ total: BalanceTotal) {
    beginObject()
    member("accounts", Int64(total.count))
    member("balance", total.balance)
    member("owedToCustomers", total.owedToCustomers)
    member("owedByCustomers", total.owedByCustomers)
    endObject()
  }

  /// Writes a sum, of any size.
  package mutating func member(_ key: StaticString, _ sum: Int128) {
    self.key(key)
    var text = String(sum)
    text.withUTF8 { raw(UnsafeRawBufferPointer($0)) }
  }
}
