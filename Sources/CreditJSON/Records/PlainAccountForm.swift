package import CreditModel

extension RecordReader {
  /// How a line of a journal, without its newline, leaves its account, if that is plain. The
  /// checksum is not looked at, nor is what the event says of itself.
  /// - Returns: nil for any other line; the name is a part of the line.
  package mutating func plainAccount(_ line: UnsafeRawBufferPointer, at position: RecordPosition)
    -> PlainAccount?
  {
    var cursor = RecordCursor(line)
    cursor.expect("{\"at\":")
    let time = time(&cursor)
    guard let kind = RecordEventKind(&cursor), kind != .claim else { return nil }
    cursor.expect(",\"account\":")
    let name = cursor.name(limit: Name.accountLimit)
    // One that has escapes or is not ASCII has been decoded to another place.
    guard !cursor.hasFailed, line.contains(name) else { return nil }
    var account = PlainAccount(name: name, updatedAt: time, position: position)
    // A plain state has no objects in it, and behind it there are none. Unescaped quotes stand in
    // no text, so that what is found is the state's.
    cursor.goToLastObject(
      lessBytes: Self.stateName.utf8CodeUnitCount, skipping: Self.shortestStateCount)
    _ = plainState(of: &account, &cursor)
    if cursor.skip(",\"original\":") { _ = cursor.integer() }
    _ = previous(&cursor)
    return cursor.isAtEnd ? account : nil
  }

  private static let stateName: StaticString = ",\"state\":{"

  /// How many bytes there are at least behind a state's brace.
  private static let shortestStateCount =
    #""records":1,"transactions":0,"registeredAt":"","crc":"00c0ffee"}"#.utf8.count
    + Timestamp.textLength

  /// A state of undated credits only.
  @inline(__always)
  mutating func plainState(of account: inout PlainAccount, _ cursor: inout RecordCursor)
    -> (records: Int64, transactions: Int64, registeredAt: Timestamp)
  {
    cursor.expect(Self.stateName)
    cursor.expect("\"records\":")
    let records = cursor.integer()
    cursor.expect(",\"transactions\":")
    let transactions = cursor.integer()
    cursor.expect(",\"registeredAt\":")
    let registeredAt = time(&cursor)
    account.isExempt = cursor.skip(",\"exempt\":true")
    account.isClosed = cursor.skip(",\"closed\":true")
    account.credits = undatedCredits(&cursor)
    account.hasRecentTopUps = cursor.skip(",\"recentTopUps\":[")
    if account.hasRecentTopUps {
      repeat { _ = time(&cursor) } while cursor.skip(",")
      cursor.expect("]")
    }
    cursor.expect("}")
    return (records, transactions, registeredAt)
  }
}

extension UnsafeRawBufferPointer {
  /// Whether another buffer is a part of this one.
  func contains(_ part: UnsafeRawBufferPointer) -> Bool {
    guard let start = baseAddress, let partStart = part.baseAddress else { return false }
    return partStart >= start && partStart < start + count
  }
}
