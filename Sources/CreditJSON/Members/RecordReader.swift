internal import CreditModel

/// Reads records in the one form that ``JSONWriter/openRecord(_:previous:)`` writes.
///
/// A record that it reads is written again as the same bytes. There is no other reader: only this
/// tool writes records, and a sound line in another form was made by a tool of another version.
package struct RecordReader: ~Copyable, MemberVisitor {
  var texts = RecordTexts()
  /// Its place in the line being read.
  var cursor = RecordCursor(UnsafeRawBufferPointer(start: nil, count: 0))

  package init() {}

  package static var reads: Bool { true }

  @discardableResult
  @inline(__always)
  package mutating func member<Form: MemberForm>(
    _ name: StaticString, _ known: Form.Value?, _ form: Form.Type, isRequired: Bool
  ) -> Form.Value? {
    guard hasMember(name, isRequired) else { return nil }
    let value = Form.read(&self)
    cursor.require(value != nil)
    return value
  }

  @discardableResult
  @inline(__always)
  package mutating func object<Noun>(
    _ name: StaticString, _ known: Noun?, shape: String?, isRequired: Bool,
    _ members: (inout RecordReader, Noun?) -> Noun?
  ) -> Noun? {
    hasMember(name, isRequired) ? object(members) : nil
  }

  @inline(__always)
  package mutating func list<Noun>(
    _ name: StaticString, _ known: [Noun]?, isRequired: Bool,
    _ members: (inout RecordReader, Noun?) -> Noun?
  ) -> [Noun] {
    var nouns: [Noun] = []
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
  package mutating func rare<Noun>(
    if condition: Bool, before next: StaticString?, _ members: (inout RecordReader) -> Noun?
  ) -> Noun? {
    let isAbsent = next.map { cursor.isNextMember($0) } ?? cursor.isNext("}")
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
  package mutating func require(_ condition: Bool) { cursor.require(condition) }

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

  /// The account's name.
  @inline(__always)
  mutating func accountName() -> Name { texts.name(cursor.name(limit: Name.accountLimit)) }

  /// A name of something in the policy, as the policy has it.
  @inline(__always)
  mutating func policyName() -> Name { texts.name(cursor.text()) }

  /// An id or a key.
  @inline(__always)
  mutating func id() -> Name { RecordTexts.made(cursor.name(limit: Name.idLimit)) }

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

  /// Returns the name of a text.
  @inline(__always)
  mutating func name(_ text: UnsafeRawBufferPointer) -> Name {
    // Strings of up to 15 bytes are made without allocating.
    guard text.count > 15, let base = text.baseAddress, isRemembering() else {
      return Self.made(text)
    }
    let ends =
      base.loadUnaligned(as: UInt64.self)
      &+ (base + text.count - 8).loadUnaligned(as: UInt64.self) &* 31 &+ UInt64(text.count)
    let slot = Int(
      truncatingIfNeeded: (ends &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 &- Self.nameBits))
    var known = names[slot].text
    if known.withUTF8({ text.hasSameBytes(as: UnsafeRawBufferPointer($0)) }) { return names[slot] }
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
  static func made(_ text: UnsafeRawBufferPointer) -> Name {
    Name(trusted: String(decoding: text, as: UTF8.self))
  }

  /// Returns the time that 24 bytes state in the written form. Nil if they are not a time.
  @inline(__always)
  mutating func time(_ text: UnsafeRawBufferPointer) -> Timestamp? {
    guard text.count == Timestamp.textLength, let base = text.baseAddress else { return nil }
    let word = base.loadUnaligned(as: UInt64.self)
    let rest = (base + 8).loadUnaligned(as: UInt32.self) & UInt32(littleEndian: 0x00FF_FFFF)
    guard isRemembering() else { return Self.madeTime(text) }
    let slot = Int(text[8] & 7) &* 8 &+ Int(text[9] & 7)
    let day = days[slot]
    guard day.word == word, day.rest == rest, let inDay = Self.timeOfDay(base + 10) else {
      return newDay(text, slot)
    }
    return Timestamp(milliseconds: day.milliseconds &+ inDay)
  }

  /// `T10:00:00.000Z` in milliseconds: eight bytes at once, of which those that are in order leave
  /// a number below ten, and the marks zero.
  @inline(__always)
  private static func timeOfDay(_ base: UnsafeRawPointer) -> Int64? {
    let clock = ByteWord(base + 1).bits ^ 0x3030_3A30_303A_3030
    let rest = ByteWord(base + 6).bits ^ 0x5A30_3030_2E30_303A
    let tooLarge = (clock &+ 0x7676_7F76_767F_7676) | (rest &+ 0x7F76_7676_7F76_767F)
    guard (tooLarge | clock | rest) & 0x8080_8080_8080_8080 == 0,
      base.load(as: UInt8.self) == UInt8(ascii: "T")
    else { return nil }
    func digit(_ word: UInt64, _ index: UInt64) -> UInt64 { word &>> (8 &* index) & 0xFF }
    let hours = digit(clock, 0) &* 10 &+ digit(clock, 1)
    let minutes = digit(clock, 3) &* 10 &+ digit(clock, 4)
    let seconds = digit(clock, 6) &* 10 &+ digit(clock, 7)
    guard hours < 24, minutes < 60, seconds < 60 else { return nil }
    let milliseconds = (digit(rest, 4) &* 10 &+ digit(rest, 5)) &* 10 &+ digit(rest, 6)
    return Int64(((hours &* 60 &+ minutes) &* 60 &+ seconds) &* 1000 &+ milliseconds)
  }

  @inline(never)
  private mutating func newDay(_ text: UnsafeRawBufferPointer, _ slot: Int) -> Timestamp? {
    guard let base = text.baseAddress, let time = Self.madeTime(text),
      let inDay = Self.timeOfDay(base + 10)
    else { return nil }
    days[slot] = Day(
      word: base.loadUnaligned(as: UInt64.self),
      rest: (base + 8).loadUnaligned(as: UInt32.self) & UInt32(littleEndian: 0x00FF_FFFF),
      milliseconds: time.milliseconds - inDay)
    return time
  }

  private static func madeTime(_ text: UnsafeRawBufferPointer) -> Timestamp? {
    guard let time = Timestamp.parse(text), time.isWritten(as: text) else { return nil }
    return time
  }
}

extension Timestamp {
  fileprivate func isWritten(as text: UnsafeRawBufferPointer) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: Timestamp.textLength, alignment: 1) { buffer in
      encode(into: buffer)
      return UnsafeRawBufferPointer(buffer).hasSameBytes(as: text)
    }
  }
}
