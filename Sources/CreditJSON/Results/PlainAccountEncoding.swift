package import CreditModel

extension JSONWriter {
  /// Writes what ``accountView(_:)`` writes of the same account, as text that is there already with
  /// a few numbers between: a fifth of the instructions.
  package mutating func accountView(_ account: PlainAccount) {
    let credits = account.credits
    // Less than 400 bytes of members, and the name.
    store(400 + account.name.count) { next, times in
      next.store("{\"account\":\"")
      next.store(account.name)
      next.store("\",\"balance\":")
      let balance = next
      next.store(credits.balance)
      let digitCount = next - balance
      next.store(",\"available\":")
      next.storeDigits(of: balance, digitCount)
      next.store(",\"held\":0,\"buckets\":[")
      if credits.isOne {
        next.store(credits.bonus != 0 ? bonus : credits.starter != 0 ? starter : purchased)
        next.storeDigits(of: balance, digitCount)
        next.store("}]")
      } else {
        next.storeBuckets(credits)
        next.store("]")
      }
      next.store(account.isExempt ? ",\"exempt\":true" : ",\"exempt\":false")
      if account.isClosed { next.store(",\"closed\":true") }
      next.store(",\"updatedAt\":\"")
      next.store(account.updatedAt, &times)
      next.store("\"}")
    }
  }
}

private let bonus: StaticString = "{\"kind\":\"bonus\",\"credits\":"
private let starter: StaticString = "{\"kind\":\"starter\",\"credits\":"
private let purchased: StaticString = "{\"kind\":\"purchased\",\"credits\":"

extension UndatedCredits {
  /// Whether one bucket has all.
  fileprivate var isOne: Bool {
    let count = (bonus == 0 ? 0 : 1) + (starter == 0 ? 0 : 1) + (purchased == 0 ? 0 : 1)
    return count == 1
  }
}

extension UnsafeMutableRawPointer {
  /// Stores a number once more, of at most 20 bytes: three words, whatever it has.
  @inline(__always)
  fileprivate mutating func storeDigits(of number: UnsafeMutableRawPointer, _ count: Int) {
    copyMemory(from: number, byteCount: 20)
    self += count
  }

  fileprivate mutating func storeBuckets(_ credits: UndatedCredits) {
    var isFirst = true
    for (text, credits) in [
      (bonus, credits.bonus), (starter, credits.starter), (purchased, credits.purchased),
    ] where credits != 0 {
      if !isFirst { store(UInt8(ascii: ",")) }
      isFirst = false
      store(text)
      store(credits)
      store(UInt8(ascii: "}"))
    }
  }
}
