internal import CreditModel

/// Reads records in the one form that ``JSONWriter/openRecord(_:previous:)`` writes.
///
/// A record that it reads is written again as the same bytes. There is no other reader: only this
/// tool writes records, and a sound line in another form was made by a tool of another version.
public struct RecordReader: ~Copyable, MemberVisitor {
  var texts = RecordTexts()
  /// Its place in the line being read.
  var cursor = RecordCursor(Bytes())

  public init() {}

  public static var reads: Bool { true }

  @discardableResult
  @inline(__always)
  public mutating func member<Form: MemberForm>(
    _ name: StaticString, _ known: Form.Value?, _ form: Form.Type, isRequired: Bool
  ) -> Form.Value? {
    guard hasMember(name, isRequired) else { return nil }
    let value = Form.read(&self)
    cursor.require(value != nil)
    return value
  }

  @discardableResult
  @inline(__always)
  public mutating func object<Noun>(
    _ name: StaticString, _ known: Noun?, shape: String?, isRequired: Bool,
    _ members: (inout RecordReader, Noun?) -> Noun?
  ) -> Noun? {
    hasMember(name, isRequired) ? object(members) : nil
  }

  @inline(__always)
  public mutating func list<Nouns: RandomAccessCollection>(
    _ name: StaticString, _ known: Nouns?, isRequired: Bool,
    _ members: (inout RecordReader, Nouns.Element?) -> Nouns.Element?
  ) -> [Nouns.Element] {
    var nouns: [Nouns.Element] = []
    guard hasMember(name, isRequired) else { return nouns }
    cursor.expect("[")
    repeat {
      if let noun = object(members) { nouns.append(noun) }
    } while cursor.skip(",")
    cursor.expect("]")
    return nouns
  }

  @discardableResult
  @inline(__always)
  public mutating func rare<Noun>(
    if condition: Bool, before next: StaticString?, _ members: (inout RecordReader) -> Noun?
  ) -> Noun? {
    let isAbsent = next.map { cursor.placeAfter($0) != nil } ?? cursor.isNext("}")
    return isAbsent ? nil : members(&self)
  }

  /// Goes past a member's name. A required member that is not there fails, and is read all the
  /// same, as a line is seldom damaged.
  @inline(__always)
  private mutating func hasMember(_ name: StaticString, _ isRequired: Bool) -> Bool {
    let isThere = cursor.skipMember(name)
    if isRequired { cursor.require(isThere) }
    return isThere || isRequired
  }

  @inline(__always)
  public mutating func require(_ condition: Bool) { cursor.require(condition) }

  /// An object; it fails if its members make no noun.
  @inline(__always)
  private mutating func object<Noun>(_ members: (inout RecordReader, Noun?) -> Noun?) -> Noun? {
    cursor.expect("{")
    let noun = members(&self, nil)
    cursor.require(noun != nil)
    cursor.expect("}")
    return noun
  }

  // MARK: Texts

  @inline(__always)
  mutating func accountName() -> Name { texts.name(cursor.name(limit: Name.accountLimit)) }

  /// A time; it fails if the text is not one.
  @inline(__always)
  mutating func time() -> Timestamp {
    if let time = texts.time(cursor.timeText()) { return time }
    cursor.fail()
    return .earliest
  }

  mutating func string() -> String { String(decoding: cursor.text(), as: UTF8.self) }

  /// The elements of a list behind its opening bracket, at least one.
  mutating func elements<Element>(_ read: (inout RecordReader) -> Element) -> [Element] {
    var elements: [Element] = []
    repeat { elements.append(read(&self)) } while cursor.skip(",")
    cursor.expect("]")
    return elements
  }
}

/// Decodes a journal's names and dates, and remembers the last ones.
struct RecordTexts: ~Copyable {
  private static let dayCount = 64
  /// Number of bits of a hash that find a name's place.
  private static let nameBits = 10

  /// Empty until it pays to remember: a process that reads one record would spend some 20,000
  /// instructions on room for many.
  private var names: [Name] = []
  private var days: [Day] = []
  /// Number of texts that are read before any is cached.
  private var passingCount = 64

  /// A date, `2026-02-19T`, and its start.
  private struct Day {
    var word: UInt64 = 0
    var rest: UInt32 = 0
    var milliseconds: Int64 = 0
  }

  @inline(__always)
  mutating func name(_ text: Bytes) -> Name {
    // Strings of up to 15 bytes are made without allocating.
    guard text.count > 15, isRemembering() else { return Self.made(text) }
    let ends =
      text.loadUnaligned(as: UInt64.self)
      &+ text.loadUnaligned(fromByteOffset: text.count - 8, as: UInt64.self) &* 31
      &+ UInt64(text.count)
    let slot = Int(
      truncatingIfNeeded: (ends &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 &- Self.nameBits))
    var known = names[slot].text
    if known.withUTF8({ text.hasSameBytes(as: Bytes($0)) }) { return names[slot] }
    let name = Self.made(text)
    names[slot] = name
    return name
  }

  @inline(__always)
  private mutating func isRemembering() -> Bool { !names.isEmpty || startsRemembering() }

  @inline(never)
  private mutating func startsRemembering() -> Bool {
    passingCount -= 1
    guard passingCount == 0 else { return false }
    names = [Name](repeating: Name(trusted: ""), count: 1 << Self.nameBits)
    days = [Day](repeating: Day(), count: Self.dayCount)
    return true
  }

  /// A name that will hardly come again soon.
  static func made(_ text: Bytes) -> Name {
    Name(trusted: String(decoding: text, as: UTF8.self))
  }

  /// Returns the time that 24 bytes state in the written form. Nil if they are not a time.
  @inline(__always)
  mutating func time(_ text: Bytes) -> Timestamp? {
    guard text.count == Timestamp.textLength else { return nil }
    let (word, rest) = Self.dayBytes(text)
    guard isRemembering() else { return Self.madeTime(text) }
    let slot = Int(text[8] & 7) &* 8 &+ Int(text[9] & 7)
    let day = days[slot]
    guard day.word == word, day.rest == rest, let inDay = Timestamp.timeOfDay(text) else {
      return newDay(text, slot)
    }
    return Timestamp(milliseconds: day.milliseconds &+ inDay)
  }

  /// The eleven bytes of a time that name its day.
  @inline(__always)
  private static func dayBytes(_ text: Bytes) -> (word: UInt64, rest: UInt32) {
    (
      text.loadUnaligned(as: UInt64.self),
      text.loadUnaligned(fromByteOffset: 8, as: UInt32.self) & UInt32(littleEndian: 0x00FF_FFFF)
    )
  }

  @inline(never)
  private mutating func newDay(_ text: Bytes, _ slot: Int) -> Timestamp? {
    guard let time = Self.madeTime(text), let inDay = Timestamp.timeOfDay(text) else { return nil }
    let (word, rest) = Self.dayBytes(text)
    days[slot] = Day(word: word, rest: rest, milliseconds: time.milliseconds - inDay)
    return time
  }

  private static func madeTime(_ text: Bytes) -> Timestamp? {
    guard let time = Timestamp.parse(text) else { return nil }
    return withTemporaryBytes(byteCount: Timestamp.textLength, alignment: 1) { buffer in
      time.encode(into: buffer)
      return Bytes(buffer).hasSameBytes(as: text) ? time : nil
    }
  }
}

extension RecordCursor {
  @inline(__always)
  mutating func name(limit: Int) -> Bytes {
    let text = self.text()
    if isDecoded(text) {
      require(Name.problem(with: String(decoding: text, as: UTF8.self), limit: limit) == nil)
    } else {
      require(1...limit ~= text.count && text[0] > 0x20 && text[text.count &- 1] > 0x20)
    }
    return hasFailed ? Bytes() : text
  }
}
