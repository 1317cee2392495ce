public import CreditModel

/// The form of a journal's records. Each noun of a record has a file beside this frame.
///
/// There is only one form: members in this order, without white space. An absent member has its
/// default; so the form grows by optional members, and by events. Additions are listed in
/// ``LedgerRecord/version``.
///
/// ```
/// {"at":"2026-02-19T10:00:00.000Z","event":"charge","account":"alice",
///  "authorization":{"id":"0199…"},"key":"msg-1","model":"claude-sonnet-4.5",
///  "usage":{"inputTokens":1200,"outputTokens":500},"creditsCharged":12,
///  "state":{"records":2,"transactions":2,"registeredAt":"2026-02-19T09:00:00.000Z","starter":988},
///  "previous":117,"crc":"00c0ffee"}
/// ```
extension JSONWriter {
  /// Writes a journal record up to its checksum: an object without its closing brace.
  ///
  /// A record has its time, event and account; the account's state after it; and the position of
  /// the account's previous record. Values that follow from its other members are left out: times,
  /// balances, and the bucket that paid if that is the account's first one now.
  /// - Parameter previous: the position of the account's previous record.
  public mutating func openRecord(_ record: LedgerRecord, previous: RecordPosition?) {
    let account = record.account
    beginObject()
    member("at", account.updatedAt, Time.self)
    event(record.event, in: account)
    if !account.name.text.isEmpty { state(account) }
    _ = recordEnd(record.crossed, record.original)
    optional("previous", previous, Place.self)
  }
}

extension MemberVisitor where Self: ~Copyable {
  fileprivate mutating func recordEnd(
    _ crossed: [Credits]? = nil, _ original: RecordPosition? = nil
  ) -> ([Credits]?, RecordPosition?) {
    (optional("crossed", crossed, List<Whole>.self), optional("original", original, Place.self))
  }
}

extension Account {
  static var unread: Account { Account(name: .nobody, registeredAt: .earliest) }
}

extension RecordReader {
  /// Reads a line of a journal, without its newline and without checking its checksum.
  /// - Returns: nil if it is not a record of this version.
  public mutating func read(_ line: Bytes, at position: RecordPosition) -> StoredRecord? {
    cursor = RecordCursor(line)
    guard let record = record() else { return nil }
    let previous = previous()
    guard cursor.isAtEnd else { return nil }
    return StoredRecord(record, at: position, previous: previous)
  }

  /// Reads a record as a database keeps it: the journal's text without a checksum.
  /// - Returns: nil if it is not a record of this version.
  public mutating func readStored(_ text: Bytes, at position: RecordPosition) -> StoredRecord? {
    cursor = RecordCursor(text)
    guard let record = record() else { return nil }
    let previous = optional("previous", nil, Place.self)
    cursor.expect("}")
    return cursor.isAtEnd ? StoredRecord(record, at: position, previous: previous) : nil
  }

  /// Reads a single record, without a place in a journal.
  /// - Returns: nil if it is not a record of this version.
  public mutating func readAlone(_ line: Bytes) -> LedgerRecord? {
    cursor = RecordCursor(line)
    guard let record = record() else { return nil }
    cursor.expect("}")
    return cursor.isAtEnd && record.original == nil ? record : nil
  }

  /// Reads the end of a line: the position of the account's previous record, and the checksum.
  private mutating func previous() -> RecordPosition? {
    let previous = optional("previous", nil, Place.self)
    cursor.require(cursor.skip(",\"crc\":\"") || cursor.skip(",\"and\":\""))
    // The checksum and its quote.
    cursor.skip(count: 9)
    cursor.expect("}")
    return previous
  }

  private mutating func record() -> LedgerRecord? {
    cursor.expect("{\"at\":")
    let time = time()
    guard let kind = RecordEventKind(&cursor) else { return nil }
    if kind == .claim {
      // An id that must not be used again: `"authorization":"0199…"` or `"transaction":"2000…"`.
      let key =
        optional("authorization", nil, ID.self).map { .authorization($0) }
        ?? optional("transaction", nil, ID.self).map { RecordKey.transaction($0) }
      return key.map { .ofNobody(.claim($0), at: time) }
    }
    if kind == .payment {
      let id = member("transaction", nil, ID.self)
      let news = object("payment", PaymentNews?.none) { $0.payment($1) }
      guard let id, let news else { return nil }
      return .ofNobody(.payment(id, news), at: time)
    }
    cursor.expect(",\"account\":")
    var account = Account(name: accountName(), registeredAt: time)
    guard let event = event(kind, of: &account) else { return nil }
    let (crossed, original) = recordEnd()
    return LedgerRecord(
      event: consume event, account: consume account, original: original, crossed: crossed)
  }

  // MARK: Parts of a line

  /// Reads a line's account after it, if that has undated credits only.
  ///
  /// Does not check the checksum or the event's members.
  /// - Returns: nil if the line has another form; ``read(_:at:)`` may read that.
  public mutating func undatedAccount(_ line: Bytes) -> Account? {
    cursor = RecordCursor(line)
    cursor.expect("{\"at\":")
    let time = time()
    guard let kind = RecordEventKind(&cursor), kind != .claim, kind != .payment else { return nil }
    cursor.expect(",\"account\":")
    let name = accountName()
    guard !cursor.hasFailed else { return nil }
    var account = Account(name: name, registeredAt: time)
    // Such a state has no objects in it, and none follows it. Texts contain no unescaped quotes, so
    // the state itself is found.
    cursor.goToLastObject(
      lessBytes: Self.stateName.utf8CodeUnitCount, skipping: Self.shortestStateCount)
    account = state(account) ?? account
    optional("original", nil, Place.self)
    _ = previous()
    return cursor.isAtEnd && account.hasUndatedCreditsOnly ? account : nil
  }

  private static let stateName: StaticString = ",\"state\":{"

  /// The least number of bytes behind a state's brace.
  private static let shortestStateCount =
    #""records":1,"transactions":0,"registeredAt":"","crc":"00c0ffee"}"#.utf8.count
    + Timestamp.textLength

  /// Reads the position of the account's previous record, from a line up to its checksum.
  ///
  /// Does not check the rest of the line.
  /// - Returns: nil if the line has no such member.
  public static func previous(before seal: Bytes) -> RecordPosition? {
    let name: StaticString = ",\"previous\":"
    var start = seal.count
    while start > 0, 0x30...0x39 ~= seal[start - 1] { start -= 1 }
    var cursor = RecordCursor(
      Bytes(rebasing: seal[max(0, start - name.utf8CodeUnitCount)...]))
    cursor.expect(name)
    let value = cursor.integer()
    return cursor.isAtEnd ? RecordPosition(value) : nil
  }

  /// Returns true if the name of a line's account begins with a JSON text.
  ///
  /// Does not check the rest of the line.
  /// - Parameter line: the line, perhaps with further bytes.
  public static func hasAccount(beginningWith start: Bytes, _ line: Bytes) -> Bool {
    let marker: StaticString = "\",\"account\":\""
    // The time's length is that of all times, and events have short names.
    var place = 42
    let end = min(place + 24, line.count - marker.utf8CodeUnitCount - start.count)
    while place < end, line[place] != UInt8(ascii: "\"") { place += 1 }
    if place >= end { return false }
    let name = place + marker.utf8CodeUnitCount
    return Bytes(rebasing: line[place..<name])
      .hasSameBytes(as: Bytes(marker))
      && Bytes(rebasing: line[name..<name + start.count]).hasSameBytes(as: start)
  }

  /// Returns true if a line is of a charge: it always has a history line.
  public static func isCharge(_ line: Bytes) -> Bool {
    var cursor = RecordCursor(line)
    cursor.expect("{\"at\":")
    _ = cursor.timeText()
    return cursor.skip(",\"event\":\"charge\"")
  }

  /// Reads the time of a record, from a text that its line begins.
  /// - Returns: nil if the text is of another form.
  public static func time(of line: Bytes) -> Timestamp? {
    var cursor = RecordCursor(line)
    cursor.expect("{\"at\":")
    let text = cursor.timeText()
    return cursor.hasFailed ? nil : Timestamp.parse(text)
  }
}

extension LedgerRecord {
  /// A record without an account.
  fileprivate static func ofNobody(_ event: LedgerEvent, at time: Timestamp) -> LedgerRecord {
    LedgerRecord(event: event, account: Account(name: .nobody, registeredAt: time))
  }
}

// The schema of a journal's and an export's lines.
extension JSONShape {
  /// A line of a journal or an export: one of its first lines, or a record.
  public static var record: JSONShape { .anyOf(heads + RecordEventKind.allCases.map(record)) }

  static func record(of kind: RecordEventKind) -> JSONShape {
    var recorder = ShapeRecorder()
    recorder.add(.time("at"))
    recorder.add(.words("event", ["\(kind.word)"]))
    switch kind {
    case .claim:
      recorder.add(.integer("previous").optional)
      return .choice(
        recorder.members + seal, oneOf: [.text("authorization"), .text("transaction")])
    case .payment:
      recorder.member("transaction", nil, ID.self)
      recorder.object("payment", PaymentNews?.none, shape: "payment") { $0.payment($1) }
    default:
      recorder.member("account", nil, AccountName.self)
      var account = Account.unread
      _ = recorder.event(kind, of: &account)
      _ = recorder.recordEnd()
    }
    recorder.add(.integer("previous").optional)
    return .object(recorder.members + seal)
  }

  /// A journal's header; and an export's header, the policy's files, and the policy.
  private static var heads: [JSONShape] {
    [
      .object([.words("store", ["credit"]), .integer("version"), .time("createdAt")] + seal),
      .object([
        .words("export", ["credit"]), .integer("version"), .time("createdAt"), .integer("records"),
      ]),
      .choice([.text("file")], oneOf: [.text("text"), .text("base64")]),
      .object([JSONMember("policy", PolicyShape.policy)]),
    ]
  }

  /// The checksum: `and` if others of the same batch follow. An exported record may have none.
  private static var seal: [JSONMember] { [.text("crc").optional, .text("and").optional] }
}
