package import CreditModel

extension RecordReader {
  /// How a line of a journal, without its newline, leaves its account, if that has undated credits
  /// only. The checksum is not looked at, nor is what the event says of itself.
  /// - Returns: nil unless the line is of this form; others ``read(_:at:)`` may read.
  package mutating func undatedAccount(_ line: UnsafeRawBufferPointer) -> Account? {
    var cursor = RecordCursor(line)
    cursor.expect("{\"at\":")
    let time = time(&cursor)
    guard let kind = RecordEventKind(&cursor), kind != .claim, kind != .payment else { return nil }
    cursor.expect(",\"account\":")
    let name = account(&cursor)
    guard !cursor.hasFailed else { return nil }
    var account = Account(name: name, registeredAt: time)
    // Such a state has no objects in it, and behind it there are none. Unescaped quotes are in no
    // text, so that what is found is the state's.
    cursor.goToLastObject(
      lessBytes: Self.stateName.utf8CodeUnitCount, skipping: Self.shortestStateCount)
    state(of: &account, &cursor)
    if cursor.skip(",\"original\":") { _ = cursor.integer() }
    _ = previous(&cursor)
    return cursor.isAtEnd && account.hasUndatedCreditsOnly ? account : nil
  }

  private static let stateName: StaticString = ",\"state\":{"

  /// How many bytes there are at least behind a state's brace.
  private static let shortestStateCount =
    #""records":1,"transactions":0,"registeredAt":"","crc":"00c0ffee"}"#.utf8.count
    + Timestamp.textLength
}
