package import CreditModel

/// What the record of an authorization without a hold says, as far as a charge under it needs it.
package struct PlainAuthorization {
  package let account: Name
  package let time: Timestamp
}

extension RecordReader {
  /// Reads the line of a journal whose checksum is right, as far as the authorization.
  /// - Returns: nil where the line is of something else, of an authorization with another id, of
  ///   one that has a hold or tags, or of an account whose name has something to escape.
  package mutating func plainAuthorization(
    _ line: UnsafeRawBufferPointer, id: UnsafeRawBufferPointer
  ) -> PlainAuthorization? {
    var cursor = RecordCursor(line)
    cursor.expect("{\"at\":")
    let at = cursor.timeText()
    cursor.expect(",\"event\":\"authorization\",\"account\":")
    let name = cursor.name(limit: Name.accountLimit)
    // What had escapes stands elsewhere.
    guard !cursor.hasFailed, line.contains(name) else { return nil }
    let account = texts.name(name)
    cursor.expect(",\"authorization\":{\"id\":")
    cursor.require(cursor.name(limit: Name.idLimit).hasSameBytes(as: id))
    cursor.expect("},\"state\":{")
    guard !cursor.hasFailed, let time = texts.time(at) else { return nil }
    return PlainAuthorization(account: account, time: time)
  }
}
