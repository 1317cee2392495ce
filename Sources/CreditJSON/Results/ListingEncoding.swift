/// Lines of listings.
extension JSONWriter {
  /// Writes the sum of the balances of all accounts.
  package mutating func total(accounts: Int, balance: Int128) {
    beginObject()
    member("accounts", Int64(accounts))
    member("balance", balance)
    endObject()
  }

  /// Writes a sum, of any size.
  package mutating func member(_ key: StaticString, _ sum: Int128) {
    self.key(key)
    var text = String(sum)
    text.withUTF8 { raw(UnsafeRawBufferPointer($0)) }
  }
}
