package import CreditModel

extension RecordReader {
  /// Reads a line of a journal, without its newline, if it is a plain charge's. All of the line is
  /// in the one form that is written; the checksum is not looked at.
  /// - Returns: nil for any other line, of which ``read(_:at:)`` says more.
  package mutating func plainCharge(_ line: UnsafeRawBufferPointer, at position: RecordPosition)
    -> PlainCharge?
  {
    var cursor = RecordCursor(line)
    cursor.expect("{\"at\":")
    let time = time(&cursor)
    cursor.expect(",\"event\":\"charge\",\"account\":")
    let name = cursor.name(limit: Name.accountLimit)
    cursor.expect(",\"authorization\":{\"id\":")
    let id = cursor.name(limit: Name.idLimit)
    cursor.expect("},\"key\":")
    let key = cursor.name(limit: Name.idLimit)
    cursor.expect(",\"model\":")
    let model = cursor.text()
    cursor.expect(",\"usage\":{")
    if cursor.hasFailed { return nil }
    _ = usage(&cursor)
    if cursor.skip(",\"usd\":") { cursor.require(DecimalDigits.isWritten(cursor.text())) }
    cursor.expect(",\"creditsCharged\":")
    let credits = cursor.integer()
    var account = PlainAccount(name: name, updatedAt: time, position: position)
    let state = plainState(of: &account, &cursor)
    let previous = previous(&cursor)
    // What was decoded stands in no line, and only the last of it is still there.
    guard cursor.isAtEnd, line.contains(name), line.contains(id), line.contains(key),
      line.contains(model), credits >= 0, !account.credits.isEmpty
    else { return nil }
    return PlainCharge(
      of: account, id: id, key: key, creditsCharged: credits, recordCount: state.records,
      transactionCount: state.transactions, registeredAt: state.registeredAt, previous: previous)
  }
}
