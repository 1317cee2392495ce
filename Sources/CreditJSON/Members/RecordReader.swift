internal import CreditModel

/// Reads records in the one form that ``JSONWriter/openRecord(_:previous:)`` writes.
///
/// A record that it reads is written again as the same bytes. There is no other reader: only this
/// tool writes records, and a sound line in another form was made by a tool of another version.
package struct RecordReader: ~Copyable, MemberVisitor {
  var texts = RecordTexts()
  /// Where it is in the line that it reads.
  var cursor = RecordCursor(UnsafeRawBufferPointer(start: nil, count: 0))

  package init() {}

  static var reads: Bool { true }

  @discardableResult
  @inline(__always)
  mutating func member<Form: MemberForm>(
    _ name: StaticString, _ known: Form.Value?, _ form: Form.Type
  ) -> Form.Value? {
    cursor.require(cursor.skipMember(name))
    return value(form)
  }

  @discardableResult
  @inline(__always)
  mutating func optional<Form: MemberForm>(
    _ name: StaticString, _ known: Form.Value?, _ form: Form.Type
  ) -> Form.Value? {
    cursor.skipMember(name) ? value(form) : nil
  }

  @discardableResult
  @inline(__always)
  mutating func member<Form: MemberForm>(
    _ name: StaticString, _ known: Form.Value?, _ form: Form.Type, if condition: Bool
  ) -> Form.Value? {
    condition ? member(name, known, form) : nil
  }

  @discardableResult
  @inline(__always)
  mutating func object<Noun>(
    _ name: StaticString, _ known: Noun?, shape: String?,
    _ members: (inout RecordReader, Noun?) -> Noun?
  ) -> Noun? {
    cursor.require(cursor.skipMember(name))
    return object(members)
  }

  @discardableResult
  @inline(__always)
  mutating func optionalObject<Noun>(
    _ name: StaticString, _ known: Noun?, shape: String?,
    _ members: (inout RecordReader, Noun?) -> Noun?
  ) -> Noun? {
    cursor.skipMember(name) ? object(members) : nil
  }

  @discardableResult
  @inline(__always)
  mutating func list<Noun>(
    _ name: StaticString, _ known: [Noun]?, _ members: (inout RecordReader, Noun?) -> Noun?
  ) -> [Noun] {
    var nouns: [Noun] = []
    guard cursor.skipMember(name) else { return nouns }
    cursor.expect("[")
    repeat {
      if let noun = object(members) { nouns.append(noun) }
    } while cursor.skip(",")
    cursor.expect("]")
    return nouns
  }

  @discardableResult
  @inline(__always)
  mutating func rare<Noun>(
    if condition: Bool, before next: StaticString?, _ members: (inout RecordReader) -> Noun?
  ) -> Noun? {
    let isAbsent = next.map { cursor.isNextMember($0) } ?? cursor.isNext("}")
    return isAbsent ? nil : members(&self)
  }

  @inline(__always)
  mutating func require(_ condition: Bool) { cursor.require(condition) }

  @inline(__always)
  private mutating func value<Form: MemberForm>(_ form: Form.Type) -> Form.Value? {
    let value = Form.read(&self)
    cursor.require(value != nil)
    return value
  }

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
