internal import CreditModel

// What the texts of plain requests consist of. There must be room for all that is stored.
extension UnsafeMutableRawPointer {
  /// Stores a text written in the source.
  @inline(__always)
  mutating func store(_ text: StaticString) {
    store(UnsafeRawBufferPointer(text))
  }

  @inline(__always)
  mutating func store(_ text: [UInt8]) {
    text.withUnsafeBytes { store($0) }
  }

  @inline(__always)
  mutating func store(_ time: Timestamp, _ times: inout TimestampTexts) {
    times.write(time, to: self)
    self += Timestamp.textLength
  }

  @inline(__always)
  mutating func store(_ number: Int64) {
    if number < 0 { store(UInt8(ascii: "-")) }
    self += JSONDigits.write(number.magnitude, to: self)
  }

  /// Stores what every record begins with, up to the account's name, whose quote stays open.
  @inline(__always)
  mutating func store(
    recordOf event: StaticString, at time: Timestamp, of account: UnsafeRawBufferPointer,
    _ times: inout TimestampTexts
  ) {
    store("{\"at\":\"")
    store(time, &times)
    store("\",\"event\":\"")
    store(event)
    store("\",\"account\":\"")
    store(account)
  }

  @inline(__always)
  mutating func store(_ counts: CommonCounts) {
    store("{\"inputTokens\":")
    store(counts.inputTokens)
    store(",\"outputTokens\":")
    store(counts.outputTokens)
    if counts.cacheReadTokens != 0 {
      store(",\"cacheReadTokens\":")
      store(counts.cacheReadTokens)
    }
    if counts.cacheWriteTokens != 0 {
      store(",\"cacheWriteTokens\":")
      store(counts.cacheWriteTokens)
    }
    store(UInt8(ascii: "}"))
  }

  @inline(__always)
  mutating func store(_ state: PlainState, _ times: inout TimestampTexts) {
    store(",\"state\":{\"records\":")
    store(state.recordCount)
    store(",\"transactions\":")
    store(state.transactionCount)
    store(",\"registeredAt\":\"")
    store(state.registeredAt, &times)
    store(UInt8(ascii: "\""))
    if state.credits.bonus != 0 {
      store(",\"bonus\":")
      store(state.credits.bonus)
    }
    if state.credits.starter != 0 {
      store(",\"starter\":")
      store(state.credits.starter)
    }
    if state.credits.purchased != 0 {
      store(",\"purchased\":")
      store(state.credits.purchased)
    }
    store(UInt8(ascii: "}"))
  }

  @inline(__always)
  mutating func store(_ previous: RecordPosition?) {
    guard let previous else { return }
    store(",\"previous\":")
    store(previous.value)
  }

  /// Stores a key as a member behind others, where there is one.
  @inline(__always)
  mutating func store(key: UnsafeRawBufferPointer) {
    if key.isEmpty { return }
    store(",\"key\":\"")
    store(key)
    store(UInt8(ascii: "\""))
  }

  /// Stores the authorization of an answer.
  @inline(__always)
  mutating func store(authorization entry: PlainEntry, _ times: inout TimestampTexts) {
    store("{\"id\":\"")
    store(entry.authorization)
    store("\",\"account\":\"")
    store(entry.account)
    store("\",\"timestamp\":\"")
    store(entry.authorizedAt, &times)
    store("\"}")
  }
}
