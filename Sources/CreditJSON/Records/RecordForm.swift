package import CreditModel

/// The form of a journal's records. What a record says and how it is read back are side by side,
/// one file a part: this frame, the event (``RecordEventKind``), charges, top-ups, the account's
/// state, buckets and holds.
///
/// There is one form alone: members in this order, nothing between them. A member that is absent
/// says what is usual, and costs nothing; so the form grows by optional members, and by events.
/// What is new in it is named in ``LedgerRecord/version``.
///
/// ```
/// {"at":"2026-02-19T10:00:00.000Z","event":"charge","account":"alice",
///  "authorization":{"id":"0199…"},"key":"msg-1","model":"claude-sonnet-4.5",
///  "usage":{"inputTokens":1200,"outputTokens":500},"creditsCharged":12,
///  "state":{"records":2,"transactions":2,"registeredAt":"2026-02-19T09:00:00.000Z","starter":988},
///  "previous":117,"crc":"00c0ffee"}
/// ```
extension JSONWriter {
  /// Writes a journal record up to where its checksum goes: an object without its closing brace.
  ///
  /// A record says when, what and whose; the account's state after it; and where the account's
  /// previous record is. What the record says anyway is not said twice: times, balances, and
  /// which bucket paid where that is what is the account's first one now.
  /// - Parameter previous: the position of the account's record before this one.
  package mutating func openRecord(_ record: LedgerRecord, previous: RecordPosition?) {
    beginObject()
    member("at", record.account.updatedAt)
    event(record.event, in: record.account)
    if record.account.name != .nobody { state(record.account) }
    if let crossed = record.crossed { member("crossed", crossed) }
    if let original = record.original { member("original", original.value) }
    if let previous { member("previous", previous.value) }
  }
}

/// Reads records in the one form that ``JSONWriter/openRecord(_:previous:)`` writes: a record that
/// it reads is written again as the same bytes.
///
/// There is no other reader. Only this tool writes records, and a line that is sound and yet in
/// another form was made by a tool of another version: to guess at it would lose what it says.
package struct RecordReader: ~Copyable {
  var texts = RecordTexts()

  package init() {}

  /// Reads a line of a journal, without its newline. Its checksum is not looked at.
  /// - Returns: nil where it is no record of this version.
  package mutating func read(_ line: UnsafeRawBufferPointer, at position: RecordPosition)
    -> StoredRecord?
  {
    var cursor = RecordCursor(line)
    guard let record = record(&cursor) else { return nil }
    let previous = previous(&cursor)
    guard cursor.isAtEnd else { return nil }
    return StoredRecord(record, at: position, previous: previous)
  }

  /// The end of a line: where the account's previous record is, and the checksum.
  func previous(_ cursor: inout RecordCursor) -> RecordPosition? {
    let previous = cursor.skip(",\"previous\":") ? RecordPosition(cursor.integer()) : nil
    cursor.require(cursor.skip(",\"crc\":\"") || cursor.skip(",\"and\":\""))
    // The checksum and its quote.
    cursor.skip(count: 9)
    cursor.expect("}")
    return previous
  }

  /// Reads a record that stands alone, without a place in a journal.
  /// - Returns: nil where it is no record of this version.
  package mutating func readAlone(_ line: UnsafeRawBufferPointer) -> LedgerRecord? {
    var cursor = RecordCursor(line)
    guard let record = record(&cursor) else { return nil }
    cursor.expect("}")
    return cursor.isAtEnd && record.original == nil ? record : nil
  }

  mutating func record(_ cursor: inout RecordCursor) -> LedgerRecord? {
    cursor.expect("{\"at\":")
    let time = self.time(&cursor)
    guard let kind = RecordEventKind(&cursor) else { return nil }
    if kind == .claim { return claim(at: time, &cursor) }
    if kind == .payment { return payment(at: time, &cursor) }
    cursor.expect(",\"account\":")
    var account = Account(name: account(&cursor), registeredAt: time)
    guard let event = event(kind, of: &account, &cursor) else { return nil }
    let crossed = cursor.skip(",\"crossed\":[") ? integers(&cursor) : nil
    let original = cursor.skip(",\"original\":") ? RecordPosition(cursor.integer()) : nil
    return LedgerRecord(
      event: consume event, account: consume account, original: original, crossed: crossed)
  }

  /// Where the account's previous record is, from a line up to its checksum; nil where it says
  /// nothing. The rest of the line is not looked at.
  package static func previous(before seal: UnsafeRawBufferPointer) -> RecordPosition? {
    let name: StaticString = ",\"previous\":"
    var start = seal.count
    while start > 0, 0x30...0x39 ~= seal[start - 1] { start -= 1 }
    var cursor = RecordCursor(
      UnsafeRawBufferPointer(rebasing: seal[max(0, start - name.utf8CodeUnitCount)...]))
    cursor.expect(name)
    let value = cursor.integer()
    return cursor.isAtEnd ? RecordPosition(value) : nil
  }

  /// Whether a line's account has a name that begins with a text, as it is in JSON. The rest of
  /// the line is not looked at.
  /// - Parameter line: the line, and perhaps what follows it.
  package static func hasAccount(
    beginningWith start: UnsafeRawBufferPointer, _ line: UnsafeRawBufferPointer
  ) -> Bool {
    let marker: StaticString = "\",\"account\":\""
    // The time's length is that of all times, and events have short names.
    var place = 42
    let end = min(place + 24, line.count - marker.utf8CodeUnitCount - start.count)
    while place < end, line[place] != UInt8(ascii: "\"") { place += 1 }
    if place >= end { return false }
    let name = place + marker.utf8CodeUnitCount
    return UnsafeRawBufferPointer(rebasing: line[place..<name])
      .hasSameBytes(as: UnsafeRawBufferPointer(marker))
      && UnsafeRawBufferPointer(rebasing: line[name..<name + start.count]).hasSameBytes(as: start)
  }

  /// Whether a line says that it is of a charge, which has a line of the history whatever else it
  /// says. The rest of the line is not looked at.
  package static func isCharge(_ line: UnsafeRawBufferPointer) -> Bool {
    var cursor = RecordCursor(line)
    cursor.expect("{\"at\":")
    _ = cursor.timeText()
    return cursor.skip(",\"event\":\"charge\"")
  }

  /// The time of a record, from a text that its line begins; nil for a text of another form.
  package static func time(of line: UnsafeRawBufferPointer) -> Timestamp? {
    var cursor = RecordCursor(line)
    cursor.expect("{\"at\":")
    let text = cursor.timeText()
    return cursor.hasFailed ? nil : Timestamp.parse(text)
  }
}

// Values of which all parts are made.
extension RecordReader {
  @inline(__always)
  mutating func time(_ cursor: inout RecordCursor) -> Timestamp {
    if let time = texts.time(cursor.timeText()) { return time }
    cursor.fail()
    return .earliest
  }

  /// The account.
  @inline(__always)
  mutating func account(_ cursor: inout RecordCursor) -> Name {
    texts.name(cursor.name(limit: Name.accountLimit))
  }

  /// A name of something in the policy, as the policy has it.
  @inline(__always)
  mutating func textName(_ cursor: inout RecordCursor) -> Name { texts.name(cursor.text()) }

  /// An id or key.
  @inline(__always)
  func id(_ cursor: inout RecordCursor) -> Name {
    RecordTexts.made(cursor.name(limit: Name.idLimit))
  }

  func string(_ cursor: inout RecordCursor) -> String {
    String(decoding: cursor.text(), as: UTF8.self)
  }

  /// What `JSONWriter.member(_:_:)` writes of tags, after the opening brace.
  func tags(_ cursor: inout RecordCursor) -> Tags? {
    var list = TagList()
    repeat {
      let name = string(&cursor)
      cursor.expect(":")
      let count = list.count
      cursor.require(list.add(name, string(&cursor)) == nil && list.count > count)
    } while cursor.skip(",")
    cursor.expect("}")
    return list.tags
  }

  /// The rest of a list of integers, at least one.
  func integers(_ cursor: inout RecordCursor) -> [Int64] {
    var integers: [Int64] = []
    repeat { integers.append(cursor.integer()) } while cursor.skip(",")
    cursor.expect("]")
    return integers
  }

  /// A text of a fixed choice.
  func choice<Choice: RawRepresentable<String>>(_ cursor: inout RecordCursor) -> Choice? {
    let choice = Choice(rawValue: string(&cursor))
    cursor.require(choice != nil)
    return choice
  }
}
