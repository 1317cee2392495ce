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

  private mutating func raw(_ text: String) {
    var text = text
    text.withUTF8 { raw(UnsafeRawBufferPointer($0)) }
  }
}
